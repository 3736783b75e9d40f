#include "lib/dispatch/rule_service.h"

#include <ATen/core/stack.h>

#include "lib/dispatch/apply_effects.h"
#include "lib/dispatch/boxed_call.h"
#include "lib/dispatch/dispatch_host.h"
#include "lib/dispatch/fake_tensor.h"
#include "lib/dispatch/ivalues.h"
#include "lib/dispatch/layout_tensors.h"
#include "lib/dispatch/libtorch_version.h"
#include "lib/dispatch/sym_ints.h"
#include "lib/rules/core/common_device.h"

namespace fakeprop::dispatch {
namespace {

thread_local std::string_view operator_without_rule;

// Runs a rule on the arguments of a stack, and applies its effects to the fake tensors.
class TensorCall {
 public:
  TensorCall(const c10::OperatorHandle& op, const OperatorInfo& info)
      : op_(op), schema_(*info.schema), served_(*info.rule) {}

  void Run(torch::jit::Stack& stack) {
    ReadArguments(torch::jit::last(stack, op_.schema().arguments().size()));
    RunRule();
    if (Host* host = Host::Current()) host->NoteEffects(op_, effects_, tensors_);
    for (const Remembered& remembered : effects_.remembered)
      remembered.of->Remember(remembered.asked, remembered.symbol);
    ApplyEffects(op_, effects_, tensors_, stack);
  }

  // An error's operands as arguments of the host's own call; none if one of them is not.
  std::vector<const Tensor*> OuterOperands(const OpError& e) const {
    std::vector<const Tensor*> outer;
    for (const Tensor* operand : e.operands()) {
      Host* host = Host::Current();
      const Tensor* argument = host ? host->FindArgument(FakeOf(tensors_, operand).unsafeGetTensorImpl()) : nullptr;
      if (!argument) return {};
      outer.push_back(argument);
    }
    return outer;
  }

 private:
  void ReadArguments(c10::ArrayRef<c10::IValue> boxed) {
    const ReadTensor read = [this](const at::Tensor& t) { return ReadValue(t); };
    values_.reserve(boxed.size());
    for (size_t i = 0; i < schema_.arguments.size(); ++i) {
      const SchemaArgument& argument = schema_.arguments[i];
      const int position = PositionInLibTorch(op_.schema(), schema_, static_cast<int>(i));
      if (position >= 0) values_.push_back(ToValue(boxed[position], argument.type, read));
      pointers_.push_back(position >= 0 ? &values_.back() : &*argument.default_value);
    }
  }

  // Unwraps a number that LibTorch wrapped in a tensor.
  Value ReadValue(const at::Tensor& fake) {
    const Tensor* t = Read(fake);
    if (fake.unsafeGetTensorImpl()->is_wrapped_number() && t->KnownValue()) return t->constant->front();
    return Read(fake);
  }

  Tensor* Read(const at::Tensor& fake) {
    for (const StandIn& known : tensors_)
      if (known.fake->is_same(fake)) return const_cast<Tensor*>(known.object);
    Tensor* t = objects_.NewTensor(IsStrided(fake) ? ReadMeta(fake) : ReadLayoutMeta(fake), StorageFor(fake));
    t->parts = ReadParts(fake);
    t->own_requires_grad = fake.requires_grad();
    t->is_leaf = fake.is_leaf();
    if (Host* host = Host::Current()) {
      DataHistory history = host->HistoryOf(fake);
      t->storage->version = history.writes;
      t->memos = std::move(history.memos);
      t->constant = host->FindConstant(fake);
      t->constant_version = t->storage->version;
    }
    tensors_.push_back({t, &fake});
    return t;
  }

  // Null for a strided tensor, and for one of oneDNN's layout.
  const SparseParts* ReadParts(const at::Tensor& fake) {
    const PartsInside parts = PartsOf(fake);
    if (!parts.values) return nullptr;
    return objects_.NewParts({.values = Read(*parts.values),
        .indices = Read(*parts.indices),
        .plain = parts.plain ? Read(*parts.plain) : nullptr,
        .is_coalesced = parts.is_coalesced});
  }

  Storage* StorageFor(const at::Tensor& fake) {
    const c10::StorageImpl* storage = StorageOf(fake);
    for (const StandIn& known : tensors_)
      if (StorageOf(*known.fake) == storage) return known.object->storage;
    return objects_.NewStorage(ToDim(storage->sym_nbytes()), FromTorch(fake.device()));
  }

  void RunRule() {
    static const ExecutionState kDefault{.torch = kLibTorch};
    ExecutionState state = Host::Current() ? Host::Current()->state() : kDefault;
    state.grad_enabled = c10::GradMode::is_enabled();
    Call call(schema_, pointers_, state, CommonDevice(schema_, pointers_, served_.devices), effects_);
    fakeprop::RunRule(served_, call);
  }

  const c10::OperatorHandle& op_;
  const Schema& schema_;
  const ServedRule& served_;
  ObjectTable objects_;
  StandIns tensors_;  // those on the stack
  std::vector<Value> values_;
  std::vector<const Value*> pointers_;
  Effects effects_;
};

}  // namespace

WithoutRule::WithoutRule(std::string_view op) : outer_(std::exchange(operator_without_rule, op)) {}
WithoutRule::~WithoutRule() { operator_without_rule = outer_; }
bool LeavesOutRule() { return !operator_without_rule.empty(); }

bool ServeByRule(const c10::OperatorHandle& op, const OperatorInfo& info, torch::jit::Stack& stack) {
  if (!info.rule || info.name == operator_without_rule) return false;
  TensorCall call(op, info);
  try {
    call.Run(stack);
  } catch (const OpError& e) {
    throw OpError(e.error_class(), e.message(), call.OuterOperands(e));
  }
  return true;
}

}  // namespace fakeprop::dispatch
