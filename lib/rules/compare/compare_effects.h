// Compares two results of one call, and finds the differences that a caller can see.
#pragma once

#include <string>
#include <vector>

#include "lib/rules/compare/effect_difference.h"
#include "lib/rules/core/call.h"

namespace fakeprop {

// One result of the call: its effects, or an error.
struct Outcome {
  Effects effects;
  std::optional<OpError> error;
};

// Runs `run` on the call and returns the outcome. The call keeps the effects.
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

// Compares two outcomes. Two errors are equal, whatever their messages are. requires_grad is not compared.
std::vector<EffectDifference> CompareOutcomes(const Call& call, const Outcome& a, const Outcome& b);

}  // namespace fakeprop
