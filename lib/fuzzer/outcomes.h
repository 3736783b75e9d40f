// One call's outcomes by the accounts that are compared.
#pragma once

#include "lib/fuzzer/compare_call.h"
#include "lib/fuzzer/real_run.h"
#include "lib/rules/compare/compare_effects.h"
#include "lib/rules/rule_table.h"

namespace fakeprop::fuzzer {

// As the program would serve it: by the rule, else by the LibTorch fallback.
void RunOurs(const ServedRule* served, Call& call);

// By CPU kernels. A call that fails for its data is given other data.
Outcome RealOutcome(Call& call);

// Whether an error of a CPU kernel is about the data at hand, which no metadata tells.
bool IsAboutData(const OpError& error);

// Whether our error says that the answer depends on data.
bool IsDataDependent(const OpError& error);

}  // namespace fakeprop::fuzzer
