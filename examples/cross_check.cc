// Real and fake side by side: the first operator that does not keep what its Meta kernel promises.
#include <ATen/ATen.h>
#include <torch/library.h>

#include <iostream>

#include "fakeprop/fake_tensor_mode.h"

namespace {

at::Tensor Transposed(const at::Tensor& x) { return x.t(); }
at::Tensor TransposedMeta(const at::Tensor& x) { return x.new_empty({x.size(1), x.size(0)}); }  // contiguous: wrong

TORCH_LIBRARY(wrong, m) { m.def("transposed(Tensor(a) x) -> Tensor(a)"); }
TORCH_LIBRARY_IMPL(wrong, CPU, m) { m.impl("transposed", Transposed); }
TORCH_LIBRARY_IMPL(wrong, Meta, m) { m.impl("transposed", TransposedMeta); }

}  // namespace

int main() {
  using namespace fakeprop;
  const FakeTensorMode mode({.cross_check = true});
  const FakeModeGuard on(mode);
  const at::Tensor x = at::rand({4, 6});
  std::cout << "real: " << !IsFakeTensor(at::linear(x, at::rand({3, 6})).relu()) << "\n";
  try {
    c10::Dispatcher::singleton()
        .findSchemaOrThrow("wrong::transposed", "")
        .typed<at::Tensor(const at::Tensor&)>()
        .call(x);
  } catch (const MetadataMismatch& e) {
    std::cout << e.what_without_backtrace() << "\n";
  }
}
