#include "lib/dispatch/tensor_elements.h"

#include <ATen/core/Tensor.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include "lib/error/error.h"

namespace fakeprop::dispatch {
namespace {

Value ElementValue(const c10::Scalar& scalar) {
  if (scalar.isBoolean()) return scalar.toBool();
  if (scalar.isFloatingPoint()) return scalar.toDouble();
  if (scalar.isComplex()) {
    const auto z = scalar.toComplexDouble();
    return std::complex<double>(z.real(), z.imag());
  }
  return scalar.toLong();
}

}  // namespace

Constant ReadElements(const at::Tensor& real) {
  const c10::impl::ExcludeDispatchKeyGuard for_real(c10::DispatchKey::Fake);
  auto elements = std::make_shared<std::vector<Value>>();
  const at::Tensor flat = real.detach().reshape({-1});
  try {
    for (int64_t i = 0; i < flat.numel(); ++i) elements->push_back(ElementValue(flat.select(0, i).item()));
  } catch (const OpError&) {  // an integer near -2**63, which no Dim holds, is not known
    return nullptr;
  }
  return elements;
}

Constant ReadNumber(const at::Tensor& real) {
  if (real.dim() != 0 || !real.device().is_cpu() || real.layout() != c10::Layout::Strided) return nullptr;
  return ReadElements(real);
}

}  // namespace fakeprop::dispatch
