#include "lib/fake/composites.h"

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/Reduction.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>
#include <ATen/ops/_scaled_dot_product_attention_math.h>
#include <ATen/ops/alias.h>
#include <ATen/ops/div.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/logical_not.h>
#include <ATen/ops/masked_fill.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/zeros_like.h>
#include <c10/core/GradMode.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <limits>
#include <utility>
#include <vector>

#include "fakeprop/fake_tensor_errors.h"
#include "lib/dispatch/autograd_meta.h"
#include "lib/dispatch/dispatch_errors.h"
#include "lib/dispatch/fallback.h"
#include "lib/dispatch/for_each_tensor.h"
#include "lib/dispatch/operator_info.h"
#include "lib/dispatch/sym_ints.h"
#include "lib/fake/generic_data.h"
#include "lib/fake/mode_state.h"
#include "lib/fake/repeated_composites.h"
#include "lib/fake/serve.h"

namespace fakeprop::fake {
namespace {

using c10::DispatchKey;
using c10::DispatchKeySet;
using c10::OperatorHandle;
using torch::jit::Stack;

// The composites of LibTorch 2.13 that fail because they read data, or because sizes are symbols, although the metadata
// of their results is known, and one whose rule is faster than its parts.
struct Composite {
  const char* name;
  const char* overload;
  // Returns how many elements a mask inside selects. Null if the kernel must not run as on generic data.
  int64_t (*masked)(const Stack& arguments) = nullptr;
  // Returns true if the rule is to serve a call that leaves no history, because it is faster than the parts.
  bool (*rule_first)(const Stack& arguments) = nullptr;
  // In place of LibTorch's composite kernel. Returns false for calls that the kernel serves.
  bool (*decompose)(Stack& stack) = nullptr;
  // The answer to questions about generic data.
  bool truth = false;
  // Changes the arguments of a call that poses as Python's, for which LibTorch takes another way.
  void (*prepare)(Stack& stack) = nullptr;
};
int64_t NoneMasked(const Stack&) { return 0; }
int64_t NumberOfCombinations(const Stack& arguments) {
  const __int128 n = arguments[0].toTensor().numel(), r = arguments[1].toInt();
  const __int128 top = arguments[2].toBool() ? n + r - 1 : n, most = std::numeric_limits<int64_t>::max();
  // The kernel refuses what does not fit.
  __int128 count = 1;
  for (int64_t i = 0; i < r && count > 0 && count < most; ++i) count = count * (top - i) / (i + 1);
  return static_cast<int64_t>(std::clamp<__int128>(count, 0, most));
}
// The parts write to a sparse tensor, which no rule does.
bool Always(const Stack&) { return true; }
// The parts refuse mixed dtypes, which the rule takes.
bool HasOneDtype(const Stack& arguments) {
  const c10::ScalarType dtype = arguments[0].toTensor().scalar_type();
  return arguments[1].toTensor().scalar_type() == dtype && arguments[2].toTensor().scalar_type() == dtype;
}
// LibTorch's attention looks for a fused kernel of the device, in a list that other devices than the cpu and cuda are
// not in. They have the definition: at::_scaled_dot_product_attention_math.
bool AttendByDefinition(Stack& stack) {
  constexpr size_t kArguments = 8;
  const auto arguments = torch::jit::last(stack, kArguments);
  const at::Tensor query = arguments[0].toTensor();
  if (query.device().is_cpu() || query.device().is_cuda()) return false;
  auto mask = arguments[3].toOptional<at::Tensor>();
  if (mask && mask->scalar_type() == at::kBool)
    mask = at::zeros_like(*mask, query.options())
               .masked_fill(mask->logical_not(), -std::numeric_limits<double>::infinity());
  at::Tensor output = std::get<0>(at::_scaled_dot_product_attention_math(query, arguments[1].toTensor(),
      arguments[2].toTensor(), mask, arguments[4].toDouble(), arguments[5].toBool(), std::nullopt,
      arguments[6].toOptional<double>(), arguments[7].toBool()));
  torch::jit::drop(stack, kArguments);
  stack.push_back(std::move(output));
  return true;
}
// LibTorch reads lengths on any device. Tensors of Python's it hands to a kernel that takes one device.
void BringLengths(Stack& stack) {
  constexpr size_t kArguments = 7;
  const c10::Device device = torch::jit::peek(stack, 0, kArguments).toTensor().device();
  for (const size_t i : {2, 3}) {
    c10::IValue& lengths = torch::jit::peek(stack, i, kArguments);
    lengths = lengths.toTensor().to(device);
  }
}
constexpr Composite kComposites[] = {
    {"aten::_pack_padded_sequence_backward", ""},
    {"aten::_saturate_weight_to_fp16", ""},
    {"aten::_shape_as_tensor", ""},
    {"aten::chain_matmul", "out"},
    {"aten::choose_qparams_optimized", ""},
    {"aten::combinations", "", NumberOfCombinations},
    {"aten::corrcoef", "", NoneMasked},
    {"aten::cov", "", NoneMasked, nullptr, nullptr, /*truth=*/true},
    {"aten::cross_entropy_loss", ""},
    {"aten::ctc_loss", "IntList", NoneMasked},
    {"aten::ctc_loss", "Tensor", NoneMasked, nullptr, nullptr, /*truth=*/false, BringLengths},
    {"aten::cumprod_backward", ""},
    {"aten::embedding_sparse_backward", ""},
    {"aten::_embedding_bag_sparse_backward", ""},
    {"aten::smm", "", nullptr, Always},
    {"aten::sparse_bsc_tensor", "ccol_row_value"},
    {"aten::sparse_bsr_tensor", "crow_col_value"},
    {"aten::sparse_coo_tensor", "indices"},
    {"aten::sparse_csc_tensor", "ccol_row_value"},
    {"aten::sparse_csr_tensor", "crow_col_value"},
    {"aten::sspaddmm", "", nullptr, Always},
    {"aten::_validate_sparse_coo_tensor_args", ""},
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
    {"aten::scaled_dot_product_attention", "", nullptr, HasOneDtype, AttendByDefinition},
    {"aten::set_", "source_Tensor_storage_offset"},
};

const Composite& Find(const OperatorHandle& op) {
  return *std::find_if(std::begin(kComposites), std::end(kComposites), [&](const Composite& c) {
    return op.operator_name().name == c.name && op.operator_name().overload_name == c.overload;
  });
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

// Composites skip their checks of values if a tensor may be one of Python's (isTensorSubclassLike), as Python's fake
// tensors are. As long as this lives, the tensors of the call and those that this thread makes look like Python's.
// Calls are not dispatched by these keys: the fallback for PythonTLSSnapshot would box each part.
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

  const c10::impl::ExcludeDispatchKeyGuard not_by_keys_{c10::python_ks};
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

void ServeByRule(const OperatorHandle& op, DispatchKeySet keys, Stack& stack, bool requires_grad) {
  {
    const at::AutoDispatchBelowAutograd below;
    op.redispatchBoxed(keys & c10::after_autograd_keyset, &stack);
  }
  KeepRequiringGrad(op, stack, requires_grad);
}

// The ways to run a composite on fakes, in the order in which they are tried. A rule leaves no history.
enum class Way : uint8_t { kAsItIs, kOnGenericData, kPosingOnGenericData, kPosing, kByRule };
constexpr Way kWays[] = {Way::kAsItIs, Way::kOnGenericData, Way::kPosingOnGenericData, Way::kPosing, Way::kByRule};

// The ways that led to a result without known data. They are tried first, because an attempt that fails costs an
// exception.
struct FoundWays {
  explicit FoundWays(const OperatorHandle& op) : composite(Find(op)) {}
  const Composite& composite;
  mutable std::array<std::atomic<Way>, 4> ways = {};  // by what the tensors are
};

class CompositeRun {
 public:
  CompositeRun(const OperatorHandle& op, DispatchKeySet keys, Call& call, const std::vector<at::Tensor>& tensors)
      : op_(op),
        keys_(keys),
        call_(call),
        facts_(op),
        has_rule_(dispatch::InfoOf(op)->rule != nullptr),
        requires_grad_(c10::GradMode::is_enabled() && AnyRequiresGrad(tensors)),
        knows_data_(std::any_of(tensors.begin(), tensors.end(), KnowsData)),
        is_symbolic_(std::any_of(tensors.begin(), tensors.end(), dispatch::HasSymbols)) {}

  void Run() {
    std::atomic<Way>& found = facts_->ways[requires_grad_ + 2 * is_symbolic_];
    const auto rule_first = facts_->composite.rule_first;
    if (rule_first && !requires_grad_ && rule_first(call_.arguments()) && Try(Way::kByRule)) return;
    const Way first = knows_data_ ? Way::kAsItIs : found.load();
    if (first != Way::kAsItIs && Try(first)) return;
    const Way* way = kWays;
    while (!MayTry(*way) || (*way != Last() && !Try(*way))) ++way;
    if (*way == Last()) RunAs(*way);
    if (!knows_data_) found = *way;
  }

 private:
  static bool KnowsData(const at::Tensor& t) {
    const StorageRecord* record = FindRecord(t);
    return record && (record->known || record->draft);
  }

  bool MayTry(Way way) const {
    switch (way) {
      case Way::kAsItIs: return true;
      case Way::kOnGenericData:
      case Way::kPosingOnGenericData: return facts_->composite.masked != nullptr;
      case Way::kPosing: return !has_rule_ || requires_grad_;
      case Way::kByRule: return has_rule_;
    }
    return false;
  }
  Way Last() const { return has_rule_ ? Way::kByRule : Way::kPosing; }
  bool Try(Way way) {
    return call_.Succeeds([&] { RunAs(way); });
  }

  void RunAs(Way way) const {
    Stack& stack = call_.stack();
    switch (way) {
      case Way::kAsItIs: return Decompose();
      case Way::kOnGenericData: {
        const GenericData generic(facts_->composite.masked(call_.arguments()), facts_->composite.truth);
        return RunReducing(op_, stack, [&] { Decompose(); });
      }
      case Way::kPosingOnGenericData: {
        const GenericData generic(facts_->composite.masked(call_.arguments()), facts_->composite.truth);
        if (facts_->composite.prepare) facts_->composite.prepare(stack);
        return RunReducing(op_, stack, [&] { RunPosing(op_, stack); });
      }
      case Way::kPosing: return RunPosing(op_, stack);
      case Way::kByRule: return ServeByRule(op_, keys_, stack, requires_grad_);
    }
  }
  void Decompose() const {
    const auto decompose = facts_->composite.decompose;
    if (decompose && decompose(call_.stack())) return;
    op_.callBoxedForDispatchKey(DispatchKey::CompositeImplicitAutograd, call_.stack());
  }

  const OperatorHandle& op_;
  const DispatchKeySet keys_;
  Call& call_;
  const dispatch::PerOperator<FoundWays> facts_;
  const bool has_rule_, requires_grad_, knows_data_, is_symbolic_;
};

// Above autograd.
void Run(const OperatorHandle& op, DispatchKeySet keys, Stack* stack) {
  ServeRepeated(op, *stack, [&] {
    Call call(op, *stack);
    const auto tensors = call.Tensors();
    if (!HasFake(tensors)) return op.callBoxedForDispatchKey(DispatchKey::CompositeImplicitAutograd, *stack);
    CompositeRun(op, keys, call, tensors).Run();
  });
}

// Used if autograd takes no part, as in inference mode.
void RunBelow(const OperatorHandle& op, DispatchKeySet, Stack* stack) {
  Call call(op, *stack);
  if (!HasFake(call.Tensors())) return ServeInMode(op, *stack);
  if (!call.Succeeds([&] { ServeInMode(op, *stack); })) RunPosing(op, *stack);
}

}  // namespace

void RegisterComposites() {
  for (const Composite& composite : kComposites) {
    const auto op = c10::Dispatcher::singleton().findSchema({composite.name, composite.overload});
    if (!op || !op->hasKernelForDispatchKey(DispatchKey::CompositeImplicitAutograd)) continue;
    RegisterAboveAutograd(*op, c10::KernelFunction::makeFromBoxedFunction<&Run>());
    Register(*op, DispatchKey::Fake, c10::KernelFunction::makeFromBoxedFunction<&RunBelow>());
  }
}

}  // namespace fakeprop::fake
