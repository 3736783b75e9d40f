// Runs a node that a rule served once more by LibTorch, without the rule.
#pragma once

#include <functional>

#include "lib/interpreter/annotations.h"
#include "lib/rules/compare/known_differences.h"
#include "lib/rules/rule_table.h"

namespace fakeprop {

class LibTorchFallback;

struct Comparison {
  std::string_view op;
  std::string_view not_compared;  // the reason if LibTorch has no answer
  std::vector<EffectDifference> differences;
  const KnownDifference* meant = nullptr;  // why the differences are on purpose
};

// The reason for not comparing an answer with a size that depends on data: it is a symbol without a hint, and LibTorch
// has no such symbols.
inline constexpr std::string_view kDataDecides = "data decides a size";
Comparison NotCompared(const Schema& schema, std::string_view why);

// Afterwards the call has the effects that LibTorch states.
Comparison CompareWithLibTorch(LibTorchFallback& libtorch, const ServedRule& rule, Call& call, const Outcome& by_rule);

// Counts the comparison and keeps the differences. `report` makes a diagnostic for the current node.
void AddComparison(const Comparison& comparison, const std::string& subgraph,
    const std::function<Diagnostic(std::string message)>& report, Crossref& crossref);

}  // namespace fakeprop
