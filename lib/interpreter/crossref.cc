#include "lib/interpreter/crossref.h"

#include "lib/libtorch_fallback/libtorch_fallback.h"

#include <algorithm>

namespace fakeprop {
namespace {

// The reason why an error says nothing about the call. Empty for other errors.
std::string_view WhyNoAnswer(const OpError& e) {
  switch (e.error_class()) {
    case ErrorClass::kUnsupportedOperator:
    case ErrorClass::kInternal: return "LibTorch has no kernel that runs without data";
    case ErrorClass::kDataDependentOutput:
    case ErrorClass::kDynamicOutputShape: return "LibTorch wants the data";
    default: return "";
  }
}

std::string Message(const Comparison& comparison) {
  const EffectDifference& first = comparison.differences[0];
  std::string text = "by the rule for `" + std::string(comparison.op) + "`, " + first.name + " is " + first.a +
                     ", but by LibTorch " + first.b;
  if (comparison.differences.size() > 1)
    text += ", and " + std::to_string(comparison.differences.size() - 1) +
            (comparison.differences.size() == 2 ? " more field differs" : " more fields differ");
  return text;
}

// If a difference is meant, one note for each operator is enough.
bool IsTold(const Crossref& crossref, std::string_view op) {
  return std::any_of(crossref.differences.begin(), crossref.differences.end(), [&](const Crossref::Difference& told) {
    return told.op == op && told.diagnostic.severity == Severity::kWarning;
  });
}

}  // namespace

Comparison NotCompared(const Schema& schema, std::string_view why) {
  return {.op = schema.full_name, .not_compared = why};
}

Comparison CompareWithLibTorch(LibTorchFallback& libtorch, const ServedRule& rule, Call& call, const Outcome& by_rule) {
  Comparison comparison{call.schema().full_name};
  if (by_rule.error && !libtorch.SurvivesWithoutRule(call))
    return NotCompared(call.schema(), "LibTorch's kernel may crash on what the rule refuses");
  const Outcome by_libtorch = OutcomeOf(call, [&](Call& c) { libtorch.RunWithoutRule(c); });
  if (by_libtorch.error) comparison.not_compared = WhyNoAnswer(*by_libtorch.error);
  if (!comparison.not_compared.empty()) return comparison;
  comparison.differences = CompareOutcomes(call, by_rule, by_libtorch);
  comparison.meant = ExplainDifferences(Against::kMeta, rule.row->op, comparison.differences);
  return comparison;
}

void AddComparison(const Comparison& comparison, const std::string& subgraph,
    const std::function<Diagnostic(std::string message)>& report, Crossref& crossref) {
  if (!comparison.not_compared.empty()) {
    ++crossref.not_compared[{std::string(comparison.op), std::string(comparison.not_compared)}];
    return;
  }
  ++crossref.compared;
  if (comparison.differences.empty()) return;
  ++(comparison.meant ? crossref.deviate : crossref.differ);
  if (comparison.meant && IsTold(crossref, comparison.op)) return;
  Crossref::Difference difference{
      std::string(comparison.op), report(Message(comparison)), subgraph, comparison.differences};
  if (comparison.meant) {
    difference.diagnostic.severity = Severity::kWarning;
    difference.diagnostic.notes.emplace_back(comparison.meant->reason);
  }
  crossref.differences.push_back(std::move(difference));
}

}  // namespace fakeprop
