#include "lib/fake/serve.h"

#include <ATen/core/Tensor.h>
#include <ATen/core/stack.h>
#include <ATen/ops/empty.h>
#include <c10/core/DefaultDtype.h>
#include <c10/core/InferenceMode.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "lib/dispatch/fake_tensor.h"
#include "lib/dispatch/fallback.h"
#include "lib/dispatch/for_each_tensor.h"
#include "lib/dispatch/ivalues.h"
#include "lib/dispatch/libtorch_version.h"
#include "lib/dispatch/operator_info.h"
#include "lib/dispatch/rule_service.h"
#include "lib/dispatch/sym_ints.h"
#include "lib/dispatch/tensor_elements.h"
#include "lib/fake/call_key.h"
#include "lib/fake/constants.h"
#include "lib/fake/converter.h"
#include "lib/fake/cross_check.h"
#include "lib/fake/drafts.h"
#include "lib/fake/equality.h"
#include "lib/fake/generic_data.h"
#include "lib/fake/mode_info.h"
#include "lib/fake/mode_operator.h"
#include "lib/fake/one_device.h"
#include "lib/fake/repeated_results.h"
#include "lib/fake/special_calls.h"
#include "lib/fake/sym_nodes.h"
#include "lib/fake/throw_for.h"
#include "lib/fake/watched_call.h"
#include "lib/rules/support/most_elements.h"

namespace fakeprop::fake {
namespace {

using c10::OperatorHandle;
using torch::jit::Stack;

std::string NameOf(const OperatorHandle& op) { return dispatch::FullName(op.operator_name()); }

// The mode of the call: that of its tensors. If a mode is on, it must be `mode`.
std::shared_ptr<ModeState> FindMode(const OperatorHandle& op, const Stack& stack, std::shared_ptr<ModeState> mode) {
  for (const c10::IValue& argument : torch::jit::last(stack, op.schema().arguments().size())) {
    dispatch::ForEachTensor(argument, [&](const at::Tensor& t) {
      ModeState* found = ModeOf(t);
      if (found && mode && found != mode.get())
        throw NotFake(NameOf(op),
            "Mixing fake modes: a tensor is a fake of another FakeTensorMode than the one that is on "
            "or than the call's other tensors");
      if (found && !mode) mode = found->shared_from_this();
    });
  }
  return mode;
}

// Makes the call's real tensors fake, if the mode's options or the operator allow it.
class RealArguments {
 public:
  RealArguments(const OperatorHandle& op, const ModeOperator& facts, ModeState& mode, bool is_inner)
      : op_(op), facts_(facts), mode_(mode), is_inner_(is_inner) {}

  void Convert(Stack& stack) const {
    const auto& arguments = op_.schema().arguments();
    for (size_t i = 0; i < arguments.size(); ++i) {
      c10::IValue& value = stack[stack.size() - arguments.size() + i];
      bool all_fake = true;
      dispatch::ForEachTensor(value, [&](const at::Tensor& t) { all_fake &= ModeOf(t) == &mode_; });
      if (!all_fake) value = dispatch::MapTensors(value, [&](const at::Tensor& t) { return ConvertOne(t, i); });
    }
  }

 private:
  at::Tensor ConvertOne(const at::Tensor& t, size_t argument) const {
    if (ModeOf(t) == &mode_) return t;
    if (IsNumber(t) || facts_.is_lift) return FromLiteral(mode_, t);
    if (mode_.options().allow_non_fake_inputs || IsCopying()) return FromReal(mode_, t);
    throw NotFake(NameOf(op_),
        "Please convert all Tensors to FakeTensors first or instantiate FakeTensorMode with "
        "allow_non_fake_inputs. Found a real tensor as argument `" +
            op_.schema().arguments()[argument].name() + "` of " + NameOf(op_));
  }

  bool IsNumber(const at::Tensor& t) const {
    if (t.unsafeGetTensorImpl()->is_wrapped_number()) return true;
    const bool plain = t.dim() == 0 && t.device().is_cpu() && t.layout() == at::kStrided && !t.requires_grad();
    return plain && (is_inner_ || facts_.takes_numbers);
  }

  const OperatorHandle& op_;
  const ModeOperator& facts_;
  ModeState& mode_;
  const bool is_inner_;
};

// As long as it lives, rules make symbols in the mode's environment, and guards name the operator.
class AskedHere {
 public:
  AskedHere(ModeState& mode, const OperatorHandle& op)
      : env_(mode.options().shape_env.get()), lock_(SymbolsMutex(), std::defer_lock) {
    if (!env_) return;
    lock_.lock();
    saved_ = env_->place();
    env_->SetPlace({op.operator_name().name, ""});
  }
  ~AskedHere() {
    if (env_) env_->SetPlace(saved_);
  }
  AskedHere(const AskedHere&) = delete;

 private:
  ShapeEnv* const env_;
  std::unique_lock<std::recursive_mutex> lock_;
  const CurrentShapeEnv current_{env_};
  GraphPlace saved_;
};

bool IsAboutData(const OpError& e) {
  return e.error_class() == ErrorClass::kDataDependentOutput || e.error_class() == ErrorClass::kDynamicOutputShape;
}

bool AnswerNan(const OperatorHandle& op, Stack& stack) {
  const at::Tensor t = stack.back().toTensor();
  const bool is_integer = c10::isIntegralType(t.scalar_type(), /*includeBool=*/true);
  if (is_integer || t.sym_numel() != 1 || KnownValue(t).defined()) return false;
  TORCH_WARN(NameOf(op), " (item()) of ", Repr(t), ", which is not known, gives NaN");
  stack.back() = c10::Scalar(std::numeric_limits<double>::quiet_NaN());
  return true;
}

bool KnowsData(const OperatorHandle& op, const Stack& stack) {
  bool knows = false;
  for (const c10::IValue& argument : torch::jit::last(stack, op.schema().arguments().size()))
    dispatch::ForEachTensor(argument, [&](const at::Tensor& t) { knows |= KnownValue(t).defined(); });
  return knows;
}

// With a ShapeEnv an attempt would give symbols that formulas cannot decide on. Without one it would fail, which costs
// an exception.
bool AnswerAtOnce(const ModeState& mode, const OperatorHandle& op, const ModeOperator& facts, Stack& stack) {
  if (!facts.asks_for_data) return false;
  const bool is_decided = facts.is_decided && facts.is_decided(torch::jit::last(stack, op.schema().arguments().size()));
  const bool may_fail = is_decided || (!facts.is_decided && !KnowsData(op, stack));
  return (mode.options().shape_env || may_fail) && AnswerForGenericData(op, stack);
}

void ServeOrAnswer(ModeState& mode, const OperatorHandle& op, const ModeOperator& facts, Stack& stack) {
  if (AnswerAtOnce(mode, op, facts, stack)) return;
  if (facts.is_item && mode.options().unknown_floats_are_nan && AnswerNan(op, stack)) return;
  try {
    if (!facts.special || !facts.special(mode, op, stack)) dispatch::Serve(op, stack);
  } catch (const OpError& e) {
    if (!IsAboutData(e) || !AnswerForGenericData(op, stack)) ThrowFor(NameOf(op), e);
  }
}

// The arguments that the schema says are written to. Their storages may grow in the call.
c10::SmallVector<at::Tensor, 2> WrittenOf(const OperatorHandle& op, const Stack& stack) {
  c10::SmallVector<at::Tensor, 2> written;
  const dispatch::InfoOf info(op);
  const auto arguments = torch::jit::last(stack, op.schema().arguments().size());
  for (const size_t i : info->written)
    dispatch::ForEachTensor(arguments[i], [&](const at::Tensor& t) { written.push_back(t); });
  return written;
}

// In inference mode a view of a normal tensor is a normal one, and follows its base. LibTorch does this for the views
// that composites consist of.
bool HasNormalFake(const OperatorHandle& op, const Stack& stack) {
  bool found = false;
  for (const c10::IValue& argument : torch::jit::last(stack, op.schema().arguments().size()))
    dispatch::ForEachTensor(argument, [&](const at::Tensor& t) { found |= ModeOf(t) && !t.is_inference(); });
  return found;
}

// A thread that records for lib/deferred_init has the data at hand.
bool RecordsCalls() { return c10::impl::tls_local_dispatch_key_set().included_.has(c10::DispatchKey::DeferredInit); }

// One call under a mode.
class ModeCall {
 public:
  ModeCall(const OperatorHandle& op, const ModeOperator& facts, Stack& stack)
      : op_(op),
        facts_(facts),
        stack_(stack),
        is_decided_(facts.is_decided && facts.is_decided(torch::jit::last(stack, op.schema().arguments().size()))) {}

  // Serves the call by the effects of an equal one. Returns false if there was none. `mode` is null if no mode is on.
  bool ServeAgain(ModeState* mode, ModeHost* inner) {
    if (!MayRepeat() || dispatch::LeavesOutRule() || (mode && mode->options().cross_check && !inner)) return false;
    std::unique_lock lock(SymbolsMutex(), std::defer_lock);
    if (!mode || mode->options().shape_env) lock.lock();
    has_key_ = ReadKey(mode) && !key_.mode()->options().cross_check && !MayNeedData();
    const KeptCall* kept = has_key_ ? key_.mode()->calls().Find(key_) : nullptr;
    if (!kept) return false;
    Replay(*kept, inner);
    return true;
  }

  void Serve(ModeState& mode, bool is_inner) {
    const AskedHere symbols(mode, op_);
    const rules::AssumeMostElements most(!mode.options().shape_env && !RecordsCalls());
    BelowMode below(mode);
    RealArguments(op_, facts_, mode, is_inner).Convert(stack_);
    if (const auto answer = facts_.is_equal ? AnswerEqual(mode, stack_) : std::nullopt) {
      torch::jit::drop(stack_, 2);
      return torch::jit::push(stack_, *answer);
    }
    if (facts_.is_on_one_device) RequireOneDevice(op_, stack_);
    ConstantsCall constants(op_, stack_);
    if (constants.AnswerByData(stack_)) return;
    if (constants.has_run()) below.host().KeepKnown();
    if (has_key_) below.host().KeepEffects(key_);
    const auto written = WrittenOf(op_, stack_);
    const auto number = Number(is_inner);
    IsWatched(mode) ? ServeWatched(mode) : ServeOrAnswer(mode, op_, facts_, stack_);
    constants.Finish(stack_);
    if (number) RememberNumber(stack_.back().toTensor(), *number);
    for (const at::Tensor& t : written) Recount(t);
  }

 private:
  void Replay(const KeptCall& kept, const ModeHost* inner) {
    const auto number = Number(inner != nullptr);
    const auto written = key_.has_known() ? WrittenOf(op_, stack_) : c10::SmallVector<at::Tensor, 2>();
    if (!kept.transient.empty()) CountTransient(*key_.mode(), kept);
    if (!kept.bumps.empty()) CountVersions(kept, key_);
    kept.model ? fake::Replay(op_, kept, key_, stack_) : ReplayEffects(kept);
    if (!written.empty()) {  // another argument is not known
      const BelowMode below(*key_.mode());
      for (const at::Tensor& t : written) Forget(t);
    }
    if (facts_.makes_zeros) {
      const BelowMode below(*key_.mode());
      stack_.back() = AsZeroTensor(stack_.back().toTensor());
    }
    if (facts_.opens) OpenForWriting(stack_.back().toTensor());
    if (number) RememberNumber(stack_.back().toTensor(), *number);
  }
  // Storages may grow.
  void ReplayEffects(const KeptCall& kept) {
    const auto written = WrittenOf(op_, stack_);
    const BelowMode below(*key_.mode());
    fake::Replay(op_, kept, key_, stack_);
    for (const at::Tensor& t : written) Recount(t);
  }
  // Serve closes drafts as well.
  bool ReadKey(ModeState* mode) {
    const auto read = [&] { return key_.Read(op_, torch::jit::last(stack_, op_.schema().arguments().size()), mode); };
    if (read()) return true;
    if (!CloseDrafts(op_, stack_)) return false;
    key_ = CallKey();
    return read();
  }
  bool MayRepeat() const { return facts_.is_repeatable || facts_.is_watched || is_decided_; }
  bool MayNeedData() const { return facts_.depends_on_data && !is_decided_ && !NeedsNoData(*key_.mode()); }
  // Whether LibTorch's own code serves the call, or it is answered without a rule, and an equal one can repeat that.
  bool IsWatched(const ModeState& mode) const {
    const FakeTensorModeOptions& options = mode.options();
    if (!has_key_ || !(facts_.is_watched || is_decided_) || c10::InferenceMode::is_enabled()) return false;
    if (options.allow_fallback_kernels || options.unknown_floats_are_nan) return false;  // they warn each time
    return is_decided_ || !AnswersForGenericData();
  }
  void ServeWatched(ModeState& mode) {
    // The key refers to tensors on the stack.
    const Stack arguments = torch::jit::last(stack_, op_.schema().arguments().size()).vec();
    CallKey key;
    if (!key.Read(op_, arguments, &mode)) return ServeOrAnswer(mode, op_, facts_, stack_);
    WatchedCall watched(op_, key);
    ServeOrAnswer(mode, op_, facts_, stack_);
    auto kept = watched.Describe(torch::jit::last(stack_, op_.schema().returns().size()));
    if (kept && kept->views.empty() && KnowledgeOf(mode.options().shape_env.get()) == key.knowledge())
      mode.calls().Keep(key, *std::move(kept), StandInsFor(key));
  }
  // What scalar_tensor puts into its result, if torch::tensor asks for it: below autograd. As in Python, the results of
  // at::scalar_tensor and of other factories are not known.
  std::optional<c10::Scalar> Number(bool is_inner) const {
    if (!facts_.is_number || is_inner || !IsBelowAutograd()) return std::nullopt;
    return torch::jit::peek(stack_, 0, op_.schema().arguments().size()).toScalar();
  }

  const OperatorHandle& op_;
  const ModeOperator& facts_;
  Stack& stack_;
  const bool is_decided_;
  CallKey key_;
  bool has_key_ = false;
};

ExecutionState StateOfThread(const ModeState& mode) {
  ExecutionState state{.torch = dispatch::kLibTorch};
  state.grad_enabled = c10::GradMode::is_enabled();
  state.default_dtype = FromTorch(c10::get_default_dtype_as_scalartype());
  state.allow_fallback_kernels = mode.options().allow_fallback_kernels;
  return state;
}

}  // namespace

ModeHost::ModeHost(ModeState& mode)
    : Host(StateOfThread(mode), dispatch::DataPointers::kForbidden), mode_(mode), symbols_(mode) {}

at::Tensor ModeHost::FakeOf(const at::Tensor& real) { return FromLiteral(mode_, real); }

void ModeHost::RememberConstant(const at::Tensor& tensor, Constant constant) {
  if (dispatch::HasSymbols(tensor)) return;
  if (tensor.numel() != static_cast<int64_t>(constant->size()) || tensor.numel() > kMostKnownElements) return;
  if (tensor.is_contiguous() && tensor.storage_offset() == 0)
    RememberLiteral(tensor, RealOf(*constant, dispatch::ReadMeta(tensor)));
}

c10::SymNode ModeSymbols::ToSymbol(Sym expression) const {
  const auto& env = mode_.options().shape_env;
  return env && expression->env == env.get() ? SymbolOf(expression, env) : c10::SymNode();
}

Sym ModeSymbols::FromSymbol(const c10::SymNodeImpl& symbol) const {
  const auto& env = mode_.options().shape_env;
  return env ? ExpressionOf(symbol, *env) : nullptr;
}

Constant ModeHost::FindConstant(const at::Tensor& tensor) const {
  if (const StorageRecord* record = FindRecord(tensor); record && record->draft) return nullptr;  // the call keeps it
  const at::Tensor value = KnownValue(tensor);
  if (!value.defined()) return nullptr;
  const RealScope real;
  return dispatch::ReadElements(value);
}

void ModeHost::NoteEffects(const OperatorHandle&, const Effects& effects, c10::ArrayRef<dispatch::StandIn> tensors) {
  const CallKey* key = std::exchange(key_, nullptr);
  // What was learned in this call, an equal one knows before.
  if (key && KnowledgeOf(mode_.options().shape_env.get()) == key->knowledge())
    mode_.calls().Keep(*key, {effects}, tensors);
}

void ModeHost::NoteWrite(const at::Tensor& tensor) {
  if (StorageRecord* record = FindRecord(tensor)) ++record->writes;
  if (!keeps_known_) Forget(tensor);
}

dispatch::DataHistory ModeHost::HistoryOf(const at::Tensor& tensor) const {
  const StorageRecord* record = FindRecord(tensor);
  return {MemosOf(tensor), record ? record->writes : 0};
}

// The result has symbols, so the mode must have a ShapeEnv.
std::shared_ptr<Memos> ModeHost::MemosOf(const at::Tensor& tensor) const {
  auto* impl = dynamic_cast<dispatch::FakeTensorImpl*>(tensor.unsafeGetTensorImpl());
  if (!impl || !mode_.options().shape_env) return nullptr;
  if (!impl->memos) impl->memos = std::make_shared<Memos>();
  return impl->memos;
}

c10::DataPtr ModeHost::NewStorageContext(int64_t nbytes, c10::Device device) {
  return NewRecord(mode_.shared_from_this(), nbytes, device);
}

namespace {

void ServeCall(const OperatorHandle& op, const ModeOperator& facts, Stack& stack, ModeHost* inner) {
  const ModeInfo* info = inner ? nullptr : CurrentInfo();
  ModeState* on = inner ? &inner->mode() : info ? info->mode.get() : nullptr;
  if (facts.is_composite_view && !inner && c10::InferenceMode::is_enabled() && HasNormalFake(op, stack))
    return op.callBoxedForDispatchKey(c10::DispatchKey::CompositeImplicitAutograd, stack);
  ModeCall call(op, facts, stack);
  if (call.ServeAgain(on, inner)) return;
  const auto mode = FindMode(op, stack, on ? on->shared_from_this() : nullptr);
  if (!mode) return dispatch::Serve(op, stack);  // fakes of another library
  if (mode->options().cross_check && !inner) return RunCrossChecked(op, stack);
  call.Serve(*mode, inner != nullptr);
}

// Autograd does not count the versions, as it leaves that to the calls that the kernel makes.
void ServeCountingVersions(const OperatorHandle& op, const ModeOperator& facts, Stack& stack, ModeHost* inner) {
  const auto written = WrittenOf(op, stack);
  ServeCall(op, facts, stack, inner);
  if (c10::impl::tls_is_dispatch_key_excluded(c10::DispatchKey::ADInplaceOrView)) return;
  for (const at::Tensor& t : written) t.unsafeGetTensorImpl()->bump_version();
}

}  // namespace

bool NeedsNoData(const ModeState& mode) { return !mode.options().shape_env && !RecordsCalls(); }

void ServeInMode(const OperatorHandle& op, Stack& stack) {
  auto* outer = dispatch::Host::Current();
  auto* inner = dynamic_cast<ModeHost*>(outer);
  if (outer && !inner) return dispatch::Serve(op, stack);
  const ModeOperatorOf facts(op);
  facts->counts_versions ? ServeCountingVersions(op, *facts, stack, inner) : ServeCall(op, *facts, stack, inner);
}

}  // namespace fakeprop::fake
