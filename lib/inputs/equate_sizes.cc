#include "lib/inputs/equate_sizes.h"

#include "lib/error/error.h"
#include "lib/inputs/input_codes.h"

namespace fakeprop {

bool SizeEquator::Equate(const Slot& slot) {
  if (!slot.entry || !slot.entry->shape || !slot.tensor || slot.tensor->sizes.size() != slot.entry->shape->size())
    return true;
  bool done = true;
  for (size_t d = 0; d < slot.tensor->sizes.size(); ++d) {
    const SpecSize& given = (*slot.entry->shape)[d];
    const std::string_view recorded = slot.tensor->sizes[d].expression;
    if (!recorded.empty() && !given.expression.empty())
      done &= EquateSize(recorded, given, "dimension " + std::to_string(d) + " of " + Quote(slot.label));
  }
  return done;
}

bool SizeEquator::EquateSize(std::string_view spelling, const SpecSize& given, const std::string& what) {
  std::optional<Expression> recorded = ParseExpression(spelling);
  if (!recorded) return true;
  Sym size = TryBuild(given.expression);
  if (!size) return false;  // a symbol is not declared, yet or at all; making the size reports it
  if (size->type != SymType::kInt) return true;
  std::vector<std::string> open;
  for (const std::string& symbol : UnknownSymbols(*recorded, meanings_.numbers))
    if (!meanings_.expressions.contains(symbol) && !env_.FindSymbol(symbol)) open.push_back(symbol);
  if (open.size() == 1) {
    if (Sym is = Solve(*recorded, open[0], size, given, what)) {
      meanings_.expressions.emplace(open[0], is);
      origins_.emplace(open[0], Quote(open[0]) + " is " + Quote(ToString(is)) + " by " + what);
      AssumeRange(open[0], is, given.json);
      return true;
    }
  }
  if (!open.empty()) return false;
  Sym is = TryBuild(spelling);
  if (is)
    Assume(Equal(is, size), given.json,
        what + " is " + Quote(given.expression) + " but the graph recorded " + Quote(ToString(*recorded)) +
            Origins(*recorded));
  return true;
}

// Null if the expression has no value. Making the size reports that.
Sym SizeEquator::TryBuild(std::string_view spelling) const {
  try {
    return BuildSize(spelling, meanings_, env_);
  } catch (const OpError&) {
    return nullptr;
  }
}

// If recorded is step * symbol + rest, the symbol is (given - rest) / step. Null for any other form.
Sym SizeEquator::Solve(
    const Expression& recorded, const std::string& symbol, Sym given, const SpecSize& at, const std::string& what) {
  Sym sample[3];
  for (int64_t i = 0; i < 3; ++i) {
    Renamed with = meanings_.expressions;
    with[symbol] = env_.Integer(i + 1);
    sample[i] = Build(PutInNumbers(recorded, meanings_.numbers), env_, with);
    if (!sample[i] || sample[i]->type != SymType::kInt) return nullptr;
  }
  Sym step = Subtract(sample[1], sample[0]);
  if (!step->IsInteger() || step->integer == 0 || Subtract(sample[2], sample[1]) != step) return nullptr;
  Sym multiple = Subtract(given, Subtract(sample[0], step));
  if (step->integer < 0) multiple = Scale(multiple, -1), step = Scale(step, -1);
  if (step->integer != 1)
    Assume(Equal(Modulo(multiple, step), env_.Integer(0)), at.json,
        what + " is " + Quote(at.expression) + " but the graph recorded " + Quote(ToString(recorded)));
  return FloorDivide(multiple, step);
}

// Export writes a lower bound of 2 for every size. Like PyTorch, we do not enforce it
// (torch/_export/utils.py, _check_input_constraints_for_graph).
void SizeEquator::AssumeRange(const std::string& symbol, Sym is, JsonValue at) {
  auto recorded = graph_.ranges.find(symbol);
  if (recorded == graph_.ranges.end()) return;
  const std::string why = Quote(symbol) + " of the graph is " + Quote(ToString(is)) + " here";
  if (auto min = recorded->second.min; min && *min > 2) Assume(AtMost(env_.Integer(*min), is), at, why);
  if (auto max = recorded->second.max) Assume(AtMost(is, env_.Integer(*max)), at, why);
}

// A condition that can't hold, or that the hints do not satisfy, is a mistake in the spec.
void SizeEquator::Assume(Sym condition, JsonValue at, const std::string& why) {
  try {
    const std::optional<bool> known = env_.Static(condition);
    if (known == false || (!known && condition->hint && !condition->hint->Truth()))
      throw SpecError(kConflictingSymbol, at,
          why + ": " + Quote(ToString(condition)) +
              (known ? " cannot hold" : " does not hold for the hints of its symbols"));
    env_.Assume(condition);
  } catch (const OpError& error) {
    throw SpecError(kConflictingSymbol, at, why + ": " + error.message());
  }
}

std::string SizeEquator::Origins(const Expression& recorded) const {
  std::string text;
  for (const std::string& symbol : UnknownSymbols(recorded, {})) {
    if (auto it = origins_.find(symbol); it != origins_.end()) text += ", and " + it->second;
    else if (auto value = meanings_.numbers.find(symbol); value != meanings_.numbers.end())
      text += ", and " + Quote(symbol) + " is " + std::to_string(value->second) + " by the spec's numbers";
  }
  return text;
}

}  // namespace fakeprop
