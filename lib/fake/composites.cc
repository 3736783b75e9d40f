#include "lib/fake/composites.h"

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/Reduction.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>
#include <ATen/ops/alias.h>
#include <ATen/ops/div.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/sum.h>
#include <c10/core/GradMode.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "fakeprop/fake_tensor_errors.h"
#include "lib/dispatch/autograd_meta.h"
#include "lib/dispatch/dispatch_errors.h"
#include "lib/dispatch/fallback.h"
#include "lib/dispatch/for_each_tensor.h"
#include "lib/fake/generic_data.h"
#include "lib/fake/mode_state.h"
#include "lib/fake/serve.h"
#include "lib/rules/rule_table.h"
#include "lib/schema/schema_table.h"

namespace fakeprop::fake {
namespace {

using c10::DispatchKey;
using c10::DispatchKeySet;
using c10::OperatorHandle;
using torch::jit::Stack;

// The composites of LibTorch 2.13 that fail because they read data, or because sizes are symbols, although the metadata
// of their results is known.
struct Composite {
  const char* name;
  const char* overload;
  // Returns how many elements a mask inside selects. Null if the kernel must not run as on generic data.
  int64_t (*masked)(const Stack& arguments) = nullptr;
};
int64_t NoneMasked(const Stack&) { return 0; }
int64_t NumberOfCombinations(const Stack& arguments) {
  const int64_t n = arguments[0].toTensor().numel(), r = arguments[1].toInt();
  int64_t count = 1;
  for (int64_t i = 0, top = arguments[2].toBool() ? n + r - 1 : n; i < r; ++i) count = count * (top - i) / (i + 1);
  return std::max<int64_t>(count, 0);
}
constexpr Composite kComposites[] = {
    {"aten::_pack_padded_sequence_backward", ""},
    {"aten::_saturate_weight_to_fp16", ""},
    {"aten::_shape_as_tensor", ""},
    {"aten::chain_matmul", "out"},
    {"aten::choose_qparams_optimized", ""},
    {"aten::combinations", "", NumberOfCombinations},
    {"aten::corrcoef", "", NoneMasked},
    {"aten::cov", "", NoneMasked},
    {"aten::cross_entropy_loss", ""},
    {"aten::ctc_loss", "IntList", NoneMasked},
    {"aten::ctc_loss", "Tensor", NoneMasked},
    {"aten::cumprod_backward", ""},
    {"aten::istft", "", NoneMasked},
    {"aten::linalg_pinv", "out_rcond_tensor"},
    {"aten::nanquantile", ""},
    {"aten::nanquantile", "out"},
    {"aten::nanquantile", "scalar"},
    {"aten::nanquantile", "scalar_out"},
    {"aten::nuclear_norm", "out"},
    {"aten::nuclear_norm", "dim_out"},
    {"aten::one_hot", ""},
    {"aten::quantile", ""},
    {"aten::quantile", "out"},
    {"aten::quantile", "scalar"},
    {"aten::quantile", "scalar_out"},
    {"aten::set_", "source_Tensor_storage_offset"},
};

// Its function of the table.
auto MaskedOf(const OperatorHandle& op) {
  const auto it = std::find_if(std::begin(kComposites), std::end(kComposites), [&](const Composite& c) {
    return op.operator_name().name == c.name && op.operator_name().overload_name == c.overload;
  });
  return it->masked;
}

bool HasFake(const std::vector<at::Tensor>& tensors) {
  for (const at::Tensor& t : tensors)
    if (ModeOf(t)) return true;
  return false;
}

bool AnyRequiresGrad(const std::vector<at::Tensor>& tensors) {
  return std::any_of(tensors.begin(), tensors.end(), [](const at::Tensor& t) { return t.requires_grad(); });
}

bool IsForData(const c10::Error& e) {
  return dynamic_cast<const c10::NotImplementedError*>(&e) || dynamic_cast<const DataDependentOutput*>(&e) ||
         dynamic_cast<const DynamicOutputShape*>(&e) || dynamic_cast<const GuardOnDataDependentSymNode*>(&e) ||
         dispatch::ToOpError(e).error_class() == ErrorClass::kDataDependentOutput;
}

// Results of the rule require grad if tensors of the call do.
void KeepRequiringGrad(const OperatorHandle& op, const Stack& stack, bool required) {
  if (!required) return;
  for (const at::Tensor& t : dispatch::TensorsAmong(torch::jit::last(stack, op.schema().returns().size()))) {
    if (t.requires_grad() || !(t.is_floating_point() || t.is_complex())) continue;
    dispatch::SetHistory(
        t, op.operator_name().name + " has no history for fake tensors: LibTorch's own depends on data");
  }
}

bool HasRule(const OperatorHandle& op) {
  const Schema* schema = FindSchema(dispatch::FullName(op.operator_name()));
  return schema && FindRule(*schema);
}

// Composites skip their checks of values if a tensor may be one of Python's (isTensorSubclassLike), as Python's fake
// tensors are. As long as this lives, the tensors of the call and those that this thread makes look like Python's.
// Calls are not dispatched by the key.
class Posing {
 public:
  Posing(const OperatorHandle& op, Stack& stack) : saved_(std::exchange(Posed(), &posed_)) {
    const auto& arguments = op.schema().arguments();
    for (size_t i = 0; i < arguments.size(); ++i) {
      const bool is_written = arguments[i].alias_info() && arguments[i].alias_info()->isWrite();
      c10::IValue& value = stack[stack.size() - arguments.size() + i];
      if (!is_written) value = dispatch::MapTensors(value, [](const at::Tensor& t) { return Pose(t); });
    }
  }
  ~Posing() {
    for (const at::Tensor& t : posed_) t.unsafeGetTensorImpl()->set_python_dispatch(false);
    Posed() = saved_;
  }
  Posing(const Posing&) = delete;

 private:
  // An alias that autograd follows, because other threads may use the tensor itself meanwhile.
  static at::Tensor Pose(const at::Tensor& t) {
    const at::Tensor alias = at::alias(t);
    alias.unsafeGetTensorImpl()->set_python_dispatch(true);
    Posed()->push_back(alias);
    return alias;
  }

  const c10::impl::ExcludeDispatchKeyGuard not_by_key_{DispatchKey::Python};
  std::vector<at::Tensor> posed_;
  std::vector<at::Tensor>* const saved_;
};

void RunPosing(const OperatorHandle& op, Stack& stack) {
  const Posing posing(op, stack);
  op.callBoxedForDispatchKey(DispatchKey::CompositeImplicitAutograd, stack);
}

// A call that can be repeated after it failed because there is no data.
class Call {
 public:
  Call(const OperatorHandle& op, Stack& stack)
      : stack_(stack),
        arguments_(torch::jit::last(stack, op.schema().arguments().size()).vec()),
        below_(stack.size() - arguments_.size()) {}

  Stack& stack() const { return stack_; }
  const Stack& arguments() const { return arguments_; }
  std::vector<at::Tensor> Tensors() const { return dispatch::TensorsAmong(arguments_); }

  template <typename Run>
  bool Succeeds(Run run) {
    try {
      run();
      return true;
    } catch (const c10::Error& e) {
      if (!IsForData(e)) throw;
    }
    stack_.resize(below_);
    stack_.insert(stack_.end(), arguments_.begin(), arguments_.end());
    return false;
  }

 private:
  Stack& stack_;
  const std::vector<c10::IValue> arguments_;
  const size_t below_;
};

// Runs ctc_loss without its reduction, for which LibTorch makes a tensor of lengths from numbers, and then reduces.
template <typename Run>
void RunReducing(const OperatorHandle& op, Stack& stack, Run run) {
  const auto position = op.schema().argumentIndexWithName("reduction");
  if (!position) return run();
  c10::IValue& argument = torch::jit::peek(stack, *position, op.schema().arguments().size());
  const int64_t reduction = std::exchange(argument, c10::IValue(int64_t{at::Reduction::None})).toInt();
  run();
  const at::Tensor losses = stack.back().toTensor();
  if (reduction == at::Reduction::Mean) stack.back() = at::mean(at::div(losses, at::empty_like(losses)));
  if (reduction == at::Reduction::Sum) stack.back() = at::sum(losses);
}

// Tries the composites that run on generic data: as they are, and as on Python's fake tensors.
bool RunsOnGenericData(const OperatorHandle& op, Call& call) {
  const auto masked = MaskedOf(op);
  if (!masked) return false;
  const GenericData generic(masked(call.arguments()));
  Stack& stack = call.stack();
  auto decompose = [&] { op.callBoxedForDispatchKey(DispatchKey::CompositeImplicitAutograd, stack); };
  return call.Succeeds([&] { RunReducing(op, stack, decompose); }) ||
         call.Succeeds([&] { RunReducing(op, stack, [&] { RunPosing(op, stack); }); });
}

void ServeByRule(const OperatorHandle& op, DispatchKeySet keys, Stack& stack, bool requires_grad) {
  {
    const at::AutoDispatchBelowAutograd below;
    op.redispatchBoxed(keys & c10::after_autograd_keyset, &stack);
  }
  KeepRequiringGrad(op, stack, requires_grad);
}

// Above autograd.
void Run(const OperatorHandle& op, DispatchKeySet keys, Stack* stack) {
  Call call(op, *stack);
  const auto tensors = call.Tensors();
  auto decompose = [&] { op.callBoxedForDispatchKey(DispatchKey::CompositeImplicitAutograd, *stack); };
  if (!HasFake(tensors)) return decompose();
  if (call.Succeeds(decompose)) return;
  const bool requires_grad = c10::GradMode::is_enabled() && AnyRequiresGrad(tensors);
  if (RunsOnGenericData(op, call)) return;
  if (!HasRule(op)) return RunPosing(op, *stack);
  // A rule leaves no history.
  if (requires_grad && call.Succeeds([&] { RunPosing(op, *stack); })) return;
  ServeByRule(op, keys, *stack, requires_grad);
}

// Used if autograd takes no part, as in inference mode.
void RunBelow(const OperatorHandle& op, DispatchKeySet, Stack* stack) {
  Call call(op, *stack);
  if (!HasFake(call.Tensors())) return ServeInMode(op, *stack);
  if (!call.Succeeds([&] { ServeInMode(op, *stack); })) RunPosing(op, *stack);
}

void Register(const OperatorHandle& op, DispatchKey key, c10::KernelFunction kernel) {
  // Kept until the process ends, as the fallback is.
  static auto* const registrations = new std::vector<c10::RegistrationHandleRAII>;
  registrations->push_back(
      c10::Dispatcher::singleton().registerImpl(op.operator_name(), key, std::move(kernel), std::nullopt,
          /*inferred_function_schema=*/nullptr, "fakeprop"));
}

}  // namespace

void RegisterComposites() {
  for (const auto& [name, overload, masked] : kComposites) {
    const auto op = c10::Dispatcher::singleton().findSchema({name, overload});
    if (!op || !op->hasKernelForDispatchKey(DispatchKey::CompositeImplicitAutograd)) continue;
    // Registered for each key, because a composite kernel comes before one of the alias Autograd.
    for (const DispatchKey key : c10::getRuntimeDispatchKeySet(DispatchKey::Autograd))
      Register(*op, key, c10::KernelFunction::makeFromBoxedFunction<&Run>());
    Register(*op, DispatchKey::Fake, c10::KernelFunction::makeFromBoxedFunction<&RunBelow>());
  }
}

}  // namespace fakeprop::fake
