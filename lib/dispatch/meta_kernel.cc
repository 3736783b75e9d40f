// Source: FakeTensor._find_common_device, constructors in torch/_subclasses/fake_impls.py (torch 2.13).
#include "lib/dispatch/meta_kernel.h"

#include <ATen/core/stack.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include <algorithm>
#include <optional>

#include "lib/dispatch/dispatch_host.h"
#include "lib/dispatch/fake_tensor.h"
#include "lib/dispatch/fallback.h"
#include "lib/dispatch/for_each_tensor.h"
#include "lib/dispatch/written_tensors.h"
#include "lib/error/error.h"
#include "lib/rules/core/common_device.h"

namespace fakeprop::dispatch {
namespace {

// The call makes nothing on a device, so FakeTensorMode checks no device.
bool ReturnsTensors(const c10::OperatorHandle& op) {
  const auto& returns = op.schema().returns();
  return std::any_of(returns.begin(), returns.end(), [](const c10::Argument& r) {
    return r.type()->isSubtypeOf(*c10::TensorType::get()) || r.type()->isSubtypeOf(*c10::ListType::ofTensors());
  });
}

c10::Device CommonDevice(const c10::OperatorHandle& op, c10::ArrayRef<c10::IValue> arguments, bool may_mix) {
  DeviceFold fold(may_mix ? DeviceFold::Numbers::kCount : DeviceFold::Numbers::kYield);
  for (const c10::IValue& argument : arguments)
    ForEachTensor(argument, [&](const at::Tensor& t) {
      if (fold.Add(FromTorch(t.device()), t.dim()) == DeviceFold::Added::kMismatch && !may_mix)
        Fail(ErrorClass::kDeviceMismatch,
            DeviceMismatchText(FullName(op.operator_name()), fold.device(), FromTorch(t.device())));
    });
  return ToTorch(fold.device());
}

bool IsDevice(const c10::Argument& argument) {
  const c10::TypePtr& type = argument.type();
  if (type->kind() != c10::TypeKind::OptionalType) return type->kind() == c10::TypeKind::DeviceObjType;
  return type->expectRef<c10::OptionalType>().getElementType()->kind() == c10::TypeKind::DeviceObjType;
}

// Makes the kernel make meta tensors, whatever the device argument or the default device is. Returns the device
// argument.
std::optional<c10::Device> TakeDevice(c10::ArrayRef<c10::Argument> arguments, c10::IValue* values) {
  std::optional<c10::Device> asked;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (IsDevice(arguments[i])) {
      if (values[i].isDevice()) asked = values[i].toDevice();
      values[i] = c10::Device(c10::DeviceType::Meta);
    }
    // Meta tensors have no memory that could be pinned.
    if (arguments[i].name() == "pin_memory") values[i] = c10::IValue();
  }
  return asked;
}

}  // namespace

void CallMetaKernel(const c10::OperatorHandle& op, const OperatorFacts& facts, torch::jit::Stack& stack) {
  const auto& arguments = op.schema().arguments();
  c10::IValue* values = stack.data() + stack.size() - arguments.size();
  const std::vector<at::Tensor> written = WrittenTensors(op.schema(), stack);
  const bool mixes_devices = facts.meta_kernel == MetaKernel::kOnSeveralDevices;
  const c10::Device common =
      CommonDevice(op, torch::jit::last(stack, arguments.size()), mixes_devices || !ReturnsTensors(op));
  const c10::Device device = TakeDevice(arguments, values).value_or(common);
  {
    // Meta is included as well. If only Fake were excluded, calls of the kernel on a fake cuda tensor would go to CUDA.
    const c10::impl::ExcludeDispatchKeyGuard below_fake(c10::DispatchKey::Fake);
    const c10::impl::IncludeDispatchKeyGuard at_meta(c10::DispatchKey::Meta);
    op.callBoxed(stack);
  }
  // Below autograd writes are not counted otherwise. The known data and the reader of the effects need the count.
  if (Host* host = Host::Current())
    for (const at::Tensor& t : written) host->NoteWrite(t);
  for (size_t i = stack.size() - op.schema().returns().size(); i < stack.size(); ++i)
    stack[i] = MapTensors(stack[i], [&](const at::Tensor& t) {
      if (!t.is_meta() && t.device() != common && !mixes_devices)
        Fail(ErrorClass::kDeviceMismatch, FullName(op.operator_name()) + ": the result is on " + common.str() +
                                              ", the written-to tensor on " + t.device().str());
      return AsFake(t, device);
    });
}

}  // namespace fakeprop::dispatch
