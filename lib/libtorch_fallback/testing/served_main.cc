// Reads call texts from standard input, one a line, and prints what fakeprop makes of each: `call -> effects`.
//
//   bazel build //lib/libtorch_fallback:served && bazel-bin/lib/libtorch_fallback/served < calls.txt
#include <iostream>

#include "lib/libtorch_fallback/open_libtorch.h"
#include "lib/libtorch_fallback/testing/served.h"

int main() {
  std::string reason;
  fakeprop::LibTorchFallback* libtorch = fakeprop::OpenLibTorch(reason);
  if (!libtorch) {
    std::cerr << reason << "\n";
    return 1;
  }
  for (std::string call; std::getline(std::cin, call);) {
    std::cout << call << " -> " << fakeprop::testing::Served(call, *libtorch) << std::endl;
  }
  return 0;
}
