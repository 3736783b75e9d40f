#include "lib/python/python_expression.h"

#include "lib/error/error.h"
#include "lib/python/expression_nodes.h"
#include "lib/python/python.h"

namespace fakeprop::expression {
namespace {

std::vector<Value> ItemsOf(Python& python, const Value& value) {
  return python.Call("builtins.list", {value}).TryList()->items;
}

void EvaluateInto(std::vector<Value>& values, const Tree& node, Python& python, const Bindings& names) {
  Value value = node->Evaluate(python, names);
  if (!dynamic_cast<const Starred*>(node.get())) return values.push_back(std::move(value));
  for (const Value& item : value.TryList()->items) values.push_back(item);
}

bool IsEqual(Python& python, const Value& left, const Value& right) {
  if (left.IsNumber() && right.IsNumber()) return python.Truth(python.Call("_operator.eq", {left, right}));
  const List *a = left.TryList(), *b = right.TryList();
  if (a && b) {
    bool is_equal = a->items.size() == b->items.size();
    for (size_t i = 0; is_equal && i < a->items.size(); ++i) is_equal = IsEqual(python, a->items[i], b->items[i]);
    return is_equal;
  }
  return left.variant().index() == right.variant().index() && ToString(left) == ToString(right);
}

bool IsIn(Python& python, const Value& value, const Value& values) {
  for (const Value& item : ItemsOf(python, values))
    if (IsEqual(python, value, item)) return true;
  return false;
}

bool IsSame(const Value& left, const Value& right) {
  if (left.TryTensor() || right.TryTensor()) return left.TryTensor() == right.TryTensor();
  return left.variant().index() == right.variant().index() && ToString(left) == ToString(right);
}

bool Holds(const Comparison::Step& step, Python& python, const Value& left, const Value& right) {
  switch (step.kind) {
    case Comparison::Kind::kSame: return IsSame(left, right) != step.negated;
    case Comparison::Kind::kEqual: return IsEqual(python, left, right) != step.negated;
    case Comparison::Kind::kIn: return IsIn(python, left, right) != step.negated;
    case Comparison::Kind::kOrder: break;
  }
  return python.Truth(python.Call(step.function, {left, right}));
}

}  // namespace

Value Starred::Evaluate(Python& python, const Bindings& names) const {
  return List{ItemsOf(python, of->Evaluate(python, names)), false};
}

Value Items::Evaluate(Python& python, const Bindings& names) const {
  List list;
  list.is_tuple = is_tuple;
  for (const Tree& item : items) EvaluateInto(list.items, item, python, names);
  return list;
}

Value CallExpression::Evaluate(Python& python, const Bindings& names) const {
  PythonArguments given;
  for (const Tree& item : arguments.positional) EvaluateInto(given.positional, item, python, names);
  for (const auto& [name, item] : arguments.keywords) given.keywords.emplace_back(name, item->Evaluate(python, names));
  if (rule) return rule->Run(python, std::move(given));
  if (!is_method) return python.Call(function, std::move(given));
  const PythonFunction* method = FindPythonMethod(function);
  return method->Run(python, std::move(given));
}

Value AttributeOf::Evaluate(Python& python, const Bindings& names) const {
  return python.Call("builtins.getattr", {of->Evaluate(python, names), Value(name)});
}

Value SliceExpression::Evaluate(Python& python, const Bindings& names) const {
  Slice slice;
  for (const Tree& bound : bounds) slice.bounds.push_back(bound ? bound->Evaluate(python, names) : Value());
  return slice;
}

Value Operation::Evaluate(Python& python, const Bindings& names) const {
  std::vector<Value> values;
  for (const Tree& operand : operands) values.push_back(operand->Evaluate(python, names));
  return python.Call(function, std::move(values));
}

Value Conditional::Evaluate(Python& python, const Bindings& names) const {
  return python.Truth(condition->Evaluate(python, names)) ? yes->Evaluate(python, names) : no->Evaluate(python, names);
}

Value Negation::Evaluate(Python& python, const Bindings& names) const {
  return !python.Truth(of->Evaluate(python, names));
}

Value Logical::Evaluate(Python& python, const Bindings& names) const {
  Value left = a->Evaluate(python, names);
  return python.Truth(left) == is_or ? left : b->Evaluate(python, names);
}

Value Comparison::Evaluate(Python& python, const Bindings& names) const {
  Value left = first->Evaluate(python, names);
  for (const Step& step : steps) {
    Value right = step.with->Evaluate(python, names);
    if (!Holds(step, python, left, right)) return false;
    left = std::move(right);
  }
  return true;
}

Value Comprehension::Evaluate(Python& python, const Bindings& names) const {
  List list;
  Bindings inner = names;
  for (Value& value : ItemsOf(python, values->Evaluate(python, names))) {
    inner.Set(name, std::move(value));
    list.items.push_back(each->Evaluate(python, inner));
  }
  return list;
}

}  // namespace fakeprop::expression
