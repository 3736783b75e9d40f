#include "lib/dispatch/fallback.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <c10/util/Exception.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <unordered_set>
#include <utility>
#include <vector>

#include "lib/dispatch/dispatch_errors.h"
#include "lib/dispatch/dispatch_host.h"
#include "lib/dispatch/fake_impls.h"
#include "lib/dispatch/fake_tensor.h"
#include "lib/dispatch/for_each_tensor.h"
#include "lib/dispatch/ivalues.h"
#include "lib/dispatch/layout_tensors.h"
#include "lib/dispatch/meta_kernel.h"
#include "lib/dispatch/real_kernel.h"
#include "lib/dispatch/rule_service.h"
#include "lib/rules/core/common_device.h"

namespace fakeprop::dispatch {
namespace {

using c10::DispatchKey;

at::Tensor MakeFake(const at::Tensor& t) {
  Host* host = Host::Current();
  return IsFake(t) || !host ? t : host->FakeOf(t);
}

// Makes all tensors of the call fake, also the real ones in which LibTorch wraps numbers.
void MakeAllFake(const c10::OperatorHandle& op, torch::jit::Stack& stack) {
  const size_t count = op.schema().arguments().size();
  for (size_t i = stack.size() - count; i < stack.size(); ++i) {
    bool all_fake = true;
    ForEachTensor(stack[i], [&](const at::Tensor& t) {
      RestoreFakeDevice(t);
      all_fake &= IsFake(t);
    });
    if (!all_fake) stack[i] = MapTensors(stack[i], MakeFake);
  }
}

// A kernel that is registered as a composite may still compute by itself. There is no data for that.
bool TouchesData(const c10::Error& e) { return ToOpError(e).error_class() == ErrorClass::kDataDependentOutput; }

void RunComposite(const c10::OperatorHandle& op, DispatchKey key, torch::jit::Stack& stack) {
  torch::jit::Stack arguments = torch::jit::last(stack, op.schema().arguments().size()).vec();
  const size_t below = stack.size() - arguments.size();
  try {
    op.callBoxedForDispatchKey(key, stack);
  } catch (const c10::Error& e) {
    if (!TouchesData(e)) throw;
    // The kernel may have taken some of the arguments off the stack.
    stack.resize(below);
    for (c10::IValue& argument : arguments) stack.push_back(std::move(argument));
    if (!ServeByRealKernel(op, stack)) throw;
  }
}

bool ServeByComposite(const c10::OperatorHandle& op, torch::jit::Stack& stack) {
  for (DispatchKey key : {DispatchKey::CompositeExplicitAutogradNonFunctional, DispatchKey::CompositeExplicitAutograd,
           DispatchKey::CompositeImplicitAutograd}) {
    if (!op.hasKernelForDispatchKey(key)) continue;
    RunComposite(op, key, stack);
    return true;
  }
  return false;
}

// The number in a tensor whose element is known.
bool ServeKnownItem(torch::jit::Stack& stack) {
  if (!Host::Current()) return false;
  const Constant constant = Host::Current()->FindConstant(stack.back().toTensor());
  if (!constant || constant->size() != 1) return false;
  stack.back() = ToScalar(constant->front());
  return true;
}

// If an operator has no kernel for strided tensors on the cpu, the kinds of tensors that it takes. Empty if it has such
// a kernel, or if the kinds are not known.
std::string KindsTaken(const c10::OperatorHandle& op) {
  static constexpr std::pair<DispatchKey, const char*> kKinds[] = {{DispatchKey::SparseCPU, "sparse"},
      {DispatchKey::SparseCsrCPU, "sparse compressed"}, {DispatchKey::QuantizedCPU, "quantized"},
      {DispatchKey::MkldnnCPU, "oneDNN"}, {DispatchKey::NestedTensorCPU, "nested"}};
  if (op.hasKernelForDispatchKey(DispatchKey::CPU)) return {};
  std::string kinds;
  for (const auto& [key, kind] : kKinds)
    if (op.hasKernelForDispatchKey(key)) kinds += (kinds.empty() ? "" : " or ") + std::string(kind);
  return kinds;
}

// Returns true for LibTorch's own operators that run only on other devices. Nothing is known about operators of other
// libraries.
bool IsForOtherDevices(const c10::OperatorHandle& op, const torch::jit::Stack& stack) {
  bool has_tensor = false, all_on_cpu = true;
  for (const c10::IValue& argument : torch::jit::last(stack, op.schema().arguments().size())) {
    ForEachTensor(argument, [&](const at::Tensor& t) {
      has_tensor = true;
      all_on_cpu &= t.device().is_cpu();
    });
  }
  return has_tensor && all_on_cpu && op.operator_name().name.starts_with("aten::") &&
         !op.hasKernelForDispatchKey(DispatchKey::CPU) &&
         !op.hasKernelForDispatchKey(DispatchKey::CompositeImplicitAutograd);
}

[[noreturn]] void FailUnserved(
    const c10::OperatorHandle& op, const OperatorInfo& info, const torch::jit::Stack& stack) {
  const std::string& name = info.name;
  if (op.hasTag(at::Tag::data_dependent_output))
    Fail(ErrorClass::kDataDependentOutput, name + " gives a number that depends on data");
  if (op.hasTag(at::Tag::dynamic_output_shape))
    Fail(ErrorClass::kDynamicOutputShape, name + " gives a shape that depends on data");
  // If the operator has a rule, which this call leaves out, a missing kernel in LibTorch is not a mistake of the call.
  const bool has_rule = info.rule != nullptr;
  if (const std::string kinds = KindsTaken(op); !kinds.empty() && !has_rule)
    Fail(ErrorClass::kTypeError, name + " takes " + kinds + " tensors, not strided ones");
  if (IsForOtherDevices(op, stack) && !has_rule) Fail(ErrorClass::kDeviceMismatch, NoCpuKernelText(name));
  Fail(ErrorClass::kUnsupportedOperator, "no rule, composite or kernel serves " + name);
}

// Returns true if LibTorch's kernels cannot take the call's tensors, because of symbols.
bool HasSymbolicTensor(const c10::OperatorHandle& op, const torch::jit::Stack& stack) {
  if (Host::Current() && Host::Current()->sizes_give_hints()) return false;
  bool found = false;
  for (const c10::IValue& argument : torch::jit::last(stack, op.schema().arguments().size()))
    ForEachTensor(
        argument, [&](const at::Tensor& t) { found |= t.unsafeGetTensorImpl()->has_symbolic_sizes_strides(); });
  return found;
}

[[noreturn]] void FailForSymbols(const c10::OperatorHandle& op) {
  Fail(ErrorClass::kUnsupportedOperator,
      FullName(op.operator_name()) + " has no rule here, and LibTorch's kernels take no symbolic sizes");
}

// Null if all tensors of the call are strided.
const at::Tensor* FindOtherLayout(const c10::OperatorHandle& op, const torch::jit::Stack& stack) {
  const at::Tensor* found = nullptr;
  for (const c10::IValue& argument : torch::jit::last(stack, op.schema().arguments().size()))
    ForEachTensor(argument, [&](const at::Tensor& t) {
      if (!IsStrided(t)) found = &t;
    });
  return found;
}

// LibTorch's Meta kernels know the sizes of such tensors, but say that nothing is specified.
void ServeOtherLayout(const c10::OperatorHandle& op, const at::Tensor& t, torch::jit::Stack& stack) {
  const Layout layout = FromTorch(t.layout());
  if (ServeByComposite(op, stack)) return;
  Fail(ErrorClass::kUnsupportedOperator, FullName(op.operator_name()) + " has no rule for a tensor of layout " +
                                             ToString(Value(layout)) + ": `to_dense` before it gives a strided one");
}

std::atomic<Server> server = nullptr;

void Fallback(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  const Server set = server.load(std::memory_order_acquire);
  set ? set(op, *stack) : Serve(op, *stack);
}

// The operators that were registered since they were last taken; at first all.
class NewOperators final : public c10::OpRegistrationListener {
 public:
  void onOperatorRegistered(const c10::OperatorHandle& op) override {
    const std::lock_guard lock(mutex_);
    names_.insert(op.operator_name());
  }
  void onOperatorDeregistered(const c10::OperatorHandle& op) override {
    const std::lock_guard lock(mutex_);
    names_.erase(op.operator_name());
  }
  std::unordered_set<c10::OperatorName> Take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(names_, {});
  }

 private:
  std::mutex mutex_;
  std::unordered_set<c10::OperatorName> names_;
};

// LibTorch warns of kernels for Fake that ours replace.
struct NoWarnings final : c10::WarningHandler {
  void process(const c10::Warning&) override {}
};

// Our kernel for the key Fake, as a fallback or for each operator.
class FakeRegistration {
 public:
  FakeRegistration() {
    auto& dispatcher = c10::Dispatcher::singleton();
    if (!dispatcher.hasBackendFallbackForDispatchKey(DispatchKey::Fake)) {
      handles_.push_back(dispatcher.registerFallback(DispatchKey::Fake, Kernel(), "fakeprop"));
      return;
    }
    auto listener = std::make_unique<NewOperators>();
    new_operators_ = listener.get();
    handles_.push_back(dispatcher.addRegistrationListener(std::move(listener)));
  }

  void Refresh() {
    if (!new_operators_) return;
    static NoWarnings no_warnings;
    const c10::WarningUtils::WarningHandlerGuard quiet(&no_warnings);
    const std::lock_guard lock(mutex_);
    for (const c10::OperatorName& name : new_operators_->Take())
      handles_.push_back(c10::Dispatcher::singleton().registerImpl(
          name, DispatchKey::Fake, Kernel(), std::nullopt, nullptr, "fakeprop"));
  }

 private:
  static c10::KernelFunction Kernel() { return c10::KernelFunction::makeFromBoxedFunction<&Fallback>(); }

  NewOperators* new_operators_ = nullptr;  // null if our fallback is the key's
  std::mutex mutex_;
  std::vector<c10::RegistrationHandleRAII> handles_;
};

}  // namespace

void Serve(const c10::OperatorHandle& op, torch::jit::Stack& stack) {
  MakeAllFake(op, stack);
  const InfoOf info(op);
  if (info->is_item && ServeKnownItem(stack)) return;
  if (ServeByRule(op, *info, stack)) return;
  if (ServeByFakeImpl(op, stack)) return;
  if (const at::Tensor* other = FindOtherLayout(op, stack)) return ServeOtherLayout(op, *other, stack);
  const bool symbolic = HasSymbolicTensor(op, stack);
  if (symbolic && op.hasKernelForDispatchKey(DispatchKey::Meta)) FailForSymbols(op);
  const ReadableScope readable(torch::jit::last(stack, op.schema().arguments().size()));
  if (op.hasKernelForDispatchKey(DispatchKey::Meta) || info->facts->composite == Composite::kOnMetaTensors)
    return CallMetaKernel(op, *info->facts, stack);
  if (ServeByComposite(op, stack)) return;
  if (symbolic) FailForSymbols(op);
  if (ServeByRealKernel(op, stack)) return;
  FailUnserved(op, *info, stack);
}

void SetServer(Server set) { server.store(set, std::memory_order_release); }

std::string FullName(const c10::OperatorName& name) {
  return name.overload_name.empty() ? name.name : name.name + "." + name.overload_name;
}

void RegisterFakeFallback() {
  // Kept until the process ends, because the dispatcher may be destroyed before other static objects.
  static auto* const registration = new FakeRegistration;
  registration->Refresh();
}

}  // namespace fakeprop::dispatch
