#include "lib/inputs/assumptions.h"

#include <algorithm>

#include "lib/error/error.h"
#include "lib/inputs/input_codes.h"
#include "lib/json/json_parse.h"
#include "lib/symbolic/polynomial.h"

namespace fakeprop {
namespace {

std::string Spell(const SpecAssumption& assumption) { return Quote(assumption.json.AsString()); }

Sym TryBuild(const SpecAssumption& assumption, const SymbolMeanings& meanings, ShapeEnv& env) {
  try {
    return Build(PutInNumbers(assumption.expression, meanings.numbers), env, meanings.expressions);
  } catch (const OpError& error) {
    throw SpecError(kInvalidSpecValue, assumption.json, Spell(assumption) + " has no value: " + error.message());
  }
}

Sym BuildAssumption(const SpecAssumption& assumption, const SymbolMeanings& meanings, ShapeEnv& env) {
  Sym condition = TryBuild(assumption, meanings, env);
  if (!condition)
    throw SpecError(kUnknownSpecName, assumption.json,
        Spell(assumption) + " names a symbol or a function that is not known here",
        SuggestSymbol(assumption.expression, meanings, env));
  if (condition->type != SymType::kBool)
    throw SpecError(kInvalidSpecValue, assumption.json,
        Spell(assumption) + " is a number: an assumption is a condition, such as `batch % 2 == 0`");
  return condition;
}

// Looks for values of symbols such that all conditions hold, near the symbols' hints.
class HintSearch {
 public:
  HintSearch(
      const std::vector<Sym>& conditions, std::vector<const SymbolInfo*> symbols, const std::vector<SpecSymbol>& spec)
      : symbols_(std::move(symbols)), spec_(spec) {
    for (Sym condition : conditions)
      if (std::optional<Expression> read = ParseExpression(ToString(condition)))
        conditions_.push_back(std::move(*read));
  }

  SymbolValues Find() { return Fill(0) ? found_ : SymbolValues(); }

 private:
  // Gives values to the symbols from this one on.
  bool Fill(size_t index) {
    if (index == symbols_.size()) return AllHold();
    const SymbolInfo& symbol = *symbols_[index];
    for (int64_t value : CandidatesOf(symbol)) {
      if (++steps_ > kMostSteps) break;
      found_[symbol.node->name] = value;
      if (IsOpen() && Fill(index + 1)) return true;
    }
    found_.erase(symbol.node->name);
    return false;
  }

  bool AllHold() const {
    return std::all_of(conditions_.begin(), conditions_.end(), [&](const Expression& condition) {
      const std::optional<Number> value = Evaluate(condition, found_);
      return value && value->real != 0;
    });
  }

  // No condition is violated whose symbols all have values.
  bool IsOpen() const {
    return std::none_of(conditions_.begin(), conditions_.end(), [&](const Expression& condition) {
      const std::optional<Number> value = Evaluate(condition, found_);
      return value && value->real == 0;
    });
  }

  // The hint, the values of other symbols, sizes around the hint, the least sizes.
  std::vector<int64_t> CandidatesOf(const SymbolInfo& symbol) const {
    if (IsGiven(symbol)) return {*symbol.hint};
    std::vector<int64_t> all = {*symbol.hint};
    for (const auto& [name, value] : found_) all.push_back(value);
    const int64_t low = symbol.range.low == Range::kNoLow ? 0 : symbol.range.low;
    constexpr int64_t kReach = 1024;
    for (int64_t distance = 1; distance <= kReach; ++distance) all.push_back(*symbol.hint + distance);
    for (int64_t distance = 0; distance <= kReach; ++distance) all.push_back(low + distance);
    std::erase_if(all, [&](int64_t value) { return !symbol.range.Has(value) || value % symbol.multiple != 0; });
    return all;
  }

  bool IsGiven(const SymbolInfo& symbol) const {
    return std::any_of(spec_.begin(), spec_.end(),
        [&](const SpecSymbol& given) { return given.name == symbol.node->name && given.hint; });
  }

  static constexpr int kMostSteps = 100'000;
  std::vector<Expression> conditions_;
  std::vector<const SymbolInfo*> symbols_;
  const std::vector<SpecSymbol>& spec_;
  SymbolValues found_;
  int steps_ = 0;
};

bool HasHints(Sym condition) { return condition->hint.has_value(); }

// Those that a condition is about.
std::vector<const SymbolInfo*> SymbolsOf(const std::vector<Sym>& conditions, const ShapeEnv& env) {
  std::vector<const SymbolInfo*> symbols;
  for (const SymbolInfo& symbol : env.symbols())
    if (std::any_of(conditions.begin(), conditions.end(), [&](Sym c) { return Contains(c, symbol.node); }))
      symbols.push_back(&symbol);
  return symbols;
}

std::string HintsText(Sym condition, const ShapeEnv& env) {
  std::string text;
  for (const SymbolInfo* symbol : SymbolsOf({condition}, env))
    if (symbol->hint) text += (text.empty() ? "" : ", ") + symbol->node->name + " = " + std::to_string(*symbol->hint);
  return text;
}

}  // namespace

SymbolValues FitHints(const SpecSymbols& spec, const SymbolMeanings& meanings, ShapeEnv& env) {
  std::vector<Sym> conditions;
  for (const SpecAssumption& assumption : spec.assumptions)
    conditions.push_back(BuildAssumption(assumption, meanings, env));
  for (const GuardRecord& guard : env.guards()) conditions.push_back(guard.expression);
  std::erase_if(conditions, [](Sym condition) { return !HasHints(condition); });
  const bool hold = std::all_of(conditions.begin(), conditions.end(), [](Sym c) { return c->hint->Truth(); });
  return hold ? SymbolValues() : HintSearch(conditions, SymbolsOf(conditions, env), spec.symbols).Find();
}

std::vector<Sym> AssumptionsOf(std::string_view spec_text, ShapeEnv& env) {
  std::vector<Sym> conditions;
  if (spec_text.empty()) return conditions;
  const JsonTree tree = ParseJson(spec_text);
  for (const SpecAssumption& assumption : ReadSpecSymbols(tree.root()).assumptions)
    if (Sym condition = Build(assumption.expression, env)) conditions.push_back(condition);
  return conditions;
}

void TakeAssumptions(const SpecSymbols& spec, const SymbolMeanings& meanings, ShapeEnv& env) {
  for (const SpecAssumption& assumption : spec.assumptions) {
    Sym condition = BuildAssumption(assumption, meanings, env);
    const std::optional<bool> known = env.Static(condition);
    if (known == false)
      throw SpecError(kConflictingSymbol, assumption.json,
          Spell(assumption) + " cannot hold for the sizes and ranges of the graph and the spec");
    if (!known && condition->hint && !condition->hint->Truth())
      throw SpecError(kConflictingSymbol, assumption.json,
          Spell(assumption) + " does not hold for the hints: " + HintsText(condition, env),
          "give these symbols a `hint` for which it holds");
    try {
      env.Assume(condition);
    } catch (const OpError& error) {
      throw SpecError(kConflictingSymbol, assumption.json, Spell(assumption) + " cannot hold: " + error.message());
    }
  }
}

}  // namespace fakeprop
