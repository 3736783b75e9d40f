// Reads call texts from standard input, one a line, and prints what fakeprop makes of each: `call -> effects`.
//
//   bazel build //lib/libtorch_fallback:served && bazel-bin/lib/libtorch_fallback/served [2.13+cpu] < calls.txt
//
// The answers are those of that version and build of torch, else of the newest with CUDA.
#include <iostream>

#include "lib/base/torch_version.h"

#include "lib/libtorch_fallback/open_libtorch.h"
#include "lib/libtorch_fallback/testing/served.h"

int main(int argc, char** argv) {
  const std::string_view version = argc > 1 ? argv[1] : "";
  const fakeprop::ExecutionState state = {.torch = fakeprop::ReadTorchVersion(version).value_or(fakeprop::kNewestTorch),
      .build = fakeprop::ReadTorchBuild(version).value_or(fakeprop::TorchBuild::kCuda)};
  std::string reason;
  fakeprop::LibTorchFallback* libtorch = fakeprop::OpenLibTorch(reason);
  if (!libtorch) {
    std::cerr << reason << "\n";
    return 1;
  }
  for (std::string call; std::getline(std::cin, call);) {
    std::cout << call << " -> " << fakeprop::testing::Served(call, *libtorch, state) << std::endl;
  }
  return 0;
}
