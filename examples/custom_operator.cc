// An operator of one's own, under fake tensors.
#include <ATen/ATen.h>
#include <ATen/core/stack.h>
#include <torch/library.h>

#include <iostream>

#include "fakeprop/fake_tensor_mode.h"
#include "fakeprop/register_fake_impl.h"

namespace {

at::Tensor RowSumsOnCpu(const at::Tensor& x) { return x.sum(1); }

TORCH_LIBRARY(mylib, m) { m.def("row_sums(Tensor x) -> Tensor"); }
TORCH_LIBRARY_IMPL(mylib, CPU, m) { m.impl("row_sums", RowSumsOnCpu); }

at::Tensor RowSums(const at::Tensor& x) {
  static const auto op = c10::Dispatcher::singleton().findSchemaOrThrow("mylib::row_sums", "");
  return op.typed<at::Tensor(const at::Tensor&)>().call(x);
}

}  // namespace

int main() {
  using namespace fakeprop;
  const FakeTensorMode mode;
  const FakeModeGuard on(mode);
  const at::Tensor x = at::rand({1 << 20, 512}, at::kCUDA);
  try {
    RowSums(x);
  } catch (const UnsupportedOperator& e) {
    std::cout << e.what_without_backtrace() << "\n";
  }
  RegisterFakeImpl("mylib::row_sums", [](const c10::OperatorHandle&, torch::jit::Stack& stack) {
    const at::Tensor rows = torch::jit::pop(stack).toTensor();
    torch::jit::push(stack, rows.new_empty_symint({rows.sym_size(0)}));
  });
  const at::Tensor sums = RowSums(x);
  std::cout << sums.sizes() << " on " << sums.device() << "\n";
}
