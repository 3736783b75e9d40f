// Where we give something else than a CPU kernel does, on purpose.
#pragma once

#include <span>
#include <string_view>

#include "lib/rules/compare/compare_effects.h"

namespace fakeprop::fuzzer {

struct Known {
  std::string_view op;     // of the row that serves the call; "*" for all
  unsigned fields;         // the EffectFields that may differ
  std::string_view words;  // what the kernel's side of each has to contain; empty for any
  std::string_view reason;
};

std::span<const Known> AllKnown();

// The entry that explains all of the differences between us and a CPU kernel; null where none does.
const Known* FindKnown(std::string_view row_op, std::span<const EffectDifference> differences);

// The same of autograd, whatever the operator.
struct KnownGradient {
  std::string_view words;
  std::string_view reason;
};
const KnownGradient* FindKnownGradient(std::string_view difference);

// Operators whose results depend on data though LibTorch does not tag them: composites of some that it tags.
bool IsKnownDataDependent(std::string_view op_name);

}  // namespace fakeprop::fuzzer
