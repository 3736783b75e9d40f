#include "lib/value_ranges/use_text.h"

#include "lib/base/byte_count.h"
#include "lib/diag/python_trace.h"

namespace fakeprop {
namespace {

using Limit = IndexUse::Limit;

std::string Quoted(const std::string& text) { return "`" + text + "`"; }

std::string Words(const IndexUse& use) {
  if (use.limit == Limit::kClasses) return "labels";
  if (use.limit == Limit::kSum) return "sums of repeats";
  return use.limit == Limit::kBetween ? "numbers" : "indices";
}

// "the table `wpe.weight` has 1,024 rows".
std::string LimitText(const IndexUse& use, const GraphRanges& ranges) {
  if (use.limit == Limit::kNotNegative || !use.greatest) return "they have to be 0 or more";
  if (use.limit == Limit::kSum) return "`output_size` is " + EndText(use.greatest);
  if (use.limit == Limit::kBetween) return "they have to be " + RangeText({{use.least, {}}, {use.greatest, {}}});
  const std::string count = EndText(Add(use.greatest, use.greatest->arena->Integer(1)));
  const std::string table = use.table < 0 ? "" : Quoted(NameOf(use.table, ranges));
  if (table.empty() && use.limit == Limit::kRows) return "the table has " + count + " rows";
  if (table.empty()) return "there are " + count + (use.limit == Limit::kClasses ? " classes" : "");
  switch (use.limit) {
    case Limit::kRows: return "the table " + table + " has " + count + " rows";
    case Limit::kClasses: return table + " has " + count + " classes";
    default: break;
  }
  if (use.dim < 0) return table + " has " + count + " elements";
  return "dimension " + std::to_string(use.dim) + " of " + table + " has size " + count;
}

// A bound of one symbol: `factor * symbol + constant <= 0`.
struct SymbolBound {
  const SymNode* symbol = nullptr;
  int64_t factor = 0, constant = 0;
};

SymbolBound BoundIn(Sym condition) {
  if (condition->op != SymOp::kAtMostZero) return {};
  const Sym sum = condition->arguments[0];
  if (sum->op != SymOp::kSum || sum->arguments.size() != 1 || sum->arguments[0]->op != SymOp::kSymbol) return {};
  return {sum->arguments[0], sum->coefficients[0], sum->integer};
}

int64_t FloorOf(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }

}  // namespace

std::string EndText(Sym end) { return end->IsInteger() ? WithCommas(end->integer) : ToString(end); }

std::string NameOf(int32_t node, const GraphRanges& ranges) {
  if (ranges.annotations->path.empty())
    for (const Input& input : ranges.graph->inputs)
      if (input.node == node && !input.qualified_name.empty()) return input.qualified_name;
  return ranges.graph->nodes[node].name;
}

std::string SizesText(Sym condition) {
  const SymbolBound bound = BoundIn(condition);
  if (!bound.symbol) return Quoted(ToString(condition));
  if (bound.factor > 0) return bound.symbol->name + " at most " + WithCommas(FloorOf(-bound.constant, bound.factor));
  return bound.symbol->name + " at least " + WithCommas(-FloorOf(-bound.constant, -bound.factor));
}

std::string RangeText(const ValueRange& range) {
  if (range.low.at && range.high.at) return "from " + EndText(range.low.at) + " to " + EndText(range.high.at);
  if (range.low.at) return "at least " + EndText(range.low.at);
  return range.high.at ? "at most " + EndText(range.high.at) : "any number";
}

std::string RangesText(const ValueAnalysis& analysis, const GraphAnnotations& graph, const NodeAnnotation& node) {
  const GraphRanges* of = FindRanges(analysis, graph);
  if (!of) return "";
  std::string text;
  bool is_known = false;
  for (const ValueRange& range : of->nodes[static_cast<size_t>(&node - graph.nodes.data())]) {
    is_known = is_known || range.low.at || range.high.at;
    text += (text.empty() ? "" : "; ") + RangeText(range);
  }
  return is_known ? text : "";
}

std::string UseText(const IndexUse& use, const GraphRanges& ranges) {
  const ValueEnd& end = use.is_too_large ? use.range.high : use.range.low;
  const ValueEnd& known = end.at ? end : use.is_too_large ? use.range.low : use.range.high;
  const bool by_choice = use.verdict == IndexUse::Verdict::kFailsForSome && end.met.when != Met::kInAllRuns;
  std::string text = Words(use);
  text += by_choice ? " may be " : use.is_too_large ? " go to " : " go down to ";
  text += EndText(known.at) + "; " + LimitText(use, ranges);
  if (use.verdict == IndexUse::Verdict::kFailsForSome && use.holds) text += ": " + SizesText(use.holds);
  return text;
}

std::vector<std::string> UseNotes(const IndexUse& use, const GraphRanges& ranges) {
  const int32_t origin = use.range.origin;
  if (origin < 0 || origin == use.index) return {};
  const Node& node = ranges.graph->nodes[origin];
  const std::vector<PythonFrame> frames = ParseStackTrace(node.stack_trace);
  const PythonFrame* frame = HeadlineFrame(frames);
  const std::string place = frame ? LineText(*frame) : Quoted(NameOf(origin, ranges));
  return {"the " + Words(use) + " come from " + place};
}

}  // namespace fakeprop
