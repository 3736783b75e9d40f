#include "lib/inputs/declare.h"

#include <algorithm>

#include "lib/inputs/equate.h"
#include "lib/inputs/symbols.h"
#include "lib/symbolic/build.h"

namespace fakeprop {
namespace {

// The hints of symbols for which the spec gives none. They are odd and all different, so that they equal no other size.
constexpr int64_t kHints[] = {13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59};

// A size that the symbol may have: `wanted`, or one near it.
int64_t SizeNear(const SpecSymbol& symbol, int64_t wanted) {
  const int64_t max = symbol.max.value_or(INT64_MAX);
  int64_t size = wanted < symbol.min ? (symbol.min > INT64_MAX - wanted ? symbol.min : symbol.min + wanted) : wanted;
  size = std::min(size, max);
  size -= size % symbol.multiple;
  return size < symbol.min ? size + symbol.multiple : size;
}

bool IsSize(const SpecSymbol& symbol, int64_t size) {
  return size >= symbol.min && size <= symbol.max.value_or(INT64_MAX) && size % symbol.multiple == 0;
}

// The recorded range. A size was traced as at least 2, even if the user's Dim left a lower bound in the file
// (ShapeEnv.create_symbol). Numbers that are not sizes have the bounds of the file only.
Range RangeOf(const Graph& graph, const std::string& symbol, bool is_size, bool specializes) {
  Range range;
  if (auto recorded = graph.ranges.find(symbol); recorded != graph.ranges.end())
    range = {recorded->second.min.value_or(Range::kNoLow), recorded->second.max.value_or(Range::kNoHigh)};
  if (is_size && specializes) range.low = std::max<int64_t>(range.low, 2);
  else if (is_size) range.low = std::max<int64_t>(range.low, 0);
  return range;
}

class Declarer {
 public:
  Declarer(const Graph& graph, const SymbolDeclarations& declarations, SymbolBindings& bindings, SymbolValues hints,
      ShapeEnv& env)
      : graph_(graph), declarations_(declarations), bindings_(bindings), hints_(std::move(hints)), env_(env) {}

  void DeclareSpec(const std::vector<Slot>& slots) {
    for (size_t i = 0; i < declarations_.spec.symbols.size(); ++i) {
      const SpecSymbol& s = declarations_.spec.symbols[i];
      const int64_t hint = HintFor(s, i, slots);
      if (Merge(s.name, hint, {s.min, s.max.value_or(Range::kNoHigh)}, s.multiple)) continue;
      Sym symbol = env_.NewSymbol(
          s.name, {s.min, s.max.value_or(Range::kNoHigh)}, Overridden(s.name, hint), SourceOf(s.name, slots));
      env_.DeclareMultiple(symbol, s.multiple);
    }
  }

  // Sizes that are just a symbol come first: they become the symbol's source.
  void DeclareSlot(const Slot& slot, bool alone) {
    const std::string& name = slot.name;
    if (slot.entry && (slot.entry->shape || slot.entry->value)) return;
    if (slot.tensor) DeclareTensor(slot, alone);
    if (slot.number) Declare(slot.number->integer, name, false, alone);
  }

  // Also declares the open symbols of inputs whose sizes the spec gives.
  void DeclareAll(const Slot& slot) {
    for (bool alone : {true, false}) DeclareTensor(slot, alone);
  }

  // The range that the graph recorded for a symbol also holds if the spec declares the symbol.
  void HoldRanges(Equator& equator) {
    for (const SpecSymbol& s : declarations_.spec.symbols)
      if (Sym symbol = env_.FindSymbol(s.name)) equator.HoldRange(s.name, symbol, s.json);
  }

  // The ranges that the file gives for expressions, such as "8*s39" is at least 16. Those of symbols are set already.
  void LearnRanges() {
    for (const auto& [spelling, range] : graph_.ranges) {
      const std::optional<Expression> expression = ParseExpression(spelling);
      Sym node = expression && !expression->IsSymbol() ? BuildSize(spelling, bindings_, env_) : nullptr;
      if (!node || node->IsConstant()) continue;
      if (range.min) env_.Assume(AtMost(env_.Integer(*range.min), node));
      if (range.max) env_.Assume(AtMost(node, env_.Integer(*range.max)));
    }
  }

 private:
  void DeclareTensor(const Slot& slot, bool alone) {
    const std::string& name = slot.name;
    for (size_t d = 0; d < slot.tensor->sizes.size(); ++d)
      Declare(slot.tensor->sizes[d], name + ".size(" + std::to_string(d) + ")", true, alone);
    for (size_t d = 0; d < slot.tensor->strides.size(); ++d)
      Declare(slot.tensor->strides[d], name + ".stride(" + std::to_string(d) + ")", true, alone);
    Declare(slot.tensor->storage_offset, name + ".storage_offset()", false, alone);
  }

  void Declare(const RecordedSize& size, std::string source, bool is_size, bool alone) {
    if (size.expression.empty()) return;
    std::optional<Expression> expression = ParseExpression(size.expression);
    if (!expression || expression->IsSymbol() != alone) return;
    for (const std::string& symbol : UnknownSymbols(*expression, bindings_.values)) {
      if (env_.FindSymbol(symbol) || bindings_.renamed.contains(symbol)) continue;
      auto hint = hints_.find(symbol);
      if (hint == hints_.end()) continue;
      const Range range = RangeOf(graph_, symbol, is_size, declarations_.spec.specialize_zero_one && hint->second >= 2);
      // PyTorch writes no hint outside of the range, so such a symbol is not declared.
      if (!range.Has(hint->second) || Merge(symbol, hint->second, range, 1)) continue;
      Sym made = env_.NewSymbol(symbol, range, Overridden(symbol, hint->second), source);
      // PyTorch replaces equal symbols in the inputs too. So a symbol that inputs have keeps its name.
      env_.KeepName(made);
    }
  }

  // The spec's hint, else the one that follows from a recorded hint of a size over the symbol, else one of our own.
  int64_t HintFor(const SpecSymbol& symbol, size_t index, const std::vector<Slot>& slots) const {
    if (symbol.hint) return *symbol.hint;
    if (auto it = hints_.find(symbol.name); it != hints_.end() && IsSize(symbol, it->second)) return it->second;
    for (const Slot& slot : slots)
      for (size_t d = 0; d < DimensionsOf(slot); ++d)
        if (auto hint = RecordedHint(symbol.name, (*slot.entry->shape)[d], slot.tensor->sizes[d]);
            hint && IsSize(symbol, *hint))
          return *hint;
    return SizeNear(symbol, kHints[index % std::size(kHints)]);
  }

  // The dimensions that the spec and the graph both give. None if their ranks differ.
  static size_t DimensionsOf(const Slot& slot) {
    const bool both = slot.entry && slot.entry->shape && slot.tensor;
    return both && slot.entry->shape->size() == slot.tensor->sizes.size() ? slot.tensor->sizes.size() : 0;
  }

  static std::optional<int64_t> RecordedHint(
      const std::string& symbol, const SpecSize& given, const RecordedSize& recorded) {
    if (given.expression.empty() || recorded.expression.empty() || !recorded.hint) return std::nullopt;
    const std::optional<Expression> expression = ParseExpression(given.expression);
    if (!expression || UnknownSymbols(*expression, {}) != std::vector{symbol}) return std::nullopt;
    bool impossible = false;
    return SolveLinear(*expression, symbol, {}, *recorded.hint, impossible);
  }

  // The size that is just the spec's symbol: "x.size(0)".
  static std::string SourceOf(const std::string& symbol, const std::vector<Slot>& slots) {
    for (const Slot& slot : slots) {
      if (!slot.entry || !slot.entry->shape) continue;
      for (size_t d = 0; d < slot.entry->shape->size(); ++d)
        if ((*slot.entry->shape)[d].expression == symbol) return slot.name + ".size(" + std::to_string(d) + ")";
    }
    return "";
  }

  // With duck shaping, a symbol with the hint of an earlier symbol becomes that one. Both ranges hold for it.
  bool Merge(const std::string& symbol, int64_t hint, Range range, int64_t multiple) {
    if (!declarations_.spec.duck_shape) return false;
    const auto [it, is_new] = ducks_.emplace(hint, symbol);
    if (is_new) return false;
    Sym first = env_.FindSymbol(it->second);
    bindings_.renamed.emplace(symbol, first);
    if (range.low != Range::kNoLow) env_.Assume(AtMost(env_.Integer(range.low), first));
    if (range.high != Range::kNoHigh) env_.Assume(AtMost(first, env_.Integer(range.high)));
    if (multiple > 1) env_.Assume(Equal(Modulo(first, env_.Integer(multiple)), env_.Integer(0)));
    return true;
  }

  int64_t Overridden(const std::string& symbol, int64_t hint) const {
    auto it = declarations_.hints.find(symbol);
    return it == declarations_.hints.end() ? hint : it->second;
  }

  const Graph& graph_;
  const SymbolDeclarations& declarations_;
  SymbolBindings& bindings_;
  const SymbolValues hints_;
  std::map<int64_t, std::string> ducks_;  // with duck shaping, the symbol of each hint
  ShapeEnv& env_;
};

}  // namespace

SymbolValues RecordedHints(const Graph& graph, const std::vector<Slot>& slots) {
  SymbolBinder binder(graph);
  binder.BindHints(slots);
  return binder.values();
}

void DeclareSymbols(const Graph& graph, const std::vector<Slot>& slots, const SymbolDeclarations& declarations,
    SymbolBindings& bindings, ShapeEnv& env) {
  Declarer declarer(graph, declarations, bindings, RecordedHints(graph, slots), env);
  declarer.DeclareSpec(slots);
  Equator equator(graph, bindings, env);
  declarer.HoldRanges(equator);
  std::vector<const Slot*> open;
  for (const Slot& slot : slots)
    if (!equator.Equate(slot)) open.push_back(&slot);
  for (bool alone : {true, false})
    for (const Slot& slot : slots) declarer.DeclareSlot(slot, alone);
  for (const Slot* slot : open) {
    declarer.DeclareAll(*slot);
    equator.Equate(*slot);
  }
  declarer.LearnRanges();
}

Expression PutIn(Expression expression, const SymbolBindings& bindings) {
  if (auto value = bindings.values.find(expression.name); expression.IsSymbol() && value != bindings.values.end()) {
    Expression number;
    number.number = Number::Of(value->second);
    return number;
  }
  for (Expression& argument : expression.arguments) argument = PutIn(std::move(argument), bindings);
  return expression;
}

Sym BuildSize(std::string_view spelling, const SymbolBindings& bindings, ShapeEnv& env) {
  std::optional<Expression> expression = ParseExpression(spelling);
  return expression ? Build(PutIn(std::move(*expression), bindings), env, bindings.renamed) : nullptr;
}

}  // namespace fakeprop
