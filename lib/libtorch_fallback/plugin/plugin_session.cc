#include "lib/libtorch_fallback/plugin/plugin_session.h"

#include <ATen/core/Tensor.h>

#include "lib/dispatch/fake_tensor.h"
#include "lib/dispatch/tensor_elements.h"

namespace fakeprop::libtorch {

using namespace dispatch;

at::Tensor Session::FakeOf(const at::Tensor& real) {
  auto it = fakes_.find(real.unsafeGetTensorImpl());
  if (it != fakes_.end()) return it->second.second;
  const auto nbytes = static_cast<int64_t>(real.storage().nbytes());
  at::Tensor fake = MakeFakeTensor(ReadMeta(real), MakeFakeStorage(nbytes, real.device()));
  if (real.unsafeGetTensorImpl()->is_wrapped_number()) fake.unsafeGetTensorImpl()->set_wrapped_number(true);
  fakes_.emplace(real.unsafeGetTensorImpl(), std::pair(real, fake));
  if (Constant constant = ReadNumber(real)) RememberConstant(fake, std::move(constant));
  return fake;
}

void Session::RememberConstant(const at::Tensor& tensor, Constant constant) {
  constants_[tensor.unsafeGetTensorImpl()] = {tensor, std::move(constant), static_cast<uint32_t>(tensor._version())};
}

Constant Session::FindConstant(const at::Tensor& tensor) const {
  auto it = constants_.find(tensor.unsafeGetTensorImpl());
  if (it == constants_.end() || it->second.version != tensor._version()) return nullptr;
  return it->second.constant;
}

}  // namespace fakeprop::libtorch
