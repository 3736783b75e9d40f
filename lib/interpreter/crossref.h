// A node that a rule served, run once more by LibTorch without the rule.
#pragma once

#include <functional>

#include "lib/interpreter/annotations.h"
#include "lib/rules/compare/known_differences.h"
#include "lib/rules/rule_table.h"

namespace fakeprop {

class LibTorchFallback;

struct Comparison {
  std::string_view op;
  std::string_view not_compared;  // why, where LibTorch has no answer
  std::vector<EffectDifference> differences;
  const KnownDifference* meant = nullptr;  // why they are on purpose
};

// Why two answers are not compared: a size that data decides is a symbol without a hint, which LibTorch does not have.
inline constexpr std::string_view kDataDecides = "data decides a size";
Comparison NotCompared(const Schema& schema, std::string_view why);

// Leaves the call's effects as LibTorch states them.
Comparison CompareWithLibTorch(LibTorchFallback& libtorch, const ServedRule& rule, Call& call, const Outcome& by_rule);

// Counts the comparison and keeps what differs. `report` makes the diagnostic of the node at hand.
void AddComparison(const Comparison& comparison, const std::string& subgraph,
    const std::function<Diagnostic(std::string message)>& report, Crossref& crossref);

}  // namespace fakeprop
