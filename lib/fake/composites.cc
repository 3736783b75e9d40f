#include "lib/fake/composites.h"

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>
#include <c10/core/GradMode.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include <vector>

#include "lib/dispatch/autograd.h"
#include "lib/dispatch/errors.h"
#include "lib/dispatch/fallback.h"
#include "lib/dispatch/for_each_tensor.h"
#include "lib/fake/errors.h"
#include "lib/fake/fake_tensor_mode.h"
#include "lib/fake/mode_state.h"
#include "lib/graph/schema_table.h"
#include "lib/rules/rule_table.h"

namespace fakeprop::fake {
namespace {

using c10::DispatchKey;
using c10::DispatchKeySet;
using c10::OperatorHandle;
using torch::jit::Stack;

// Those of LibTorch 2.13 that end in an error of the data that they look at, though their results' metadata is known.
constexpr const char* kComposites[][2] = {
    {"aten::_saturate_weight_to_fp16", ""}, {"aten::_shape_as_tensor", ""},
    {"aten::chain_matmul", "out"},          {"aten::choose_qparams_optimized", ""},
    {"aten::combinations", ""},             {"aten::corrcoef", ""},
    {"aten::cov", ""},                      {"aten::ctc_loss", "IntList"},
    {"aten::ctc_loss", "Tensor"},           {"aten::cumprod_backward", ""},
    {"aten::istft", ""},                    {"aten::nanquantile", ""},
    {"aten::nanquantile", "out"},           {"aten::nanquantile", "scalar"},
    {"aten::nanquantile", "scalar_out"},    {"aten::nuclear_norm", "out"},
    {"aten::nuclear_norm", "dim_out"},      {"aten::one_hot", ""},
    {"aten::quantile", ""},
    {"aten::quantile", "out"},              {"aten::quantile", "scalar"},
    {"aten::quantile", "scalar_out"},       {"aten::set_", "source_Tensor_storage_offset"},
};

std::vector<at::Tensor> TensorsAmong(c10::ArrayRef<c10::IValue> values) {
  std::vector<at::Tensor> tensors;
  for (const c10::IValue& value : values) dispatch::ForEachTensor(value, [&](const at::Tensor& t) { tensors.push_back(t); });
  return tensors;
}

bool HasFake(const std::vector<at::Tensor>& tensors) {
  for (const at::Tensor& t : tensors)
    if (ModeOf(t)) return true;
  return false;
}

bool IsForData(const c10::Error& e) {
  return dynamic_cast<const DataDependentOutput*>(&e) || dynamic_cast<const DynamicOutputShape*>(&e) ||
         dispatch::ToOpError(e).error_class() == ErrorClass::kDataDependentOutput;
}

// What the rule has made of tensors that require grad does so too.
void KeepRequiringGrad(const OperatorHandle& op, const Stack& stack, bool required) {
  if (!required) return;
  for (const at::Tensor& t : TensorsAmong(torch::jit::last(stack, op.schema().returns().size()))) {
    if (t.requires_grad() || !(t.is_floating_point() || t.is_complex())) continue;
    dispatch::SetHistory(t, op.operator_name().name + " has no history for fake tensors: LibTorch's own depends on data");
  }
}

bool HasRule(const OperatorHandle& op) {
  const Schema* schema = FindSchema(dispatch::FullName(op.operator_name()));
  return schema && FindRule(*schema);
}

// Composites pass over what they check of values where a tensor may be one of Python's (isTensorSubclassLike), as its fake
// tensors are. While this stands, fakes of this thread pose as such; calls are not dispatched by the key.
class Posing {
 public:
  explicit Posing(const OperatorHandle& op, Stack& stack) {
    IsPosing() = true;
    const auto& arguments = op.schema().arguments();
    for (size_t i = 0; i < arguments.size(); ++i) {
      const bool is_written = arguments[i].alias_info() && arguments[i].alias_info()->isWrite();
      c10::IValue& value = stack[stack.size() - arguments.size() + i];
      if (!is_written) value = dispatch::MapTensors(value, [](const at::Tensor& t) { return Pose(t); });
    }
  }
  ~Posing() { IsPosing() = was_posing_; }
  Posing(const Posing&) = delete;

 private:
  // A copy: others may use the tensor meanwhile.
  static at::Tensor Pose(const at::Tensor& t) {
    at::Tensor copy = DetachSnapshot(t);
    copy.unsafeGetTensorImpl()->set_python_dispatch(true);
    return copy;
  }

  const bool was_posing_ = IsPosing();
  const c10::impl::ExcludeDispatchKeyGuard not_by_key_{DispatchKey::Python};
};

void RunPosing(const OperatorHandle& op, Stack& stack) {
  {
    const Posing posing(op, stack);
    op.callBoxedForDispatchKey(DispatchKey::CompositeImplicitAutograd, stack);
  }
  for (const at::Tensor& t : TensorsAmong(torch::jit::last(stack, op.schema().returns().size())))
    t.unsafeGetTensorImpl()->set_python_dispatch(false);
}

void ServeWithoutData(const OperatorHandle& op, DispatchKeySet keys, Stack& stack) {
  bool required = false;
  for (const at::Tensor& t : TensorsAmong(torch::jit::last(stack, op.schema().arguments().size()))) required |= t.requires_grad();
  {
    const at::AutoDispatchBelowAutograd below;
    HasRule(op) ? op.redispatchBoxed(keys & c10::after_autograd_keyset, &stack) : RunPosing(op, stack);
  }
  KeepRequiringGrad(op, stack, required && c10::GradMode::is_enabled());
}

void Run(const OperatorHandle& op, DispatchKeySet keys, Stack* stack) {
  const auto arguments = torch::jit::last(*stack, op.schema().arguments().size()).vec();
  if (!HasFake(TensorsAmong(arguments))) return op.callBoxedForDispatchKey(DispatchKey::CompositeImplicitAutograd, *stack);
  const size_t below = stack->size() - arguments.size();
  try {
    return op.callBoxedForDispatchKey(DispatchKey::CompositeImplicitAutograd, *stack);
  } catch (const c10::Error& e) {
    if (!IsForData(e)) throw;
  }
  stack->resize(below);
  stack->insert(stack->end(), arguments.begin(), arguments.end());
  ServeWithoutData(op, keys, *stack);
}

}  // namespace

void RegisterComposites() {
  // Kept until the process ends, as the fallback is.
  static auto* const registrations = new std::vector<c10::RegistrationHandleRAII>;
  auto& dispatcher = c10::Dispatcher::singleton();
  for (const auto& [name, overload] : kComposites) {
    const auto op = dispatcher.findSchema({name, overload});
    if (!op || !op->hasKernelForDispatchKey(DispatchKey::CompositeImplicitAutograd)) continue;
    // Key by key: a composite kernel goes before one of the alias Autograd.
    for (const DispatchKey key : c10::getRuntimeDispatchKeySet(DispatchKey::Autograd))
      registrations->push_back(dispatcher.registerImpl(op->operator_name(), key,
                                                       c10::KernelFunction::makeFromBoxedFunction<&Run>(), std::nullopt,
                                                       /*inferred_function_schema=*/nullptr, "fakeprop"));
  }
}

}  // namespace fakeprop::fake
