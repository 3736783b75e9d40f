// Source: FakeTensor._find_common_device, constructors in torch/_subclasses/fake_impls.py (torch 2.13).
#include "lib/dispatch/meta_kernel.h"

#include <ATen/core/stack.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include <algorithm>
#include <optional>

#include "lib/dispatch/fake_tensor.h"
#include "lib/dispatch/fallback.h"
#include "lib/dispatch/for_each_tensor.h"
#include "lib/dispatch/host.h"
#include "lib/meta/error.h"

namespace fakeprop::dispatch {
namespace {

// Operators whose tensors may be on different devices; their results are on the first one's.
bool MixesDevices(const c10::OperatorHandle& op) {
  static constexpr std::string_view kMixing[] = {"aten::_copy_from", "aten::_copy_from_and_resize",
      "aten::_index_put_impl_", "aten::_to_copy", "aten::copy", "aten::copy_", "aten::index", "aten::index_put",
      "aten::index_put_", "aten::resize_as_", "aten::set_"};
  return std::find(std::begin(kMixing), std::end(kMixing), op.operator_name().name) != std::end(kMixing);
}

// Nothing is made on a device: FakeTensorMode looks at none then.
bool ReturnsTensors(const c10::OperatorHandle& op) {
  const auto& returns = op.schema().returns();
  return std::any_of(returns.begin(), returns.end(), [](const c10::Argument& r) {
    return r.type()->isSubtypeOf(*c10::TensorType::get()) || r.type()->isSubtypeOf(*c10::ListType::ofTensors());
  });
}

// The device of the tensors: 0-dim cpu tensors give way to another.
class CommonDevice {
 public:
  explicit CommonDevice(const c10::OperatorHandle& op) : op_(op), mixes_(MixesDevices(op) || !ReturnsTensors(op)) {}

  void Add(const at::Tensor& t) {
    const bool yields = t.dim() == 0 && t.device().is_cpu();
    if (!device_ || (yields_ && !mixes_)) {
      device_ = t.device();
      yields_ = yields;
    } else if (*device_ != t.device() && !yields && !mixes_) {
      Fail(ErrorClass::kDeviceMismatch, FullName(op_.operator_name()) + " takes tensors of one device, but found " +
                                            device_->str() + " and " + t.device().str());
    }
  }

  Device device() const { return device_.value_or(Device(DeviceType::CPU)); }

 private:
  const c10::OperatorHandle& op_;
  const bool mixes_;
  std::optional<Device> device_;
  bool yields_ = false;
};

std::vector<at::Tensor> WrittenTensors(c10::ArrayRef<c10::Argument> arguments, const c10::IValue* values) {
  std::vector<at::Tensor> written;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].alias_info() && arguments[i].alias_info()->isWrite())
      ForEachTensor(values[i], [&](const at::Tensor& t) { written.push_back(t); });
  }
  return written;
}

bool IsDevice(const c10::Argument& argument) {
  const c10::TypePtr& type = argument.type();
  if (type->kind() != c10::TypeKind::OptionalType) return type->kind() == c10::TypeKind::DeviceObjType;
  return type->expectRef<c10::OptionalType>().getElementType()->kind() == c10::TypeKind::DeviceObjType;
}

// Makes the kernel make meta tensors, whatever device is asked for or goes without saying; gives the one asked for.
std::optional<Device> TakeDevice(c10::ArrayRef<c10::Argument> arguments, c10::IValue* values) {
  std::optional<Device> asked;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (IsDevice(arguments[i])) {
      if (values[i].isDevice()) asked = values[i].toDevice();
      values[i] = c10::Device(c10::DeviceType::Meta);
    }
    // Memory that is not there cannot be pinned.
    if (arguments[i].name() == "pin_memory") values[i] = c10::IValue();
  }
  return asked;
}

}  // namespace

void CallMetaKernel(const c10::OperatorHandle& op, torch::jit::Stack& stack) {
  const auto& arguments = op.schema().arguments();
  c10::IValue* values = stack.data() + stack.size() - arguments.size();
  const std::vector<at::Tensor> written = WrittenTensors(arguments, values);
  CommonDevice common(op);
  for (size_t i = 0; i < arguments.size(); ++i) ForEachTensor(values[i], [&](const at::Tensor& t) { common.Add(t); });
  const Device device = TakeDevice(arguments, values).value_or(common.device());
  {
    // With Meta included as well: with Fake excluded alone, what a kernel calls on a fake cuda tensor goes to CUDA.
    const c10::impl::ExcludeDispatchKeyGuard below_fake(c10::DispatchKey::Fake);
    const c10::impl::IncludeDispatchKeyGuard at_meta(c10::DispatchKey::Meta);
    op.callBoxed(stack);
  }
  // Below autograd nobody counts writes; what is known of the data, and who reads the effects, go by the count.
  if (Host* host = Host::Current())
    for (const at::Tensor& t : written) host->NoteWrite(t);
  for (size_t i = stack.size() - op.schema().returns().size(); i < stack.size(); ++i)
    stack[i] = MapTensors(stack[i], [&](const at::Tensor& t) {
      if (!t.is_meta() && t.device() != common.device() && !MixesDevices(op))
        Fail(ErrorClass::kDeviceMismatch, FullName(op.operator_name()) + ": the result is on " + common.device().str() +
                                              ", the written-to tensor on " + t.device().str());
      return AsFake(t, device);
    });
}

}  // namespace fakeprop::dispatch
