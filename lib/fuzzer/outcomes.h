// The outcomes of one call that are compared.
#pragma once

#include "lib/fuzzer/compare_call.h"
#include "lib/libtorch_fallback/plugin/real_run.h"
#include "lib/rules/compare/compare_effects.h"
#include "lib/rules/rule_table.h"

namespace fakeprop::fuzzer {

// Runs the call as the program does: by the rule, else by the LibTorch fallback.
void RunOurs(const ServedRule* served, Call& call);

// Runs the call by CPU kernels. If it fails because of its data, runs it again with other data.
Outcome RealOutcome(Call& call);

// Returns true if an error of a CPU kernel is about the data, which metadata cannot know.
bool IsAboutData(const OpError& error);

// Returns true if our error says that the answer depends on data.
bool IsDataDependent(const OpError& error);

}  // namespace fakeprop::fuzzer
