#include "lib/inputs/declare.h"

#include <algorithm>

#include "lib/inputs/symbols.h"
#include "lib/symbolic/build.h"

namespace fakeprop {
namespace {

Expression PutIn(Expression expression, const SymbolBindings& bindings) {
  if (auto value = bindings.values.find(expression.name); expression.IsSymbol() && value != bindings.values.end()) {
    Expression number;
    number.number = Number::Of(value->second);
    return number;
  }
  for (Expression& argument : expression.arguments) argument = PutIn(std::move(argument), bindings);
  return expression;
}

// Hints of symbols that the spec gives none: odd, and no two alike, so that none looks like another size.
constexpr int64_t kHints[] = {13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59};

int64_t HintFor(const SpecSymbol& symbol, size_t index) {
  if (symbol.hint) return *symbol.hint;
  const int64_t hint = kHints[index % std::size(kHints)];
  const int64_t max = symbol.max.value_or(INT64_MAX);
  if (hint < symbol.min) return symbol.min > INT64_MAX - hint ? symbol.min : std::min(max, symbol.min + hint);
  return std::min(hint, max);
}

// The recorded range. A size was traced as at least 2, whatever lower bound the user's Dim left in the file
// (ShapeEnv.create_symbol); a number that is no size has no bounds but the file's.
Range RangeOf(const Graph& graph, const std::string& symbol, bool is_size, int64_t hint) {
  Range range;
  if (auto recorded = graph.ranges.find(symbol); recorded != graph.ranges.end())
    range = {recorded->second.min.value_or(Range::kNoLow), recorded->second.max.value_or(Range::kNoHigh)};
  if (is_size && hint >= 2) range.low = std::max<int64_t>(range.low, 2);
  else if (is_size) range.low = std::max<int64_t>(range.low, 0);
  return range;
}

class Declarer {
 public:
  Declarer(const Graph& graph, SymbolBindings& bindings, SymbolValues hints, ShapeEnv& env)
      : graph_(graph), bindings_(bindings), hints_(std::move(hints)), env_(env) {}

  void DeclareSpec(const std::vector<SpecSymbol>& symbols) {
    for (size_t i = 0; i < symbols.size(); ++i) {
      const SpecSymbol& s = symbols[i];
      env_.NewSymbol(s.name, {s.min, s.max.value_or(Range::kNoHigh)}, HintFor(s, i), "");
    }
  }

  // A dimension that the graph recorded as a symbol alone and the spec as an expression.
  void Bind(const Slot& slot) {
    if (!slot.entry || !slot.entry->shape || !slot.tensor || slot.tensor->sizes.size() != slot.entry->shape->size()) return;
    for (size_t d = 0; d < slot.tensor->sizes.size(); ++d) {
      const SpecSize& given = (*slot.entry->shape)[d];
      std::optional<Expression> recorded = ParseExpression(slot.tensor->sizes[d].expression);
      if (given.expression.empty() || !recorded || !recorded->IsSymbol()) continue;
      if (Sym node = ParseSym(given.expression, env_)) bindings_.renamed.emplace(recorded->name, node);
    }
  }

  // Of a slot's sizes, those that are a symbol alone first: they are its source.
  void DeclareSlot(const Slot& slot, bool alone) {
    const std::string name(slot.name);
    if (slot.entry && (slot.entry->shape || slot.entry->value)) return;
    if (slot.tensor) {
      for (size_t d = 0; d < slot.tensor->sizes.size(); ++d)
        Declare(slot.tensor->sizes[d], name + ".size(" + std::to_string(d) + ")", true, alone);
      for (size_t d = 0; d < slot.tensor->strides.size(); ++d)
        Declare(slot.tensor->strides[d], name + ".stride(" + std::to_string(d) + ")", true, alone);
      Declare(slot.tensor->storage_offset, name + ".storage_offset()", false, alone);
    }
    if (slot.number) Declare(slot.number->integer, name, false, alone);
  }

  // What the file says of expressions: "8*s39" is at least 16.
  void LearnRanges() {
    for (const auto& [spelling, range] : graph_.ranges) {
      Sym node = BuildSize(spelling, bindings_, env_);
      if (!node || node->op == SymOp::kSymbol || node->IsConstant()) continue;
      if (range.min) env_.Learn(AtMost(env_.Integer(*range.min), node));
      if (range.max) env_.Learn(AtMost(node, env_.Integer(*range.max)));
    }
  }

 private:
  void Declare(const RecordedSize& size, std::string source, bool is_size, bool alone) {
    if (size.expression.empty()) return;
    std::optional<Expression> expression = ParseExpression(size.expression);
    if (!expression || expression->IsSymbol() != alone) return;
    for (const std::string& symbol : UnknownSymbols(*expression, bindings_.values)) {
      if (env_.FindSymbol(symbol) || bindings_.renamed.contains(symbol)) continue;
      auto hint = hints_.find(symbol);
      if (hint == hints_.end()) continue;
      const Range range = RangeOf(graph_, symbol, is_size, hint->second);
      // A hint outside of its range is none that PyTorch wrote; the range stands.
      if (range.Has(hint->second)) env_.NewSymbol(symbol, range, hint->second, source);
    }
  }

  const Graph& graph_;
  SymbolBindings& bindings_;
  const SymbolValues hints_;
  ShapeEnv& env_;
};

}  // namespace

SymbolValues RecordedHints(const Graph& graph, const std::vector<Slot>& slots) {
  SymbolBinder binder(graph);
  binder.BindHints(slots);
  return binder.values();
}

void DeclareSymbols(const Graph& graph, const std::vector<Slot>& slots, const std::vector<SpecSymbol>& symbols,
                    SymbolBindings& bindings, ShapeEnv& env) {
  Declarer declarer(graph, bindings, RecordedHints(graph, slots), env);
  declarer.DeclareSpec(symbols);
  for (const Slot& slot : slots) declarer.Bind(slot);
  for (bool alone : {true, false})
    for (const Slot& slot : slots) declarer.DeclareSlot(slot, alone);
  declarer.LearnRanges();
}

Sym BuildSize(std::string_view spelling, const SymbolBindings& bindings, ShapeEnv& env) {
  std::optional<Expression> expression = ParseExpression(spelling);
  return expression ? Build(PutIn(std::move(*expression), bindings), env, bindings.renamed) : nullptr;
}

}  // namespace fakeprop
