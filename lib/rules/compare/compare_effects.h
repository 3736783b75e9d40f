// Two accounts of one call, compared: what a caller could tell apart.
#pragma once

#include <string>
#include <vector>

#include "lib/rules/core/call.h"

namespace fakeprop {

enum class EffectField : unsigned {
  kCount = 1,  // how many results there are, or items in one
  kShape = 2,
  kStride = 4,  // where it says where an element is: not in dimensions of size 1, nor of empty tensors
  kOffset = 8,
  kDtype = 16,
  kDevice = 32,
  kView = 64,       // pending conjugation or negation
  kAliasing = 128,  // the storage that a result stands on, or the argument that it is
  kValue = 256,     // of a result that is no tensor
  kWrite = 512,     // which arguments are written to
  kOutcome = 1024,  // an error or a result
  kRefusal = 2048,  // the same, where `a` is an error about dtypes
};

struct EffectDifference {
  EffectField field;
  std::string name;  // "stride", "stride of result 1", "shape of `self` afterwards"
  std::string a, b;  // as text
};

// How one account of the call ended: its effects, or an error.
struct Outcome {
  Effects effects;
  std::optional<OpError> error;
};

// States the effects of `run` on the call, which are left in it too.
template <typename Run>
Outcome OutcomeOf(Call& call, const Run& run) {
  Outcome outcome;
  call.effects().Clear();
  try {
    run(call);
  } catch (const OpError& e) {
    outcome.error = e;
  }
  outcome.effects = call.effects();
  return outcome;
}

// Two errors are the same, whatever they say; whether results require grad is not looked at.
std::vector<EffectDifference> CompareOutcomes(const Call& call, const Outcome& a, const Outcome& b);

}  // namespace fakeprop
