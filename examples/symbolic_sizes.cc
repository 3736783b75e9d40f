// Sizes that are symbols: what a program assumes of them, and what data decides.
#include <ATen/ATen.h>

#include <iostream>

#include "fakeprop/fake_tensor_mode.h"
#include "fakeprop/shape_symbols.h"

int main() {
  using namespace fakeprop;
  const auto env = NewShapeEnv();
  const FakeTensorMode mode({.shape_env = env});
  const FromRealOptions batch{.dims = {DimDynamic::kDynamic, DimDynamic::kStatic}, .source = "x"};
  const at::Tensor x = mode.FromRealTensor(at::rand({8, 16}), batch);
  const at::Tensor y = at::cat({x, x}).flatten();
  std::cout << x.sym_sizes() << " -> " << y.sym_sizes() << "\n";
  if (x.sym_size(0) > 4) std::cout << "more than four\n";  // as the hint says, and on record
  for (const ShapeGuard& guard : ListGuards(*env)) std::cout << "assumed: " << guard.expression << "\n";

  const c10::SymInt count = x.nonzero().sym_size(0);
  try {
    if (count > 3) return 1;
  } catch (const GuardOnDataDependentSymNode& e) {
    std::cout << "not decided: " << count << " > 3\n";
  }
  count.sym_ge(4).expect_true(__FILE__, __LINE__);  // torch._check
  if (count > 3) std::cout << "now it is\n";
}
