#include "lib/dispatch/rule_service.h"

#include <ATen/core/stack.h>

#include "lib/base/check.h"
#include "lib/dispatch/boxed_call.h"
#include "lib/dispatch/dispatch_host.h"
#include "lib/dispatch/fake_tensor.h"
#include "lib/dispatch/fallback.h"
#include "lib/dispatch/ivalues.h"
#include "lib/dispatch/libtorch_version.h"
#include "lib/dispatch/sym_ints.h"
#include "lib/rules/core/common_device.h"
#include "lib/rules/rule_table.h"
#include "lib/schema/schema_table.h"

namespace fakeprop::dispatch {
namespace {

thread_local std::string_view operator_without_rule;

// Runs a rule on the arguments of a stack, and applies its effects to the fake tensors.
class TensorCall {
 public:
  TensorCall(const c10::OperatorHandle& op, const Schema& schema, const ServedRule& served)
      : op_(op), schema_(schema), served_(served) {}

  void Run(torch::jit::Stack& stack) {
    const size_t count = op_.schema().arguments().size();
    ReadArguments(torch::jit::last(stack, count));
    RunRule();
    for (const Mutation& mutation : effects_.mutations) Mutate(mutation);
    for (const Remembered& remembered : effects_.remembered)
      remembered.of->Remember(remembered.asked, remembered.symbol);
    torch::jit::Stack results;
    const auto& returns = op_.schema().returns();
    for (size_t i = 0; i < effects_.outputs.size() && i < returns.size(); ++i)
      results.push_back(MakeResult(effects_.outputs[i], returns[i]));
    FAKEPROP_CHECK(results.size() == returns.size());
    torch::jit::drop(stack, count);
    for (c10::IValue& result : results) stack.push_back(std::move(result));
  }

  // An error's operands as arguments of the host's own call; none if one of them is not.
  std::vector<const Tensor*> OuterOperands(const OpError& e) const {
    std::vector<const Tensor*> outer;
    for (const Tensor* operand : e.operands()) {
      Host* host = Host::Current();
      const Tensor* argument = host ? host->FindArgument(FakeOf(operand).unsafeGetTensorImpl()) : nullptr;
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
    for (auto& [tensor, known] : tensors_)
      if (known.is_same(fake)) return tensor;
    Tensor* t = objects_.NewTensor(ReadMeta(fake), StorageOf(fake));
    t->own_requires_grad = fake.requires_grad();
    t->is_leaf = fake.is_leaf();
    if (Host* host = Host::Current()) {
      DataHistory history = host->HistoryOf(fake);
      t->storage->version = history.writes;
      t->memos = std::move(history.memos);
      t->constant = host->FindConstant(fake);
      t->constant_version = t->storage->version;
    }
    tensors_.emplace_back(t, fake);
    return t;
  }

  Storage* StorageOf(const at::Tensor& fake) {
    for (auto& [tensor, known] : tensors_)
      if (known.storage().unsafeGetStorageImpl() == fake.storage().unsafeGetStorageImpl()) return tensor->storage;
    return objects_.NewStorage(ToDim(fake.storage().sym_nbytes()), FromTorch(fake.device()));
  }

  void RunRule() {
    static const ExecutionState kDefault{.torch = kLibTorch};
    ExecutionState state = Host::Current() ? Host::Current()->state() : kDefault;
    state.grad_enabled = c10::GradMode::is_enabled();
    Call call(schema_, pointers_, state, CommonDevice(schema_, pointers_, served_.devices), effects_);
    fakeprop::RunRule(served_, call);
  }

  const at::Tensor& FakeOf(const Tensor* t) const {
    for (auto& [tensor, fake] : tensors_)
      if (tensor == t) return fake;
    throw InternalError("a rule's effects name a tensor that is no argument");
  }

  void Mutate(const Mutation& m) {
    const at::Tensor& fake = FakeOf(m.target);
    if (m.fresh_storage) fake.unsafeGetTensorImpl()->set_storage_keep_dtype(MakeFakeStorage(0, fake.device()));
    if (m.storage_of) fake.unsafeGetTensorImpl()->set_storage_keep_dtype(FakeOf(m.storage_of).storage());
    if (m.nbytes) {
      if (GuardOrFalse(Gt(*m.nbytes, ToDim(fake.storage().sym_nbytes()))))
        fake.storage().set_nbytes(ToSymInt(*m.nbytes));
    }
    if (m.meta) SetGeometry(fake, *m.meta);
    // Below autograd, or if the schema does not declare the write (running statistics), the write is not noted anywhere
    // else.
    if (m.writes && Host::Current()) Host::Current()->NoteWrite(fake);
  }

  c10::IValue MakeResult(const Output& o, const c10::Argument& result) {
    switch (o.kind) {
      case Output::Kind::kValue: return ToIValue(o.value, result, [this](Tensor& t) { return FakeOf(&t); });
      case Output::Kind::kArgument: return FakeOf(o.source);
      case Output::Kind::kNew:
      case Output::Kind::kView:
      case Output::Kind::kAlias: return MakeTensor(o);
      case Output::Kind::kList: break;
    }
    c10::impl::GenericList list(result.type()->expectRef<c10::ListType>().getElementType());
    for (const Output& item : o.items) list.push_back(MakeResult(item, result));
    return list;
  }

  at::Tensor MakeTensor(const Output& o) {
    at::Tensor fake = MakeUnremembered(o);
    if (o.constant && Host::Current()) Host::Current()->RememberConstant(fake, o.constant);
    made_.push_back(fake);
    return fake;
  }

  at::Tensor MakeUnremembered(const Output& o) {
    if (o.kind != Output::Kind::kNew) {
      const at::Tensor& source = FakeOf(o.source);
      return MakeFakeAlias(o.meta, source.storage(), source.key_set());
    }
    if (o.shares_with >= 0) {
      const at::Tensor& source = made_[o.shares_with];
      return MakeFakeAlias(o.meta, source.storage(), source.key_set());
    }
    return MakeFakeTensor(o.meta, MakeFakeStorage(o.nbytes.value_or(StorageNbytes(o.meta)), ToTorch(o.meta.device)));
  }

  const c10::OperatorHandle& op_;
  const Schema& schema_;
  const ServedRule& served_;
  ObjectTable objects_;
  std::vector<std::pair<Tensor*, at::Tensor>> tensors_;
  std::vector<Value> values_;
  std::vector<const Value*> pointers_;
  Effects effects_;
  std::vector<at::Tensor> made_;
};

}  // namespace

WithoutRule::WithoutRule(std::string_view op) : outer_(std::exchange(operator_without_rule, op)) {}
WithoutRule::~WithoutRule() { operator_without_rule = outer_; }

bool ServeByRule(const c10::OperatorHandle& op, const Schema* schema, torch::jit::Stack& stack) {
  const ServedRule* served = schema && schema->full_name != operator_without_rule ? FindRule(*schema) : nullptr;
  if (!served) return false;
  TensorCall call(op, *schema, *served);
  try {
    call.Run(stack);
  } catch (const OpError& e) {
    throw OpError(e.error_class(), e.message(), call.OuterOperands(e));
  }
  return true;
}

}  // namespace fakeprop::dispatch
