// `stream << t` of LibTorch, which reads the data of a tensor by operators. Under a mode it shows a real tensor as
// always, and a fake by what is known of it.
//
// The function has the name of LibTorch's own, so a program that links this library calls it instead. It is weak: where
// LibTorch is linked into the program too, LibTorch's own stays.
#include <ATen/core/Formatting.h>
#include <ATen/core/Tensor.h>
#include <dlfcn.h>

#include "fakeprop/fake_tensor_mode.h"
#include "lib/base/check.h"
#include "lib/fake/constants.h"
#include "lib/fake/mode_state.h"

namespace fakeprop::fake {
namespace {

using Print = std::ostream& (*)(std::ostream&, const at::Tensor&, int64_t);

// LibTorch's own, the next one of this name.
Print PrintOfLibTorch() {
  static const auto found = reinterpret_cast<Print>(dlsym(RTLD_NEXT, "_ZN2at5printERSoRKNS_6TensorEl"));
  FAKEPROP_CHECK(found);
  return found;
}

// Deferred initialisation computes its tensors where LibTorch reads them.
bool IsRecorded(const at::Tensor& tensor) {
  const StorageRecord* record = IsFakeTensor(tensor) ? FindRecord(tensor) : nullptr;
  return record && record->recording;
}

std::ostream& PrintWithModes(std::ostream& stream, const at::Tensor& tensor, int64_t line_size) {
  if (IsRecorded(tensor)) return PrintOfLibTorch()(stream, tensor, line_size);
  at::Tensor shown = tensor;
  if (IsFakeTensor(tensor)) shown = KnownValue(tensor);
  if (tensor.defined() && !shown.defined()) return stream << Repr(tensor);
  if (!FakeTensorMode::Current()) return PrintOfLibTorch()(stream, shown, line_size);
  const UnsetFakeTemporarily real;
  return PrintOfLibTorch()(stream, shown, line_size);
}

}  // namespace
}  // namespace fakeprop::fake

namespace at {

__attribute__((weak)) std::ostream& print(std::ostream& stream, const Tensor& tensor, int64_t line_size) {
  return fakeprop::fake::PrintWithModes(stream, tensor, line_size);
}

}  // namespace at
