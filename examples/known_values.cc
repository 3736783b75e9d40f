// What is known without data, and what is not.
#include <ATen/ATen.h>

#include <iostream>

#include "fakeprop/fake_tensor_mode.h"

int main() {
  using namespace fakeprop;
  const FakeTensorMode mode;
  const FakeModeGuard on(mode);
  const at::Tensor sizes = mode.Literal(std::vector<int64_t>{2, 3});
  const at::Tensor doubled = sizes * 2;
  std::cout << "known: " << doubled[1].item<int64_t>() << "\n";
  doubled[0].add_(at::randint(5, {}, at::kLong));  // writes what nobody knows to the same storage
  try {
    doubled[1].item();
  } catch (const DataDependentOutput& e) {
    std::cout << e.what_without_backtrace() << "\n";
  }
  try {
    at::rand({3, 3}).nonzero();
  } catch (const DynamicOutputShape& e) {
    std::cout << e.what_without_backtrace() << "\n";
  }
  try {
    at::rand({2, 3}, at::kCUDA) + at::rand({3});
  } catch (const FakeTensorDeviceMismatch& e) {
    std::cout << e.what_without_backtrace() << "\n";
  }
  try {
    at::rand({2}).data_ptr();
  } catch (const c10::Error& e) {
    std::cout << "no data pointer\n";
  }
}
