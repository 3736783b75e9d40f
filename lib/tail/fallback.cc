// Order of service: a rule of ours, LibTorch's Meta kernel, its composite with Fake still on, so that what it calls comes
// back here; else an error that names the operator.
#include "lib/tail/fallback.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include "lib/tail/fake_tensor.h"
#include "lib/tail/meta_kernel.h"
#include "lib/tail/rule_service.h"
#include "lib/tail/session.h"
#include "lib/tail/values.h"

namespace fakeprop::tail {
namespace {

using c10::DispatchKey;

void MakeFake(c10::IValue& value) {
  Session* session = Session::Current();
  if (value.isTensor()) {
    const at::Tensor& t = value.toTensor();
    if (!t.defined()) return;
    RestoreFakeDevice(t);
    if (!IsFake(t) && session) value = session->FakeOf(t);
  } else if (value.isTensorList() || value.isOptionalTensorList()) {
    const auto& items = value.toListRef();
    auto list = c10::impl::GenericList(value.type()->expectRef<c10::ListType>().getElementType());
    for (c10::IValue item : items) {
      MakeFake(item);
      list.push_back(std::move(item));
    }
    value = std::move(list);
  }
}

// All tensors of the call are fake from here on: numbers that LibTorch itself has wrapped in real ones, too.
void MakeAllFake(const c10::OperatorHandle& op, torch::jit::Stack& stack) {
  const size_t count = op.schema().arguments().size();
  for (size_t i = stack.size() - count; i < stack.size(); ++i) MakeFake(stack[i]);
}

// Composites that decide by the device whether to touch data: on meta tensors they do not.
bool IsForMeta(const c10::OperatorHandle& op) {
  const std::string& name = op.operator_name().name;
  return name == "aten::copy_" || name == "aten::_linalg_check_errors";
}

bool ServeByComposite(const c10::OperatorHandle& op, torch::jit::Stack& stack) {
  for (DispatchKey key : {DispatchKey::CompositeExplicitAutogradNonFunctional, DispatchKey::CompositeExplicitAutograd,
                          DispatchKey::CompositeImplicitAutograd}) {
    if (!op.hasKernelForDispatchKey(key)) continue;
    op.callBoxedForDispatchKey(key, stack);
    return true;
  }
  return false;
}

// The number in a tensor whose element is known.
bool ServeKnownItem(const c10::OperatorHandle& op, torch::jit::Stack& stack) {
  if (op.operator_name().name != "aten::_local_scalar_dense" || !Session::Current()) return false;
  const Constant constant = Session::Current()->FindConstant(stack.back().toTensor());
  if (!constant || constant->size() != 1) return false;
  stack.back() = ToScalar(constant->front());
  return true;
}

[[noreturn]] void FailUnserved(const c10::OperatorHandle& op) {
  const std::string name = FullName(op.operator_name());
  if (op.hasTag(at::Tag::data_dependent_output))
    Fail(ErrorClass::kDataDependentOutput, name + " gives a number that depends on data");
  if (op.hasTag(at::Tag::dynamic_output_shape))
    Fail(ErrorClass::kDynamicOutputShape, name + " gives a shape that depends on data");
  Fail(ErrorClass::kUnsupportedOperator, "no rule, Meta kernel or composite serves " + name);
}

void Serve(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  MakeAllFake(op, *stack);
  if (ServeKnownItem(op, *stack)) return;
  if (ServeByRule(op, *stack)) return;
  if (op.hasKernelForDispatchKey(DispatchKey::Meta) || IsForMeta(op)) return CallMetaKernel(op, *stack);
  if (ServeByComposite(op, *stack)) return;
  FailUnserved(op);
}

}  // namespace

void RegisterFakeFallback() {
  if (c10::Dispatcher::singleton().hasBackendFallbackForDispatchKey(DispatchKey::Fake)) return;
  // Kept until the process ends: the dispatcher may be gone when static objects are destroyed.
  static auto* const registration = new c10::RegistrationHandleRAII(c10::Dispatcher::singleton().registerFallback(
      DispatchKey::Fake, c10::KernelFunction::makeFromBoxedFunction<&Serve>(), "fakeprop"));
  (void)registration;
}

}  // namespace fakeprop::tail
