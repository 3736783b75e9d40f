// What is fake, for how long, and whose.
#include <ATen/ATen.h>

#include <iostream>

#include "fakeprop/fake_tensor_mode.h"

int main() {
  using namespace fakeprop;
  const FakeTensorMode mode;
  at::Tensor x;
  {
    const FakeModeGuard on(mode);
    x = at::rand({1 << 20, 1 << 20}, at::kCUDA);  // 4 TiB on a GPU that need not be there
    std::cout << "under the guard: " << x.device() << ", fake " << IsFakeTensor(x) << "\n";
    const UnsetFakeTemporarily off;
    std::cout << "switched off: fake " << IsFakeTensor(at::rand({2})) << "\n";
  }
  const at::Tensor y = x.mm(x).slice(0, 0, 10);  // the guard is gone, the tensors stay what they are
  const bool is_of_mode = FakeTensorMode::Of(y) == mode;
  std::cout << "afterwards: " << y.sizes() << " on " << y.device() << ", of the mode " << is_of_mode << "\n";

  const FakeTensorMode other;
  const FakeModeGuard on(other);
  const at::Tensor z = at::ones({10, 1}, at::kCUDA);
  try {
    y + z;
  } catch (const NotFake& e) {
    std::cout << e.what_without_backtrace() << "\n";
  }
  try {
    DetectFakeMode(std::vector<c10::IValue>{c10::List<at::Tensor>({y}), z});
  } catch (const NotFake& e) {
    std::cout << e.what_without_backtrace() << "\n";
  }
}
