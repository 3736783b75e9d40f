// Calls of one operator that a higher-order operator wraps, and what has no result of its own. Source: effects.py,
// print.py, out_dtype.py, register_hook.py, inline_asm_elementwise.py in torch/_higher_order_ops,
// torch/_prims/rng_prims.py, torch/_export/wrappers.py (torch 2.13).
#include <algorithm>
#include <array>

#include "lib/higher_order/higher_order_autograd.h"
#include "lib/higher_order/higher_order_tables.h"
#include "lib/meta/dtype.h"
#include "lib/rules/support/elementwise.h"
#include "lib/schema/schema_table.h"

namespace fakeprop {
namespace {

const std::string& OperatorAt(const HigherOrderCall& call, size_t i) {
  const Value& value = call.At(i, "an operator");
  if (const Operator* op = value.TryGet<Operator>()) return op->target;
  Fail(ErrorClass::kTypeError,
      call.Name() + " takes an operator as argument " + std::to_string(i) + ", not " + ToString(value));
}

Tensor* NewTensor(HigherOrderCall& call, TensorMeta meta) {
  const Device device = meta.device;
  const Dim nbytes = StorageNbytes(meta);
  return call.objects().NewTensor(std::move(meta), call.objects().NewStorage(nbytes, device));
}

Tensor* NewVector(HigherOrderCall& call, int64_t size, ScalarType dtype) {
  const Dim sizes[] = {size};
  return NewTensor(call, ContiguousMeta(sizes, dtype, Device(DeviceType::CPU)));
}

// with_effects(token, operator, *args): a new token, torch.tensor([]), and the results.
Value RunWithEffects(HigherOrderCall& call) {
  Value result = call.CallTarget(OperatorAt(call, 1), call.From(2), call.keywords());
  std::vector<Value> results = {NewVector(call, 0, ScalarType::Float)};
  const List* list = result.TryList();
  if (list && list->is_tuple) results.insert(results.end(), list->items.begin(), list->items.end());
  else results.push_back(std::move(result));
  return Tuple(std::move(results));
}

// A wrapped call whose gradient is an error deferred to backward.
Value RunWrapped(HigherOrderCall& call, size_t op, std::span<const Value> operands, const Keywords& keywords) {
  AutogradRegion region(call, Autograd::kNotImplemented, call.Positional());
  return region.Finish(call.CallTarget(OperatorAt(call, op), operands, keywords));
}

// The device that decides whose generator is saved: get_device in rng_prims.py.
DeviceType GeneratorDevice(const HigherOrderCall& call) {
  if (const Value* device = call.Keyword("device"); device && device->Is<Device>()) return device->Get<Device>().type();
  for (const Value& value : call.From(1))
    if (const Tensor* t = value.TryTensor()) return t->meta.device.type();
  Fail(ErrorClass::kValueError,
      call.Name() + " has neither a device nor a tensor that says whose random state it saves");
}

// Bytes of a generator's state: the Mersenne Twister of CPUGeneratorImpl.cpp, seed and offset of CUDAGeneratorImpl.cpp.
int64_t RandomStateBytes(const HigherOrderCall& call) {
  switch (const DeviceType device = GeneratorDevice(call)) {
    case DeviceType::CPU: return 5056;
    case DeviceType::CUDA: return 16;
    default:
      Fail(ErrorClass::kUnsupportedOperator, call.Name() + ": how large the random state of " +
                                                 std::string(DeviceTypeName(device)) + " is is not known here");
  }
}

// run_and_save_rng_state(operator, *args): the state before, and the results.
Value RunAndSaveRngState(HigherOrderCall& call) {
  const int64_t bytes = RandomStateBytes(call);
  Value result = RunWrapped(call, 0, call.From(1), call.keywords());
  return Tuple({NewVector(call, bytes, ScalarType::Byte), std::move(result)});
}

// run_with_rng_state(state, operator, *args)
Value RunWithRngState(HigherOrderCall& call) { return RunWrapped(call, 1, call.From(2), call.keywords()); }

// graphsafe_run_with_rng_state(operator, *args, rng_state=..)
Value RunGraphsafe(HigherOrderCall& call) {
  Keywords keywords = call.keywords();
  std::erase_if(keywords, [](const auto& keyword) { return keyword.first == "rng_state"; });
  return RunWrapped(call, 0, call.From(1), keywords);
}

// run_dtensor_rng_op(start, end, operator, *args)
Value RunDTensorRng(HigherOrderCall& call) { return RunWrapped(call, 2, call.From(3), call.keywords()); }

Value RunPrint(HigherOrderCall&) { return {}; }

// _export_tracepoint(*values, kind=.., path=..) gives its values.
Value RunTracepoint(HigherOrderCall& call) {
  AutogradRegion region(call, Autograd::kNotImplemented, call.Positional());
  return region.Finish(Tuple({call.Positional().begin(), call.Positional().end()}));
}

// register_hook(tensor, graph, *captured): the graph runs on gradients alone.
Value RunRegisterHook(HigherOrderCall& call) {
  Tensor& t = call.TensorAt(0, "what it watches");
  if (!t.RequiresGrad())
    Fail(ErrorClass::kAutogradError, "register_hook watches a tensor that does not require grad", {&t});
  return &t;
}

constexpr std::string_view kOpsWithOutDtype[] = {"aten::linear", "aten::mm", "aten::conv2d", "aten::convolution",
    "aten::mul.Tensor", "aten::mul.Scalar", "aten::div.Tensor", "aten::div.Scalar"};

bool IsIntMm(const HigherOrderCall& call, std::string_view op, ScalarType dtype) {
  if (op != "aten::mm" || dtype != ScalarType::Int || call.size() != 4) return false;
  return std::all_of(call.From(2).begin(), call.From(2).end(), [](const Value& value) {
    const Tensor* t = value.TryTensor();
    return t && t->meta.dtype == ScalarType::Char && t->meta.device.type() == DeviceType::CUDA;
  });
}

// The dtype of arithmetic on all arguments and a vector of `dtype`, by calls of an elementwise operator.
ScalarType PromotedWith(HigherOrderCall& call, ScalarType dtype) {
  Value sum = NewVector(call, 1, dtype);
  for (const Value& value : call.From(2)) {
    Value operand = value;
    if (const Tensor* t = value.TryTensor()) {
      const Dims sizes(t->meta.rank() == 0 ? 0 : 1, Dim(1));
      operand = NewTensor(call, ContiguousMeta({sizes.data(), sizes.size()}, t->meta.dtype, Device(DeviceType::CPU)));
    } else if (!value.IsNumber()) {
      continue;
    }
    const char* name = operand.TryTensor() ? "aten::mul.Tensor" : "aten::mul.Scalar";
    sum = call.CallOperator(name, std::array<Value, 2>{sum, operand});
  }
  return sum.TryTensor()->meta.dtype;
}

Value ToDtype(HigherOrderCall& call, const Value& value, ScalarType dtype) {
  if (!value.TryTensor()) return value;
  return call.CallOperator("aten::to.dtype", std::array<Value, 2>{value, dtype});
}

// out_dtype(operator, dtype, *args): the operator on promoted tensors, its result in `dtype`.
Value RunOutDtype(HigherOrderCall& call) {
  const std::string op = OperatorName(OperatorAt(call, 0));
  const ScalarType* dtype = call.At(1, "a dtype").TryGet<ScalarType>();
  if (!dtype)
    Fail(ErrorClass::kTypeError, "out_dtype takes a dtype as argument 1, not " + ToString(call.Positional()[1]));
  if (std::find(std::begin(kOpsWithOutDtype), std::end(kOpsWithOutDtype), op) == std::end(kOpsWithOutDtype))
    Fail(ErrorClass::kValueError, "out_dtype does not take the operator " + op);
  AutogradRegion region(call, Autograd::kNotImplemented, call.From(2));
  if (IsIntMm(call, op, *dtype)) return region.Finish(call.CallOperator("aten::_int_mm", call.From(2)));
  const ScalarType promoted = PromotedWith(call, *dtype);
  std::vector<Value> arguments;
  for (const Value& value : call.From(2)) arguments.push_back(ToDtype(call, value, promoted));
  return region.Finish(ToDtype(call, call.CallOperator(op, arguments), *dtype));
}

// inline_asm_elementwise(*tensors, asm_str=.., dtype=..): laid out as an elementwise operator's result.
Value RunInlineAsm(HigherOrderCall& call) {
  const Value* dtype = call.Keyword("dtype");
  if (!dtype || !dtype->Is<ScalarType>()) Fail(ErrorClass::kTypeError, "inline_asm_elementwise takes a dtype by name");
  AutogradRegion region(call, Autograd::kNotImplemented, call.Positional());
  std::vector<const TensorMeta*> operands;
  for (size_t i = 0; i < std::max<size_t>(call.size(), 1); ++i)
    operands.push_back(&call.TensorAt(i, "its inputs").meta);
  return region.Finish(
      NewTensor(call, rules::ElementwiseMeta(operands, dtype->Get<ScalarType>(), operands[0]->device)));
}

constexpr HigherOrderRow kRows[] = {
    {"_export_tracepoint", RunTracepoint},
    {"graphsafe_run_with_rng_state", RunGraphsafe},
    {"inline_asm_elementwise", RunInlineAsm},
    {"out_dtype", RunOutDtype},
    {"print", RunPrint},
    {"register_hook", RunRegisterHook},
    {"run_and_save_rng_state", RunAndSaveRngState},
    {"run_dtensor_rng_op", RunDTensorRng},
    {"run_with_rng_state", RunWithRngState},
    {"with_effects", RunWithEffects},
};

}  // namespace

std::span<const HigherOrderRow> WrapperRows() { return kRows; }

}  // namespace fakeprop
