#include "lib/inputs/declare_symbols.h"

#include <algorithm>

#include "lib/inputs/choose_hint.h"
#include "lib/inputs/equate_sizes.h"
#include "lib/inputs/input_codes.h"
#include "lib/inputs/solve_symbols.h"

namespace fakeprop {
namespace {

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

// "u0": an unbacked integer of PyTorch's ShapeEnv.
bool IsUnbacked(std::string_view symbol) {
  return symbol.size() > 1 && symbol[0] == 'u' &&
         std::all_of(symbol.begin() + 1, symbol.end(), [](char c) { return c >= '0' && c <= '9'; });
}

class Declarer {
 public:
  Declarer(const Graph& graph, const SymbolDeclarations& declarations, SymbolMeanings& meanings, SymbolValues hints,
      ShapeEnv& env)
      : graph_(graph), declarations_(declarations), meanings_(meanings), hints_(std::move(hints)), env_(env) {}

  void DeclareSpec(const std::vector<Slot>& slots) {
    for (size_t i = 0; i < declarations_.spec.symbols.size(); ++i) {
      SpecSymbol s = declarations_.spec.symbols[i];
      TakeRecordedBounds(s, slots);
      const Range range{s.min, s.max.value_or(Range::kNoHigh)};
      if (s.is_unbacked && declarations_.unbacked == UnbackedInputs::kKept) {
        env_.DeclareMultiple(env_.NewSymbol(s.name, range, std::nullopt, SourceOf(s.name, slots)), s.multiple);
        continue;
      }
      const int64_t hint = ChooseHint(s, i, hints_, slots);
      if (Merge(s.name, hint, range, s.multiple)) continue;
      Sym symbol = env_.NewSymbol(s.name, range, Overridden(s.name, hint), SourceOf(s.name, slots));
      env_.DeclareMultiple(symbol, s.multiple);
    }
  }

  // The recorded symbols of inputs whose sizes the spec does not give.
  void DeclareRecorded(const std::vector<Slot>& slots) {
    for (Form form : kForms)
      for (const Slot& slot : slots)
        if (!slot.entry || (!slot.entry->shape && !slot.entry->value)) DeclareSlot(slot, form);
  }

  // The recorded symbols of one tensor, even if the spec gives its sizes.
  void DeclareAllOf(const Slot& slot) {
    for (Form form : kForms) DeclareTensor(slot, form);
  }

  // The range that the graph recorded for a symbol also holds if the spec declares the symbol.
  void AssumeRanges(SizeEquator& equator) {
    for (const SpecSymbol& s : declarations_.spec.symbols)
      if (Sym symbol = env_.FindSymbol(s.name)) equator.AssumeRange(s.name, symbol, s.json);
  }

  // The ranges that the file gives for expressions, such as "8*s39" is at least 16. Those of symbols are set already.
  void AssumeExpressionRanges() {
    for (const auto& [spelling, range] : graph_.ranges) {
      const std::optional<Expression> expression = ParseExpression(spelling);
      Sym node = expression && !expression->IsSymbol() ? BuildSize(spelling, meanings_, env_) : nullptr;
      if (!node || node->IsConstant()) continue;
      if (range.min) env_.Assume(AtMost(env_.Integer(*range.min), node));
      if (range.max) env_.Assume(AtMost(node, env_.Integer(*range.max)));
    }
  }

 private:
  // Sizes that are just a symbol come first: they become the symbol's source.
  enum class Form { kSymbol, kExpression };
  static constexpr Form kForms[] = {Form::kSymbol, Form::kExpression};

  void DeclareSlot(const Slot& slot, Form form) {
    if (slot.tensor) DeclareTensor(slot, form);
    if (slot.number) Declare(slot.number->integer, slot.name, false, form);
  }

  void DeclareTensor(const Slot& slot, Form form) {
    const std::string& name = slot.name;
    for (size_t d = 0; d < slot.tensor->sizes.size(); ++d)
      Declare(slot.tensor->sizes[d], name + ".size(" + std::to_string(d) + ")", true, form);
    for (size_t d = 0; d < slot.tensor->strides.size(); ++d)
      Declare(slot.tensor->strides[d], name + ".stride(" + std::to_string(d) + ")", true, form);
    Declare(slot.tensor->storage_offset, name + ".storage_offset()", false, form);
  }

  void Declare(const RecordedSize& size, std::string source, bool is_size, Form form) {
    if (size.expression.empty()) return;
    std::optional<Expression> expression = ParseExpression(size.expression);
    if (!expression || expression->IsSymbol() != (form == Form::kSymbol)) return;
    for (const std::string& symbol : UnknownSymbols(*expression, meanings_.numbers)) {
      if (env_.FindSymbol(symbol) || meanings_.Has(symbol)) continue;
      auto hint = hints_.find(symbol);
      if (hint == hints_.end()) {
        if (IsUnbacked(symbol)) DeclareUnbacked(symbol, RangeOf(graph_, symbol, is_size, false), source);
        continue;
      }
      const Range range = RangeOf(graph_, symbol, is_size, declarations_.spec.specialize_zero_one && hint->second >= 2);
      // PyTorch writes no hint outside of the range, so such a symbol is not declared.
      if (!range.Has(hint->second) || Merge(symbol, hint->second, range, 1)) continue;
      Sym made = env_.NewSymbol(symbol, range, Overridden(symbol, hint->second), source);
      // PyTorch replaces equal symbols in the inputs too. So a symbol that inputs have keeps its name.
      env_.KeepName(made);
    }
  }

  // A dimension of torch.export's ShapesSpec. The file has only its range.
  void DeclareUnbacked(const std::string& symbol, Range range, std::string source) {
    std::optional<int64_t> hint;
    if (declarations_.unbacked == UnbackedInputs::kBacked) {
      const SpecSymbol like{.name = symbol, .min = std::max<int64_t>(range.low, 0), .max = range.high};
      hint = Overridden(symbol, ChooseHint(like, backed_++, {}, {}));
    }
    env_.KeepName(env_.NewSymbol(symbol, range, hint, std::move(source)));
  }

  // If a dimension is one symbol in the spec and one in the file, a bound that the spec leaves out is the file's. A
  // bound beyond the file's is a mistake, because the exported program refuses such sizes.
  void TakeRecordedBounds(SpecSymbol& s, const std::vector<Slot>& slots) const {
    for (const Slot& slot : slots) {
      for (size_t d = 0; d < DimensionsOf(slot); ++d) {
        const std::string recorded(slot.tensor->sizes[d].expression);
        const std::optional<Expression> expression = ParseExpression(recorded);
        if ((*slot.entry->shape)[d].expression != s.name || !expression || !expression->IsSymbol()) continue;
        if (auto range = graph_.ranges.find(expression->name); range != graph_.ranges.end())
          TakeBounds(s, range->second,
              Quote(expression->name) + ", dimension " + std::to_string(d) + " of " + Quote(slot.label));
      }
    }
  }

  // Export writes a lower bound of 2 for every size. Like PyTorch, we do not enforce it.
  void TakeBounds(SpecSymbol& s, const SymbolRange& recorded, const std::string& what) const {
    const std::string here = Quote(s.name) + " stands for " + what + ", and ";
    if (recorded.min && (*recorded.min > 2 || (!s.has_min && declarations_.spec.specialize_zero_one))) {
      if (s.has_min && s.min < *recorded.min)
        throw SpecError(kConflictingSymbol, s.json.Get("min"),
            here + "the graph takes at least " + std::to_string(*recorded.min) + " there, not " +
                std::to_string(s.min));
      s.min = std::max(s.min, *recorded.min);
    }
    if (!recorded.max) return;
    if (s.max && *s.max > *recorded.max)
      throw SpecError(kConflictingSymbol, s.json.Get("max"),
          here + "the graph takes at most " + std::to_string(*recorded.max) + " there, not " + std::to_string(*s.max));
    if (!s.max) s.max = recorded.max;
    if (s.hint && (*s.hint < s.min || *s.hint > *s.max))
      throw SpecError(kConflictingSymbol, s.json.Get("hint"),
          here + "the graph takes from " + std::to_string(s.min) + " to " + std::to_string(*s.max) + " there, not " +
              std::to_string(*s.hint));
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
    meanings_.expressions.emplace(symbol, first);
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
  SymbolMeanings& meanings_;
  const SymbolValues hints_;
  size_t backed_ = 0;                     // symbols without a recorded hint that got one
  std::map<int64_t, std::string> ducks_;  // with duck shaping, the symbol of each hint
  ShapeEnv& env_;
};

}  // namespace

void DeclareSymbols(const Graph& graph, const std::vector<Slot>& slots, const SymbolDeclarations& declarations,
    SymbolMeanings& meanings, ShapeEnv& env) {
  Declarer declarer(graph, declarations, meanings, SolveHints(slots), env);
  declarer.DeclareSpec(slots);
  SizeEquator equator(graph, meanings, env);
  declarer.AssumeRanges(equator);
  std::vector<const Slot*> open;  // a symbol of theirs has no meaning yet
  for (const Slot& slot : slots)
    if (!equator.Equate(slot)) open.push_back(&slot);
  declarer.DeclareRecorded(slots);
  for (const Slot* slot : open) {
    declarer.DeclareAllOf(*slot);
    equator.Equate(*slot);
  }
  declarer.AssumeExpressionRanges();
}

}  // namespace fakeprop
