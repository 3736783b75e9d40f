#include "lib/rules/support/symbolic_number.h"

namespace fakeprop::rules {

Sym ExpressionOf(const Value& value) {
  if (auto s = value.TryGet<Symbolic>()) return s->expression;
  auto d = value.TryGet<Dim>();
  return d && d->IsSymbolic() ? d->Expression() : nullptr;
}

Sym NodeOf(const Value& value, ShapeEnv& env) {
  if (Sym expression = ExpressionOf(value)) return expression;
  if (auto d = value.TryGet<Dim>()) return env.Integer(d->raw());
  if (auto b = value.TryGet<bool>()) return env.Truth(*b);
  auto f = value.TryGet<double>();
  return f ? env.Constant(SymNumber::Of(*f)) : nullptr;
}

}  // namespace fakeprop::rules
