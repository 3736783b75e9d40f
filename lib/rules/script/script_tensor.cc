// TorchScript's own forms of tensor operators: each does what an operator of the dispatcher does with its arguments.
// Source: torch/csrc/jit/runtime/register_prim_ops.cpp, register_special_ops.cpp (torch 2.13).
#include "lib/base/check.h"
#include "lib/rules/core/results.h"
#include "lib/rules/families.h"
#include "lib/rules/support/elementwise.h"
#include "lib/rules/support/outputs.h"
#include "lib/schema/schema_table.h"

namespace fakeprop::rules {
namespace {

// The effects of `op`, which has a rule, on these arguments and the defaults of the others.
void RunAs(Call& call, std::string_view op, const std::vector<Value>& arguments) {
  const Schema* schema = FindSchema(op);
  FAKEPROP_CHECK(schema && FindRule(*schema));
  std::vector<const Value*> pointers;
  for (size_t i = 0; i < schema->arguments.size(); ++i)
    pointers.push_back(i < arguments.size() ? &arguments[i] : &*schema->arguments[i].default_value);
  Call other(*schema, pointers, call.state(), call.device(), call.effects());
  RunRule(*FindRule(*schema), other);
}

// A dtype, which TorchScript has as an int.
Value DtypeOf(const Value& dtype) {
  if (auto code = dtype.TryGet<Dim>()) return static_cast<ScalarType>(code->Specialize());
  return dtype;
}

Value Named(const Call& call, ArgumentName name) {
  const Value* value = call.TryArg(name);
  return value ? *value : Value();
}

void Convert(Call& call, ArgumentName tensor, Value dtype, Value device) {
  const Value copy = call.Declares("copy") ? Named(call, "copy") : Value(false);
  RunAs(call, "aten::to.dtype_layout", {call.Arg(tensor), DtypeOf(dtype), {}, std::move(device), {}, false, copy});
}

template <ArgumentName Name>
void To(Call& call) {
  Convert(call, Name, Named(call, "dtype"), Named(call, "device"));
}
void ToCpu(Call& call) { Convert(call, "self", {}, Device(DeviceType::CPU)); }
void ToCuda(Call& call) { Convert(call, "self", {}, Device(DeviceType::CUDA, 0)); }

// ---- tensors of numbers

void TensorOfNumber(Call& call) {
  const Value* dtype = call.TryArg("dtype");
  const Value made = dtype ? DtypeOf(*dtype) : Value(NumberDtype(call.Number("t"), call.state()));
  RunAs(call, "aten::scalar_tensor", {call.Arg("t"), made, {}, Named(call, "device"), {}});
  if (call.Flag("requires_grad")) call.effects().outputs[0].requires_grad = true;
}

void TensorOfInts(Call& call) {
  ReturnContiguous(call, Dims{static_cast<int64_t>(call.DimList("self").size())}, ScalarType::Int);
}

// ---- numbers of tensors

enum class Kind { kAny, kInt, kFloat, kBool };

// Nothing if that depends on data.
std::optional<Value> Converted(const Value& number, Kind kind) {
  if (kind == Kind::kAny) return number;
  if (number.IsSymbolicFloat() || number.IsSymbolicBool()) return std::nullopt;
  double real = 0;
  if (auto d = number.TryGet<double>()) real = *d;
  if (auto b = number.TryGet<bool>()) real = *b ? 1 : 0;
  if (auto d = number.TryGet<Dim>()) {
    if (kind == Kind::kInt) return *d;
    real = static_cast<double>(d->Specialize());
  }
  if (kind == Kind::kInt) return static_cast<int64_t>(real);
  if (kind == Kind::kBool) return real != 0;
  return real;
}

template <Kind K>
void ItemAs(Call& call) {
  RunAs(call, "aten::item", {call.Arg("a")});
  Value& number = call.effects().outputs[0].value;
  const auto converted = Converted(number, K);
  converted ? void(number = *converted) : DataDependent(call);
}

// ---- writes

void CopyNumber(Call& call) { RunAs(call, "aten::fill_.Scalar", {call.Arg("self"), call.Arg("other")}); }
void CopyTensor(Call& call) { RunAs(call, "aten::copy_", {call.Arg("self"), call.Arg("other")}); }

// Initialisers write without autograd's knowledge.
void HideFromAutograd(Call& call) {
  for (Mutation& mutation : call.effects().mutations) mutation.differentiable = false;
}

void FillHidden(Call& call) {
  RunAs(call, "aten::fill_.Scalar", {call.Arg("tensor"), call.Arg("val")});
  HideFromAutograd(call);
}

void ZeroHidden(Call& call) {
  RunAs(call, "aten::zero_", {call.Arg("tensor")});
  HideFromAutograd(call);
}

// Gradients of an operand that was broadcast; the size is None where it was not.
void SumToSize(Call& call) {
  if (call.IsNone("size")) return ReturnSelf(call);
  RunAs(call, "aten::sum_to_size", {call.Arg("self"), call.Arg("size")});
}

constexpr RuleRow kRows[] = {
    {"aten::to.prim_Device", To<"self">},
    {"aten::to.prim_dtype", To<"self">},
    {"aten::to.prim_other", To<"self">},
    {"aten::as_tensor", To<"data">},
    {"aten::cpu", ToCpu},
    {"aten::cuda", ToCuda},
    {"aten::as_tensor.bool", TensorOfNumber},
    {"aten::as_tensor.int", TensorOfNumber},
    {"aten::as_tensor.float", TensorOfNumber},
    {"aten::as_tensor.complex", TensorOfNumber},
    {"aten::tensor.bool", TensorOfNumber},
    {"aten::tensor.int", TensorOfNumber},
    {"aten::tensor.float", TensorOfNumber},
    {"aten::tensor.complex", TensorOfNumber},
    {"aten::_list_to_tensor", TensorOfInts},
    {"aten::Int.Tensor", ItemAs<Kind::kInt>},
    {"aten::IntImplicit", ItemAs<Kind::kInt>},
    {"aten::Float.Tensor", ItemAs<Kind::kFloat>},
    {"aten::FloatImplicit", ItemAs<Kind::kFloat>},
    {"aten::Bool.Tensor", ItemAs<Kind::kBool>},
    {"aten::ScalarImplicit", ItemAs<Kind::kAny>},
    {"aten::copy_.Tensor", CopyTensor, Devices::kAny | Reads::kNotWritten},
    {"aten::copy_.int", CopyNumber, Reads::kNotWritten},
    {"aten::copy_.float", CopyNumber, Reads::kNotWritten},
    {"aten::_no_grad_fill_", FillHidden},
    {"aten::_no_grad_zero_", ZeroHidden},
    {"aten::_grad_sum_to_size", SumToSize},
};

}  // namespace

RuleRows ScriptTensorRules() { return kRows; }

}  // namespace fakeprop::rules
