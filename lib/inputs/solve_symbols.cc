#include "lib/inputs/solve_symbols.h"

#include <map>
#include <string_view>

#include "lib/inputs/input_codes.h"
#include "lib/symbolic/range.h"

namespace fakeprop {
namespace {

class SymbolSolver {
 public:
  void SolveSpec(const Graph& graph, const std::vector<Slot>& slots);
  void SolveHints(const std::vector<Slot>& slots);

  SymbolValues TakeValues() { return std::move(values_); }

 private:
  struct Equation {
    Expression expression;
    int64_t number;
    JsonValue json;
    std::string what;
  };

  void AddTensor(const Slot& slot);
  void AddNumber(const Slot& slot);
  // Adds the equation of a size that the graph recorded as `expression` and the spec gives as `number`, at `json`.
  // Messages call the size `what`, such as "dimension 0 of `x`".
  void Add(std::string_view expression, int64_t number, JsonValue json, std::string what);
  void Solve();
  bool SolveFor(const Equation& equation);
  void CheckEquation(const Equation& equation) const;
  void CheckRange(std::string_view spelling, const SymbolRange& range) const;
  // For messages: "`s77` is 4 by dimension 0 of `x`".
  std::string Explain(const Expression& expression) const;

  std::vector<Equation> equations_;
  bool hints_only_ = false;  // the numbers are hints, not the user's: contradictions are ignored
  SymbolValues values_;
  std::map<std::string, const Equation*, std::less<>> sources_;  // the equation that gave a symbol its value
};

void SymbolSolver::SolveSpec(const Graph& graph, const std::vector<Slot>& slots) {
  for (const Slot& slot : slots) {
    if (slot.entry && slot.tensor) AddTensor(slot);
    if (slot.entry && slot.number) AddNumber(slot);
  }
  Solve();
  for (const Equation& equation : equations_) CheckEquation(equation);
  for (const auto& [spelling, range] : graph.ranges) CheckRange(spelling, range);
}

void SymbolSolver::SolveHints(const std::vector<Slot>& slots) {
  auto add = [&](const RecordedSize& size) {
    if (!size.expression.empty() && size.hint) Add(size.expression, *size.hint, JsonValue(nullptr, 0), "");
  };
  for (const Slot& slot : slots) {
    if (slot.tensor) ForEachSize(*slot.tensor, add);
    if (slot.number) add(slot.number->integer);
  }
  hints_only_ = true;
  Solve();
}

// A shape of another rank says nothing about the symbols. Propagation finds out if it works.
void SymbolSolver::AddTensor(const Slot& slot) {
  const std::vector<RecordedSize>& sizes = slot.tensor->sizes;
  if (!slot.entry->shape || slot.entry->shape->size() != sizes.size()) return;
  JsonValue shape = slot.entry->json.Get("shape");
  JsonValue::Iterator json = shape.begin();
  for (size_t i = 0; i < sizes.size(); ++i, ++json)
    if (!sizes[i].expression.empty() && (*slot.entry->shape)[i].expression.empty())
      Add(sizes[i].expression, (*slot.entry->shape)[i].number, *json,
          "dimension " + std::to_string(i) + " of " + Quote(slot.label));
}

void SymbolSolver::AddNumber(const Slot& slot) {
  bool is_integer = slot.number->kind == RecordedNumber::Kind::kInt;
  if (is_integer && slot.entry->value && slot.entry->value->kind() != JsonKind::kString &&
      !slot.number->integer.expression.empty())
    Add(slot.number->integer.expression, slot.entry->value->AsInt(), *slot.entry->value, Quote(slot.label));
}

void SymbolSolver::Add(std::string_view expression, int64_t number, JsonValue json, std::string what) {
  std::optional<Expression> parsed = ParseExpression(expression);
  if (parsed) equations_.push_back({std::move(*parsed), number, json, std::move(what)});
}

void SymbolSolver::Solve() {
  for (bool progress = true; progress;) {
    progress = false;
    // Plain symbols come first, since messages about the others refer to their values.
    for (const Equation& equation : equations_) progress |= equation.expression.IsSymbol() && SolveFor(equation);
    for (const Equation& equation : equations_) progress |= SolveFor(equation);
  }
}

bool SymbolSolver::SolveFor(const Equation& equation) {
  std::vector<std::string> unknown = UnknownSymbols(equation.expression, values_);
  if (unknown.size() != 1) return false;
  bool impossible = false;
  std::optional<int64_t> value = SolveLinear(equation.expression, unknown[0], values_, equation.number, impossible);
  if (impossible && hints_only_) return false;
  if (impossible)
    throw SpecError(kConflictingSymbol, equation.json,
        equation.what + " is " + std::to_string(equation.number) + " but the graph recorded " +
            Quote(ToString(equation.expression)) + ", which is that for no " + Quote(unknown[0]));
  if (!value) return false;
  values_[unknown[0]] = *value;
  sources_[unknown[0]] = &equation;
  return true;
}

void SymbolSolver::CheckEquation(const Equation& equation) const {
  std::optional<Number> value = Evaluate(equation.expression, values_);
  if (!value || value->AsInteger() == equation.number) return;
  throw SpecError(kConflictingSymbol, equation.json,
      equation.what + " is " + std::to_string(equation.number) + " but the graph recorded " +
          Quote(ToString(equation.expression)) + ", and " + Explain(equation.expression));
}

void SymbolSolver::CheckRange(std::string_view spelling, const SymbolRange& range) const {
  std::optional<Expression> expression = ParseExpression(spelling);
  std::optional<Number> number = expression ? Evaluate(*expression, values_) : std::nullopt;
  if (!number || !number->AsInteger()) return;
  int64_t value = *number->AsInteger();
  // Export writes a lower bound of 2 for every size. Like PyTorch, we do not enforce it
  // (torch/_export/utils.py, _check_input_constraints_for_graph).
  Range checked{range.min.value_or(Range::kNoLow), range.max.value_or(Range::kNoHigh)};
  if (checked.low <= 2) checked.low = Range::kNoLow;
  if (checked.Has(value)) return;
  for (const auto& [symbol, source] : sources_) {
    SymbolValues others = values_;
    others.erase(symbol);
    if (!UnknownSymbols(*expression, others).empty())
      throw SpecError(kConflictingSymbol, source->json,
          Explain(*expression) + ", which makes " + Quote(ToString(*expression)) + " " + std::to_string(value) +
              "; the graph wants it " + InWords(checked));
  }
}

std::string SymbolSolver::Explain(const Expression& expression) const {
  std::string text;
  for (const std::string& symbol : UnknownSymbols(expression, {}))
    if (auto source = sources_.find(symbol); source != sources_.end())
      text += (text.empty() ? "" : ", ") + Quote(symbol) + " is " + std::to_string(values_.at(symbol)) + " by " +
              source->second->what;
  return text;
}

}  // namespace

SymbolValues SolveSymbols(const Graph& graph, const std::vector<Slot>& slots) {
  SymbolSolver solver;
  solver.SolveSpec(graph, slots);
  return solver.TakeValues();
}

SymbolValues SolveHints(const std::vector<Slot>& slots) {
  SymbolSolver solver;
  solver.SolveHints(slots);
  return solver.TakeValues();
}

std::optional<int64_t> SolveLinear(
    const Expression& expression, const std::string& symbol, SymbolValues values, int64_t number, bool& impossible) {
  std::optional<int64_t> at[4];
  for (int64_t x = 1; x <= 3; ++x) {
    values[symbol] = x;
    std::optional<Number> y = Evaluate(expression, values);
    at[x] = y ? y->AsInteger() : std::nullopt;
    if (!at[x]) return std::nullopt;
  }
  __int128 step = static_cast<__int128>(*at[2]) - *at[1];
  __int128 distance = static_cast<__int128>(number) - *at[1];
  if (step == 0 || static_cast<__int128>(*at[3]) - *at[2] != step) return std::nullopt;
  impossible = distance % step != 0;
  if (impossible) return std::nullopt;
  int64_t solution = static_cast<int64_t>(1 + distance / step);
  values[symbol] = solution;
  std::optional<Number> y = Evaluate(expression, values);
  return y && y->AsInteger() == number ? std::optional(solution) : std::nullopt;
}

}  // namespace fakeprop
