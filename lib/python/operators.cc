// Python's operator module: on tensors what torch.Tensor's special methods do, on numbers and lists what Python does.
// Source: torch/_tensor.py, tools/autograd/templates/python_variable_methods.cpp (torch 2.13).
#include "lib/python/builtins.h"
#include "lib/python/indexing.h"
#include "lib/python/registry.h"

namespace fakeprop {
namespace {

bool AnyTensor(const Bindings& a) { return a["a"].TryTensor() || a["b"].TryTensor(); }

Value OnNumbers(std::string_view builtin, const Bindings& a) { return CallBuiltin(builtin, {a["a"], a["b"]}); }

// How tensors and numbers go to operators: the function for a tensor on the left, and for a number on the left.
struct BinaryOperator {
  std::string_view builtin;    // for numbers
  std::string_view function;   // tensor op anything
  std::string_view reflected;  // number op tensor: called as reflected(tensor, number), or with both in order
  bool swaps;
};

template <const BinaryOperator& kOperator>
Value Binary(Python& python, const Bindings& a) {
  if (!AnyTensor(a)) return OnNumbers(kOperator.builtin, a);
  if (a["a"].TryTensor()) return python.Call(kOperator.function, {a["a"], a["b"]});
  if (kOperator.swaps) return python.Call(kOperator.reflected, {a["b"], a["a"]});
  return python.Call(kOperator.reflected, {a["a"], a["b"]});
}

// Lists are joined, and repeated by a number.
Value AddLists(const List& x, const List& y) {
  List out = x;
  out.items.insert(out.items.end(), y.items.begin(), y.items.end());
  return out;
}

Value RepeatList(const List& list, Dim count) {
  List out;
  out.is_tuple = list.is_tuple;
  for (int64_t i = count.Specialize(); i > 0; --i)
    out.items.insert(out.items.end(), list.items.begin(), list.items.end());
  return out;
}

constexpr BinaryOperator kAdd{"_operator.add", "aten.add", "aten.add", true};
constexpr BinaryOperator kSub{"_operator.sub", "aten.sub", "aten.rsub", true};
constexpr BinaryOperator kMul{"_operator.mul", "aten.mul", "aten.mul", true};
constexpr BinaryOperator kTrueDiv{"_operator.truediv", "aten.div", "divide_number", true};
constexpr BinaryOperator kFloorDiv{"_operator.floordiv", "aten.floor_divide", "floor_divide_number", true};
constexpr BinaryOperator kMod{"_operator.mod", "aten.remainder", "aten.remainder", false};
constexpr BinaryOperator kPow{"_operator.pow", "aten.pow", "aten.pow", false};
constexpr BinaryOperator kAnd{"_operator.and_", "aten.bitwise_and", "aten.bitwise_and", true};
constexpr BinaryOperator kOr{"_operator.or_", "aten.bitwise_or", "aten.bitwise_or", true};
constexpr BinaryOperator kXor{"_operator.xor", "aten.bitwise_xor", "aten.bitwise_xor", true};
constexpr BinaryOperator kLeft{"_operator.lshift", "aten.bitwise_left_shift", "aten.bitwise_left_shift", false};
constexpr BinaryOperator kRight{"_operator.rshift", "aten.bitwise_right_shift", "aten.bitwise_right_shift", false};
constexpr BinaryOperator kLt{"_operator.lt", "aten.lt", "aten.gt", true};
constexpr BinaryOperator kLe{"_operator.le", "aten.le", "aten.ge", true};
constexpr BinaryOperator kGt{"_operator.gt", "aten.gt", "aten.lt", true};
constexpr BinaryOperator kGe{"_operator.ge", "aten.ge", "aten.le", true};
constexpr BinaryOperator kEqual{"_operator.eq", "aten.eq", "aten.eq", true};
constexpr BinaryOperator kNotEqual{"_operator.ne", "aten.ne", "aten.ne", true};
constexpr BinaryOperator kMatMul{"_operator.matmul", "aten.matmul", "aten.matmul", false};

constexpr BinaryOperator kInplaceAdd{"_operator.add", "aten.add_", "aten.add", true};
constexpr BinaryOperator kInplaceSub{"_operator.sub", "aten.sub_", "aten.rsub", true};
constexpr BinaryOperator kInplaceMul{"_operator.mul", "aten.mul_", "aten.mul", true};
constexpr BinaryOperator kInplaceTrueDiv{"_operator.truediv", "aten.div_", "divide_number", true};
constexpr BinaryOperator kInplaceFloorDiv{"_operator.floordiv", "aten.floor_divide_", "floor_divide_number", true};
constexpr BinaryOperator kInplaceMod{"_operator.mod", "aten.remainder_", "aten.remainder", false};
constexpr BinaryOperator kInplacePow{"_operator.pow", "aten.pow_", "aten.pow", false};
constexpr BinaryOperator kInplaceAnd{"_operator.and_", "aten.bitwise_and_", "aten.bitwise_and", true};
constexpr BinaryOperator kInplaceOr{"_operator.or_", "aten.bitwise_or_", "aten.bitwise_or", true};
constexpr BinaryOperator kInplaceXor{"_operator.xor", "aten.bitwise_xor_", "aten.bitwise_xor", true};
constexpr BinaryOperator kInplaceLeft{"_operator.lshift", "aten.bitwise_left_shift_", "aten.bitwise_left_shift", false};
constexpr BinaryOperator kInplaceRight{
    "_operator.rshift", "aten.bitwise_right_shift_", "aten.bitwise_right_shift", false};

template <const BinaryOperator& kOperator>
Value Add(Python& python, const Bindings& a) {
  const List *x = a["a"].TryList(), *y = a["b"].TryList();
  if (x && y) return AddLists(*x, *y);
  const auto *s = a["a"].TryGet<std::string>(), *t = a["b"].TryGet<std::string>();
  if (s && t) return *s + *t;
  return Binary<kOperator>(python, a);
}

template <const BinaryOperator& kOperator>
Value Mul(Python& python, const Bindings& a) {
  if (const List* list = a["a"].TryList(); list && a["b"].Is<Dim>()) return RepeatList(*list, AsInt(a["b"]));
  if (const List* list = a["b"].TryList(); list && a["a"].Is<Dim>()) return RepeatList(*list, AsInt(a["a"]));
  return Binary<kOperator>(python, a);
}

bool AreSame(Python& python, const Value& x, const Value& y) {
  const List *a = x.TryList(), *b = y.TryList();
  if (!a || !b) {
    if (x.IsNumber() && y.IsNumber()) return python.Truth(CallBuiltin("_operator.eq", {x, y}));
    return ToString(x) == ToString(y);
  }
  if (a->items.size() != b->items.size() || a->is_tuple != b->is_tuple) return false;
  for (size_t i = 0; i < a->items.size(); ++i)
    if (!AreSame(python, a->items[i], b->items[i])) return false;
  return true;
}

// Anything compares with anything.
template <const BinaryOperator& kOperator, bool kNegated>
Value Equality(Python& python, const Bindings& a) {
  const bool tensors = AnyTensor(a);
  const bool comparable = a["a"].TryTensor() ? a["b"].TryTensor() || a["b"].IsNumber() : a["a"].IsNumber();
  if (tensors && comparable) return Binary<kOperator>(python, a);
  if (a["a"].IsNumber() && a["b"].IsNumber())
    return CallBuiltin(kNegated ? "_operator.ne" : "_operator.eq", {a["a"], a["b"]});
  return AreSame(python, a["a"], a["b"]) != kNegated;
}

Value IsOperator(Python& python, const Bindings& a) {
  if (a["a"].TryTensor() || a["b"].TryTensor()) return a["a"].TryTensor() == a["b"].TryTensor();
  return AreSame(python, a["a"], a["b"]);
}
Value IsNotOperator(Python& python, const Bindings& a) { return !IsOperator(python, a).Get<bool>(); }

Value Contains(Python& python, const Bindings& a) {
  if (const Dict* dict = a["a"].TryGet<Dict>()) {
    for (const auto& [key, value] : dict->items)
      if (AreSame(python, key, a["b"])) return true;
    return false;
  }
  const List* list = a["a"].TryList();
  if (!list) FailArguments("operator.contains", "does not take " + ToString(a["a"]));
  for (const Value& item : list->items)
    if (AreSame(python, item, a["b"])) return true;
  return false;
}

Value GetItem(Python& python, const Bindings& a) {
  if (Tensor* t = a["a"].TryTensor()) return GetTensorItem(python, *t, a["b"]);
  if (Tensor* index = a["b"].TryTensor()) return GetContainerItem(a["a"], python.Item(*index));
  return GetContainerItem(a["a"], a["b"]);
}

Value SetItem(Python& python, const Bindings& a) {
  Tensor* t = a["a"].TryTensor();
  if (!t) FailArguments("operator.setitem", "changes tensors, not " + ToString(a["a"]));
  SetTensorItem(python, *t, a["b"], a["c"]);
  return {};
}

// One operand: a tensor's operator, or what Python does with a number.
template <const BinaryOperator& kOperator>
Value Unary(Python& python, const Bindings& a) {
  if (a["a"].TryTensor()) return python.Call(kOperator.function, {a["a"]});
  return CallBuiltin(kOperator.builtin, {a["a"]});
}
constexpr BinaryOperator kNeg{"_operator.neg", "aten.neg", "", false};
constexpr BinaryOperator kPos{"_operator.pos", "aten.positive", "", false};

Value Invert(Python& python, const Bindings& a) {
  if (a["a"].TryTensor()) return python.Call("aten.bitwise_not", {a["a"]});
  return Value(-a.Int("a") - 1);
}

Value Absolute(Python& python, const Bindings& a) {
  if (a["a"].TryTensor()) return python.Call("aten.abs", {a["a"]});
  if (auto d = a["a"].TryGet<double>()) return *d < 0 ? -*d : *d;
  const int64_t value = a.Int("a");
  return value < 0 ? -value : value;
}

Value TruthOf(Python& python, const Bindings& a) { return python.Truth(a["a"]); }
Value Not(Python& python, const Bindings& a) { return !python.Truth(a["a"]); }
Value Index(Python& python, const Bindings& a) {
  if (Tensor* t = a["a"].TryTensor()) return python.Item(*t);
  return Value(a.Int("a"));
}

constexpr FunctionRow kRows[] = {
    {"add(a, b)", {}, Add<kAdd>},
    {"sub(a, b)", {}, Binary<kSub>},
    {"mul(a, b)", {}, Mul<kMul>},
    {"truediv(a, b)", {}, Binary<kTrueDiv>},
    {"floordiv(a, b)", {}, Binary<kFloorDiv>},
    {"mod(a, b)", {}, Binary<kMod>},
    {"pow(a, b)", {}, Binary<kPow>},
    {"matmul(a, b)", {}, Binary<kMatMul>},
    {"and_(a, b)", {}, Binary<kAnd>},
    {"or_(a, b)", {}, Binary<kOr>},
    {"xor(a, b)", {}, Binary<kXor>},
    {"lshift(a, b)", {}, Binary<kLeft>},
    {"rshift(a, b)", {}, Binary<kRight>},
    {"lt(a, b)", {}, Binary<kLt>},
    {"le(a, b)", {}, Binary<kLe>},
    {"gt(a, b)", {}, Binary<kGt>},
    {"ge(a, b)", {}, Binary<kGe>},
    {"eq(a, b)", {}, Equality<kEqual, false>},
    {"ne(a, b)", {}, Equality<kNotEqual, true>},
    {"iadd(a, b)", {}, Add<kInplaceAdd>},
    {"isub(a, b)", {}, Binary<kInplaceSub>},
    {"imul(a, b)", {}, Mul<kInplaceMul>},
    {"itruediv(a, b)", {}, Binary<kInplaceTrueDiv>},
    {"ifloordiv(a, b)", {}, Binary<kInplaceFloorDiv>},
    {"imod(a, b)", {}, Binary<kInplaceMod>},
    {"ipow(a, b)", {}, Binary<kInplacePow>},
    {"imatmul(a, b)", {}, Binary<kMatMul>},
    {"iand(a, b)", {}, Binary<kInplaceAnd>},
    {"ior(a, b)", {}, Binary<kInplaceOr>},
    {"ixor(a, b)", {}, Binary<kInplaceXor>},
    {"ilshift(a, b)", {}, Binary<kInplaceLeft>},
    {"irshift(a, b)", {}, Binary<kInplaceRight>},
    {"concat(a, b)", {}, Add<kAdd>},
    {"is_(a, b)", {}, IsOperator},
    {"is_not(a, b)", {}, IsNotOperator},
    {"contains(a, b)", {}, Contains},
    {"getitem(a, b)", {}, GetItem},
    {"setitem(a, b, c)", {}, SetItem},
    {"neg(a)", {}, Unary<kNeg>},
    {"pos(a)", {}, Unary<kPos>},
    {"invert(a)", {}, Invert},
    {"inv(a)", {}, Invert},
    {"abs(a)", {}, Absolute},
    {"truth(a)", {}, TruthOf},
    {"not_(a)", {}, Not},
    {"index(a)", {}, Index},
};

}  // namespace

FunctionTable Operators() { return {"_operator.", kRows}; }

}  // namespace fakeprop
