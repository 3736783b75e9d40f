// Two accounts of one call, compared: what a caller could tell apart.
#pragma once

#include <string>
#include <vector>

#include "lib/rules/compare/effect_difference.h"
#include "lib/rules/core/call.h"

namespace fakeprop {

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
