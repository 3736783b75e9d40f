// A library that defines a namespace which libcustom_ops.so defines as well: LibTorch throws while it is loaded.
#include <torch/library.h>

TORCH_LIBRARY(example, m) { m.def("other(Tensor x) -> Tensor"); }
