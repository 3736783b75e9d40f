// A library of custom operators, as a user's build makes one: some have Meta kernels, one is composite, one has a CPU
// kernel alone, and one none.
#include <ATen/ATen.h>
#include <torch/library.h>

namespace {

at::Tensor Scale(const at::Tensor& x, double by) { return at::mul(x, by); }

at::Tensor RowSumsMeta(const at::Tensor& x) {
  TORCH_CHECK(x.dim() == 2, "row_sums: expected a matrix, got ", x.dim(), " dimensions");
  return at::empty({x.size(0)}, x.options().dtype(at::kDouble));
}

at::Tensor& AddOneMeta(at::Tensor& x) { return x; }

at::Tensor FirstHalf(const at::Tensor& x) { return x.slice(0, 0, x.size(0) / 2); }

at::Tensor OnlyCpu(const at::Tensor& x) { return x.clone(); }

}  // namespace

TORCH_LIBRARY(example, m) {
  m.def("scale(Tensor x, float by=2.) -> Tensor", Scale);
  m.def("row_sums(Tensor x) -> Tensor");
  m.def("add_one_(Tensor(a!) x) -> Tensor(a!)");
  m.def("first_half(Tensor(a) x) -> Tensor(a)");
  m.def("only_cpu(Tensor x) -> Tensor");
  m.def("no_kernel(Tensor x, int n) -> (Tensor, Tensor)");
}
TORCH_LIBRARY_IMPL(example, Meta, m) {
  m.impl("row_sums", RowSumsMeta);
  m.impl("add_one_", AddOneMeta);
  m.impl("first_half", FirstHalf);
}
TORCH_LIBRARY_IMPL(example, CPU, m) { m.impl("only_cpu", OnlyCpu); }
