#include "lib/symbolic/shape_env.h"

#include <utility>

#include "lib/error/error.h"
#include "lib/symbolic/bounds.h"
#include "lib/symbolic/explain.h"

namespace fakeprop {
namespace {

thread_local ShapeEnv* current = nullptr;

}  // namespace

CurrentShapeEnv::CurrentShapeEnv(ShapeEnv* env) : saved_(current) { current = env; }
CurrentShapeEnv::~CurrentShapeEnv() { current = saved_; }

ScopedShapeEnvSettings::ScopedShapeEnvSettings(ShapeEnv& env, ShapeEnvSettings settings)
    : env_(env), saved_(std::exchange(env.settings_, std::move(settings))) {}
ScopedShapeEnvSettings::~ScopedShapeEnvSettings() { env_.settings_ = std::move(saved_); }

ShapeEnv* ShapeEnv::Current() { return current; }

Sym ShapeEnv::NewSymbol(std::string name, Range range, std::optional<int64_t> hint, std::string source, SymType type) {
  const int64_t index = symbols_.NextIndex();
  Sym symbol = arena_.Symbol(name, type, hint, index, uint64_t{1} << (index % 64));
  symbols_.Add({symbol, range, hint, std::move(source), !hint});
  names_.Add(std::move(name), symbol);
  facts_.Declare(symbol, range);
  return symbol;
}

Sym ShapeEnv::NewUnbacked(SymType type, Range range) {
  const auto* names = settings_.namer ? settings_.namer() : nullptr;
  return NewUnbacked(type, range, names ? *names : std::vector<std::string>());
}

Sym ShapeEnv::NewUnbacked(SymType type, Range range, const std::vector<std::string>& names) {
  // A bool is an integer that is 1, as PyTorch's unbacked bools are.
  if (type == SymType::kBool) range = {0, 1};
  const SymType stored = type == SymType::kFloat ? type : SymType::kInt;
  Sym symbol = NewSymbol(names_.Fresh(type, names), range, std::nullopt, std::string(settings_.place.node), stored);
  symbols_.InfoOf(symbol).place = settings_.place;
  return type == SymType::kBool ? Equal(symbol, Integer(1)) : symbol;
}

void ShapeEnv::DeclareMultiple(Sym symbol, int64_t of) {
  if (of <= 1) return;
  symbols_.InfoOf(symbol).multiple = of;
  Learn(Equal(Modulo(symbol, Integer(of)), Integer(0)));
}

std::optional<bool> ShapeEnv::Static(Sym condition) {
  if (condition->op == SymOp::kTruth) return condition->integer != 0;
  return facts_.Answer(condition, Reach::kQuestions);
}

std::optional<bool> ShapeEnv::StaticOrProven(Sym condition) {
  std::optional<bool> known = Static(condition);
  if (known) return known;
  known = prover_.Ask(condition);
  if (known) Learn(*known ? condition : Not(condition));
  return known;
}

// Without a hint the alternative is an error. So equalities count that PyTorch does not use.
std::optional<bool> ShapeEnv::DecideOrFail(Sym condition) {
  const std::optional<bool> known = StaticOrProven(condition);
  return known || condition->hint ? known : facts_.Answer(condition, Reach::kErrors);
}

bool ShapeEnv::Guard(Sym condition) {
  if (auto known = DecideOrFail(condition)) return *known;
  if (!condition->hint) FailGuard(condition);
  const bool truth = condition->hint->Truth();
  Sym holds = CancelFactors(facts_.ranges(), truth ? condition : Not(condition));
  guards_.Record({.expression = holds, .place = place()});
  Learn(holds);
  return truth;
}

bool ShapeEnv::GuardOr(Sym condition, bool otherwise) {
  if (auto known = StaticOrProven(condition)) return *known;
  return condition->hint ? Guard(condition) : otherwise;
}

bool ShapeEnv::Expect(Sym condition) {
  if (auto known = DecideOrFail(condition)) return *known;
  if (condition->hint) return Guard(condition);
  guards_.Record({.expression = condition, .place = place(), .is_assertion = true});
  Learn(condition);
  return true;
}

SymNumber ShapeEnv::Specialize(Sym value) {
  Sym known = facts_.Substitute(value, Reach::kQuestions);
  if (known->IsConstant()) return *known->hint;
  if (value->type == SymType::kInt)
    if (Range range = RangeOf(known); range.IsPoint()) return SymNumber::Of(range.low);
  if (!value->hint) FailGuard(Equal(value, value->type == SymType::kBool ? Truth(true) : Integer(0)));
  const SymNumber number = *value->hint;
  Guard(Equal(value, Constant(number)));
  return number;
}

void ShapeEnv::Assume(Sym condition) {
  if (Static(condition) == true) return;
  guards_.Record({.expression = condition, .place = place(), .is_declared = true});
  Learn(condition);
}

void ShapeEnv::Learn(Sym condition) {
  if (Sym contradicting = facts_.Learn(condition))
    Fail(ErrorClass::kAssertionFailed, DescribeContradiction(contradicting));
}

std::string ShapeEnv::DescribeContradiction(Sym condition) const {
  return Explainer(symbols_, guards_, settings_.describer).Contradiction(condition);
}

void ShapeEnv::FailGuard(Sym condition) {
  Fail(ErrorClass::kDataDependentGuard, Explainer(symbols_, guards_, settings_.describer).DataDependence(condition));
}

}  // namespace fakeprop
