#include "lib/tail/session.h"

#include <ATen/core/Tensor.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include "lib/tail/fake_tensor.h"

namespace fakeprop::tail {
namespace {

thread_local Session* current = nullptr;

Value ElementValue(const c10::Scalar& scalar) {
  if (scalar.isBoolean()) return scalar.toBool();
  if (scalar.isFloatingPoint()) return scalar.toDouble();
  if (scalar.isComplex()) {
    const auto z = scalar.toComplexDouble();
    return std::complex<double>(z.real(), z.imag());
  }
  return scalar.toLong();
}

// The element of a real 0-dim cpu tensor; null for others.
Constant ReadConstant(const at::Tensor& real) {
  if (real.dim() != 0 || !real.device().is_cpu()) return nullptr;
  const c10::impl::ExcludeDispatchKeyGuard for_real(c10::DispatchKey::Fake);
  return std::make_shared<std::vector<Value>>(1, ElementValue(real.item()));
}

}  // namespace

Session::Session(const WalkState& state, std::string_view judged) : state_(state), judged_(judged), outer_(current) {
  current = this;
}
Session::~Session() { current = outer_; }
Session* Session::Current() { return current; }

at::Tensor Session::FakeOf(const at::Tensor& real) {
  auto it = fakes_.find(real.unsafeGetTensorImpl());
  if (it != fakes_.end()) return it->second.second;
  const auto nbytes = static_cast<int64_t>(real.storage().nbytes());
  at::Tensor fake = MakeFakeTensor(ReadMeta(real), MakeFakeStorage(nbytes, real.device()));
  if (real.unsafeGetTensorImpl()->is_wrapped_number()) fake.unsafeGetTensorImpl()->set_wrapped_number(true);
  fakes_.emplace(real.unsafeGetTensorImpl(), std::pair(real, fake));
  if (Constant constant = ReadConstant(real)) RememberConstant(fake, std::move(constant));
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

}  // namespace fakeprop::tail
