// Source: torch/csrc/jit/runtime/register_prim_ops.cpp (torch 2.15).
#include "lib/torchscript/compiler/fold_operator.h"

#include <cmath>

#include "lib/meta/device_name.h"
#include "lib/torchscript/compiler/decline.h"
#include "lib/torchscript/compiler/same_value.h"

namespace fakeprop::script {
namespace {

using Results = std::optional<std::vector<Value>>;

std::optional<double> Real(const Value& value) {
  if (auto* real = value.TryGet<double>()) return *real;
  if (auto* integer = value.TryGet<Dim>()) return static_cast<double>(integer->Specialize());
  return std::nullopt;
}

std::optional<int64_t> Integer(const Value& value) {
  if (auto* integer = value.TryGet<Dim>()) return integer->Specialize();
  return std::nullopt;
}

template <typename T>
std::optional<bool> Compare(std::string_view op, const T& a, const T& b) {
  if (op == "aten::eq") return a == b;
  if (op == "aten::ne") return a != b;
  if (op == "aten::lt") return a < b;
  if (op == "aten::le") return a <= b;
  if (op == "aten::gt") return a > b;
  if (op == "aten::ge") return a >= b;
  return std::nullopt;
}

std::optional<bool> CompareValues(std::string_view op, const Value& a, const Value& b) {
  const auto x = Integer(a), y = Integer(b);
  if (x && y) return Compare(op, *x, *y);
  const auto real_x = Real(a), real_y = Real(b);
  if (real_x && real_y) return Compare(op, *real_x, *real_y);
  if (a.Is<std::string>() && b.Is<std::string>()) return Compare(op, a.Get<std::string>(), b.Get<std::string>());
  if (op != "aten::eq" && op != "aten::ne") return std::nullopt;
  if (a.Is<bool>() && b.Is<bool>()) return IsSameValue(a, b) == (op == "aten::eq");
  if (!a.Is<Opaque>() || !b.Is<Opaque>()) return std::nullopt;
  return (a.Get<Opaque>().name == b.Get<Opaque>().name) == (op == "aten::eq");
}

// Of two ints; nothing where the result is none, or does not fit.
std::optional<Value> Arithmetic(std::string_view op, int64_t a, int64_t b) {
  int64_t out = 0;
  if (op == "aten::add" && !__builtin_add_overflow(a, b, &out)) return Value(out);
  if (op == "aten::sub" && !__builtin_sub_overflow(a, b, &out)) return Value(out);
  if (op == "aten::mul" && !__builtin_mul_overflow(a, b, &out)) return Value(out);
  if (op == "prim::min") return Value(std::min(a, b));
  if (op == "prim::max") return Value(std::max(a, b));
  if (b == 0 || b == -1) return std::nullopt;
  if (op == "aten::div") return Value(static_cast<double>(a) / static_cast<double>(b));
  const int64_t rest = a % b, quotient = a / b;
  const bool rounds_down = rest != 0 && (rest < 0) != (b < 0);
  if (op == "aten::floordiv") return Value(quotient - (rounds_down ? 1 : 0));
  if (op == "aten::remainder") return Value(rounds_down ? rest + b : rest);
  return std::nullopt;
}

std::optional<Value> Arithmetic(std::string_view op, double a, double b) {
  if (op == "aten::add") return Value(a + b);
  if (op == "aten::sub") return Value(a - b);
  if (op == "aten::mul") return Value(a * b);
  if (op == "aten::div" && b != 0) return Value(a / b);
  if (op == "aten::floordiv" && b != 0) return Value(std::floor(a / b));
  return std::nullopt;
}

std::optional<Value> FoldPair(std::string_view op, const Value& a, const Value& b) {
  if (op == "aten::__is__" || op == "aten::__isnot__") {
    // Objects are one only with themselves; of plain values torch compares what they hold.
    if (!a.IsNone() && !b.IsNone()) return std::nullopt;
    return Value((a.IsNone() && b.IsNone()) == (op == "aten::__is__"));
  }
  if (const auto compared = CompareValues(op, a, b)) return Value(*compared);
  const auto x = Integer(a), y = Integer(b);
  if (x && y) return Arithmetic(op, *x, *y);
  const auto real_x = Real(a), real_y = Real(b);
  if (real_x && real_y) return Arithmetic(op, *real_x, *real_y);
  const auto* imaginary = b.TryGet<std::complex<double>>();
  if (real_x && imaginary && op == "aten::add") return Value(*real_x + *imaginary);
  if (real_x && imaginary && op == "aten::sub") return Value(*real_x - *imaginary);
  if (op == "aten::add" && a.Is<std::string>() && b.Is<std::string>())
    return Value(a.Get<std::string>() + b.Get<std::string>());
  if (!a.Is<bool>() || !b.Is<bool>()) return std::nullopt;
  if (op == "aten::__and__") return Value(a.Get<bool>() && b.Get<bool>());
  if (op == "aten::__or__") return Value(a.Get<bool>() || b.Get<bool>());
  if (op == "aten::__xor__") return Value(a.Get<bool>() != b.Get<bool>());
  return std::nullopt;
}

std::optional<Value> FoldSingle(std::string_view op, const Value& a) {
  const auto integer = Integer(a);
  const auto real = Real(a);
  if (op == "aten::__not__" && a.Is<bool>()) return Value(!a.Get<bool>());
  if (op == "aten::neg" && integer) return Value(-*integer);
  if (op == "aten::neg" && real) return Value(-*real);
  if (op == "aten::Float" && real) return Value(*real);
  if (op == "aten::Float" && a.Is<bool>()) return Value(a.Get<bool>() ? 1.0 : 0.0);
  if (op == "aten::Int" && integer) return Value(*integer);
  if (op == "aten::Int" && a.Is<bool>()) return Value(int64_t{a.Get<bool>()});
  if (op == "aten::Int" && real && std::abs(*real) < 1e15) return Value(static_cast<int64_t>(*real));
  if (op == "aten::Bool" && real) return Value(*real != 0);
  if (op == "aten::len" && a.Is<std::string>()) return Value(static_cast<int64_t>(a.Get<std::string>().size()));
  if (op == "aten::device" && a.Is<std::string>()) {
    if (const auto device = DeviceFromName(a.Get<std::string>())) return Value(*device);
  }
  if (op == "aten::floor" && real) return Value(static_cast<int64_t>(std::floor(*real)));
  if (op == "aten::ceil" && real) return Value(static_cast<int64_t>(std::ceil(*real)));
  return std::nullopt;
}

}  // namespace

Results FoldOperator(const IrNode& node, const std::vector<Value>& inputs) {
  const auto one = [](std::optional<Value> value) -> Results { return value ? Results({*value}) : std::nullopt; };
  // Torch does not compute operators that take any number of arguments.
  if (node.Is("aten::format") || node.Is("aten::percentFormat")) return std::nullopt;
  Results out;
  if (node.Is("prim::unchecked_cast")) out = one(inputs[0]);
  else if (node.Is("prim::TupleConstruct")) out = one(Value(List{inputs, true}));
  else if (node.Is("prim::TupleUnpack")) out = inputs[0].Get<List>().items;
  else if (node.Is("prim::TupleIndex") && inputs[1].Get<Dim>().Specialize() >= 0)
    out = one(inputs[0].Get<List>().items.at(static_cast<size_t>(inputs[1].Get<Dim>().Specialize())));
  else if (node.Is("aten::is_scripting")) out = one(Value(true));
  else if (inputs.size() == 1) out = one(FoldSingle(node.kind, inputs[0]));
  else if (inputs.size() == 2) out = one(FoldPair(node.kind, inputs[0], inputs[1]));
  if (!out) Decline("`" + std::string(node.kind) + "` of constants", node.place);
  return out;
}

}  // namespace fakeprop::script
