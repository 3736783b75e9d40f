#include "lib/deferred_init/recorder.h"

#include <ATen/core/Tensor.h>
#include <ATen/core/stack.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include <algorithm>
#include <atomic>
#include <mutex>

#include "lib/deferred_init/chunks.h"
#include "lib/deferred_init/data_access.h"
#include "lib/deferred_init/draws.h"
#include "lib/deferred_init/recording_hooks.h"
#include "lib/deferred_init/replay_calls.h"
#include "lib/dispatch/fallback.h"
#include "lib/dispatch/for_each_tensor.h"
#include "lib/fake/mode_state.h"

namespace fakeprop::deferred_init {
namespace {

using c10::DispatchKey;
using c10::DispatchKeySet;
using c10::IValue;
using c10::OperatorHandle;
using torch::jit::Stack;

thread_local NeedsData needs_data = NeedsData::kMaterialize;

// Operators that read the sizes of their tensor arguments and nothing else.
constexpr std::string_view kLikeOnly[] = {"aten::empty_like", "aten::zeros_like", "aten::ones_like", "aten::full_like",
    "aten::rand_like", "aten::randn_like", "aten::randint_like", "aten::new_empty", "aten::new_empty_strided",
    "aten::new_zeros", "aten::new_ones", "aten::new_full"};

bool IsLikeOnly(const OperatorHandle& op) {
  return std::find(std::begin(kLikeOnly), std::end(kLikeOnly), op.operator_name().name) != std::end(kLikeOnly);
}

// Operators that change running statistics, if they train, and whose schemas do not say so.
constexpr std::string_view kChangesStatistics[] = {"aten::batch_norm", "aten::_batch_norm_impl_index",
    "aten::native_batch_norm", "aten::cudnn_batch_norm", "aten::miopen_batch_norm", "aten::instance_norm",
    "aten::batch_norm_update_stats", "aten::batch_norm_gather_stats", "aten::batch_norm_gather_stats_with_counts"};

bool Trains(const OperatorHandle& op, const std::vector<IValue>& arguments) {
  if (std::find(std::begin(kChangesStatistics), std::end(kChangesStatistics), op.operator_name().name) ==
      std::end(kChangesStatistics))
    return false;
  const auto& formal = op.schema().arguments();
  for (size_t i = 0; i < formal.size(); ++i)
    if (formal[i].name() == "training" || formal[i].name() == "train" || formal[i].name() == "use_input_stats")
      return arguments[i].toBool();
  return true;
}

// Lists are copied, because the program may change them. Objects that can change otherwise cannot be recorded.
IValue CopyArgument(const OperatorHandle& op, size_t i, const IValue& value) {
  if (value.isTensor() || value.isNone() || value.isScalar() || value.isString() || value.isDevice() ||
      value.isGenerator())
    return value;
  if (value.isList()) return value.toList().copy();
  throw DeferredInitError(dispatch::FullName(op.operator_name()),
      "the argument `" + op.schema().arguments()[i].name() + "` of " + dispatch::FullName(op.operator_name()) +
          " is a " + value.tagKind() +
          ", which may change before the call is replayed; make the tensor outside of the recording");
}

uint64_t NextOrder() {
  static std::atomic<uint64_t> last = 0;
  return ++last;
}

// A deferred tensor as an argument of a call that is about to be recorded.
Input MakeInput(const at::Tensor& t, uint32_t argument, uint32_t element) {
  const Recording& recording = *FindRecording(t);
  const Group* group = FindGroup(t);
  Input input;
  input.argument = argument;
  input.element = element;
  input.slot = recording.slot;
  input.bytes = group->bytes;
  input.last_reshape = recording.last_reshape;
  input.last_write = group->last_write;
  input.is_leaf_that_requires_grad = t.requires_grad() && t.is_leaf();
  return input;
}

// Moves the deferred tensors of an argument into the node's inputs.
void TakeInputs(Node& node, uint32_t argument) {
  IValue& value = node.arguments[argument];
  ForEachElement(value, [&](const at::Tensor& t, uint32_t element) {
    if (FindRecording(t)) node.inputs.push_back(MakeInput(t, argument, element));
    else node.reals.emplace_back(t);
  });
  value = dispatch::MapTensors(value, [](const at::Tensor& t) { return FindRecording(t) ? at::Tensor() : t; });
}

void RegisterReader(const std::shared_ptr<Node>& node) {
  for (const Input& input : node->inputs) {
    if (input.like_only) continue;
    input.slot->readers.Add(node);
    if (!input.reads) continue;
    input.bytes->readers.Add(node);
    if (node->tracks_grad) input.bytes->tracked.Add(node);
  }
}

// One call under a recording.
class RecordedCall {
 public:
  RecordedCall(const OperatorHandle& op, DispatchKeySet keys, Stack& stack)
      : op_(op),
        keys_(keys & DispatchKeySet(DispatchKeySet::FULL_AFTER, DispatchKey::DeferredInit)),
        stack_(stack),
        arguments_(torch::jit::last(stack, op.schema().arguments().size()).vec()) {}

  void Run() {
    const std::lock_guard lock(GraphMutex());
    state_ = ReadThreadState();
    const c10::impl::ExcludeDispatchKeyGuard not_again(DispatchKey::DeferredInit);
    LookAtTensors();
    if (RunsForReal()) return RunForReal();
    if (writes_real_) return RunOnData("it writes to a real tensor");
    Record();
  }

 private:
  std::string Name() const { return dispatch::FullName(op_.operator_name()); }

  bool IsWritten(const c10::Argument& argument) const {
    if (argument.alias_info() && argument.alias_info()->isWrite()) return true;
    return trains_ && (argument.name() == "running_mean" || argument.name() == "running_var");
  }

  void LookAtTensors() {
    const auto& formal = op_.schema().arguments();
    for (size_t i = 0; i < formal.size(); ++i) {
      ForEachElement(arguments_[i], [&](const at::Tensor& t, uint32_t) {
        RequireRecorded(Name(), formal[i].name(), t);
        const bool is_deferred = FindRecording(t);
        has_deferred_ |= is_deferred;
        has_real_ |= !is_deferred;
        (is_deferred ? writes_deferred_ : writes_real_) |= IsWritten(formal[i]);
      });
    }
  }

  // Calls on real tensors alone are not put off, except those that only look at sizes: their results are new.
  bool RunsForReal() const {
    if (has_deferred_) return false;
    return !fake::CurrentMode() || (has_real_ && !IsLikeOnly(op_));
  }

  void RunForReal() {
    if (MayDraw(op_, arguments_)) SettleGenerators();
    const UnsetFakeTemporarily real;
    op_.callBoxed(stack_);
  }

  // Makes the deferred arguments real, and runs the call at once.
  void RunOnData(const std::string& why) {
    if (needs_data == NeedsData::kRaise)
      throw DeferredInitError(Name(), Name() + " needs the data of a deferred tensor, since " + why);
    if (writes_deferred_)
      throw DeferredInitError(Name(), Name() + " writes to a deferred tensor and cannot be put off, since " + why);
    Restore();
    for (size_t i = stack_.size() - arguments_.size(); i < stack_.size(); ++i)
      stack_[i] =
          dispatch::MapTensors(stack_[i], [](const at::Tensor& t) { return FindRecording(t) ? RealOf(t, {}) : t; });
    RunForReal();
  }

  void Restore() {
    stack_.resize(below_);
    stack_.insert(stack_.end(), arguments_.begin(), arguments_.end());
  }

  void Record() {
    const auto node = MakeNode();
    try {
      CallOnFakes();
    } catch (const DataDependentOutput& e) {
      return RunOnData("its result depends on the data");
    } catch (const DynamicOutputShape& e) {
      return RunOnData("the shape of its result depends on the data");
    } catch (const GuardOnDataDependentSymNode& e) {
      return RunOnData("it decides by the data");
    }
    Finish(node);
  }

  std::shared_ptr<Node> MakeNode() const {
    std::shared_ptr<Node> node(new Node);
    node->op = op_;
    node->order = NextOrder();
    node->state = state_;
    const auto& formal = op_.schema().arguments();
    const bool like_only = IsLikeOnly(op_);
    for (size_t i = 0; i < formal.size(); ++i) {
      node->arguments.push_back(CopyArgument(op_, i, arguments_[i]));
      const size_t first = node->inputs.size();
      TakeInputs(*node, static_cast<uint32_t>(i));
      for (size_t k = first; k < node->inputs.size(); ++k) Describe(node->inputs[k], formal[i], like_only);
    }
    return node;
  }

  void Describe(Input& input, const c10::Argument& formal, bool like_only) const {
    const bool is_written = IsWritten(formal);
    const bool shapes_only = op_.hasTag(at::Tag::inplace_view);
    input.reshapes = is_written && shapes_only;
    input.writes = is_written && (!shapes_only || op_.operator_name().name == "aten::resize_");
    input.like_only = like_only;
    if (like_only || input.writes || IsElementwise(op_))
      input.geometry = std::make_shared<const Geometry>(TensorOf(input));
  }

  const at::Tensor TensorOf(const Input& input) const {
    const IValue& value = arguments_[input.argument];
    return value.isTensor() ? value.toTensor() : value.toListRef()[input.element].toTensor();
  }

  void CallOnFakes() {
    // Real tensors among the arguments are taken in.
    const bool was_copying = std::exchange(fake::IsCopying(), fake::IsCopying() || has_real_);
    try {
      op_.redispatchBoxed(keys_, &stack_);
    } catch (...) {
      fake::IsCopying() = was_copying;
      throw;
    }
    fake::IsCopying() = was_copying;
  }

  void Finish(const std::shared_ptr<Node>& node) {
    const auto results = torch::jit::last(stack_, op_.schema().returns().size());
    for (Input& input : node->inputs) AfterCall(input, node, results);
    bool has_new = false;
    for (size_t i = 0; i < results.size(); ++i)
      ForEachElement(results[i], [&](const at::Tensor& t, uint32_t element) {
        node->tracks_grad |= t.requires_grad() && !t.is_leaf();
        if (!IsFakeTensor(t) || FindRecording(t)) return;
        if (!FindGroup(t)) node->made_bytes += static_cast<int64_t>(t.storage().nbytes());
        Attach(t, node, static_cast<uint32_t>(i), element);
        has_new = true;
      });
    if (!has_new && !writes_deferred_) return;  // such as sym_size
    RegisterReader(node);
    if (MayDraw(op_, arguments_)) Draw(node, results);
  }

  // Who writes to what is known by the schema; which arguments are only viewed, by the storages of the results.
  void AfterCall(Input& input, const std::shared_ptr<Node>& node, c10::ArrayRef<IValue> results) const {
    const at::Tensor t = TensorOf(input);
    Recording& recording = *FindRecording(t);
    if (input.reshapes || ChangedShape(input, t)) {
      input.reshapes = true;
      recording.last_reshape = node;
      Join(t);
    }
    if (input.writes) FindGroup(t)->last_write = node;
    input.reads = !input.like_only && !(input.reshapes && !input.writes) && (input.writes || !IsViewed(t, results));
  }

  static bool ChangedShape(const Input& input, const at::Tensor& t) {
    return input.geometry && input.writes &&
           (t.sizes() != input.geometry->sizes || t.strides() != input.geometry->strides);
  }

  // Autograd's own views share the storage as well, so the results decide.
  static bool IsViewed(const at::Tensor& t, c10::ArrayRef<IValue> results) {
    bool all_share = true, any = false;
    for (const IValue& result : results)
      ForEachElement(result, [&](const at::Tensor& r, uint32_t) {
        any = true;
        all_share &= SharesStorage(r, t);
      });
    return any && all_share;
  }

  void Draw(const std::shared_ptr<Node>& node, c10::ArrayRef<IValue> results) {
    const at::Tensor result = results[0].toTensor();
    const std::optional<Draws> draws = CountDraws(op_, arguments_, result);
    node->draws_on = result.device();
    const bool on_cpu = result.device().is_cpu();
    RandomPlace place = on_cpu ? PlaceOf(GeneratorOf(arguments_)) : PlaceOnDevice(result.device());
    if (draws) place.after = draws->After(place.offset);
    node->random = place;
    if (draws) return on_cpu ? MovePast(place) : MovePastOnDevice(result.device(), place);
    if (on_cpu) DrawNow(node);
  }

  // Nobody knows how far the call moves the generator, so it runs at once.
  void DrawNow(const std::shared_ptr<Node>& node) {
    Plan plan;
    plan.AddNode(node);
    SettleGenerators();
    node->random.reset();
    plan.Run({});
  }

  const OperatorHandle& op_;
  const DispatchKeySet keys_;
  Stack& stack_;
  const std::vector<IValue> arguments_;
  const size_t below_ = stack_.size() - arguments_.size();
  const bool trains_ = Trains(op_, arguments_);
  std::shared_ptr<const ThreadState> state_;
  bool has_deferred_ = false, has_real_ = false, writes_real_ = false, writes_deferred_ = false;
};

void Fallback(const OperatorHandle& op, DispatchKeySet keys, Stack* stack) { RecordedCall(op, keys, *stack).Run(); }

}  // namespace

void RequireRecorded(const std::string& op, const std::string& argument, const at::Tensor& tensor) {
  if (!IsFakeTensor(tensor) || FindRecording(tensor)) return;
  throw c10::ValueError(
      "the argument `" + argument + "` of " + op +
      " is a fake tensor that was not made in a deferred initialisation, so nothing can be recorded of it");
}

HookCall::HookCall(CallKind kind, std::vector<at::Tensor> arguments) : node_(new Node) {
  const std::lock_guard lock(GraphMutex());
  node_->kind = kind;
  for (size_t i = 0; i < arguments.size(); ++i)
    RequireRecorded(node_->Name(), node_->ArgumentName(static_cast<uint32_t>(i)), arguments[i]);
  node_->order = NextOrder();
  node_->state = ReadThreadState();
  for (size_t i = 0; i < arguments.size(); ++i) {
    node_->arguments.emplace_back(arguments[i]);
    TakeInputs(*node_, static_cast<uint32_t>(i));
  }
  for (Input& input : node_->inputs) input.reads = false;
}

void HookCall::Finish(const at::Tensor& result) {
  const std::lock_guard lock(GraphMutex());
  if (node_->kind == CallKind::kSetData) {
    node_->inputs.front().reshapes = true;
    FindRecording(result)->last_reshape = node_;
    Join(result);
  } else {
    Attach(result, node_, 0, 0);
  }
  RegisterReader(node_);
}

bool IsRecording() {
  return c10::impl::tls_is_dispatch_key_included(DispatchKey::DeferredInit) &&
         !c10::impl::tls_is_dispatch_key_excluded(DispatchKey::DeferredInit);
}

NeedsData SetNeedsData(NeedsData what) { return std::exchange(needs_data, what); }
NeedsData CurrentNeedsData() { return needs_data; }

void Prepare() {
  static std::once_flag once;
  std::call_once(once, [] {
    // Kept until the process ends, because the dispatcher may be destroyed before other static objects.
    static auto* const registration = new c10::RegistrationHandleRAII(c10::Dispatcher::singleton().registerFallback(
        DispatchKey::DeferredInit, c10::KernelFunction::makeFromBoxedFunction<&Fallback>(), "fakeprop"));
    static_cast<void>(registration);
    InstallRecordingHooks();
    WatchDataAccess();
  });
}

}  // namespace fakeprop::deferred_init
