// Reads call texts from standard input, one a line, and prints what fakeprop makes of each: `call -> effects`.
//
//   bazel build //lib/libtorch_fallback:served && bazel-bin/lib/libtorch_fallback/served [2.13] < calls.txt
//
// The answers are those of that version of torch, else of the newest.
#include <iostream>

#include "lib/base/torch_version.h"

#include "lib/libtorch_fallback/open_libtorch.h"
#include "lib/libtorch_fallback/testing/served.h"

int main(int argc, char** argv) {
  const int torch = fakeprop::ReadTorchVersion(argc > 1 ? argv[1] : "").value_or(fakeprop::kNewestTorch);
  std::string reason;
  fakeprop::LibTorchFallback* libtorch = fakeprop::OpenLibTorch(reason);
  if (!libtorch) {
    std::cerr << reason << "\n";
    return 1;
  }
  for (std::string call; std::getline(std::cin, call);) {
    std::cout << call << " -> " << fakeprop::testing::Served(call, *libtorch, torch) << std::endl;
  }
  return 0;
}
