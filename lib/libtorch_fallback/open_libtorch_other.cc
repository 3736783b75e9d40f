#include "lib/libtorch_fallback/open_libtorch.h"

namespace fakeprop {

LibTorchFallback* OpenLibTorch(std::string& reason) {
  reason = "the plug-in for LibTorch is built for Linux alone";
  return nullptr;
}

}  // namespace fakeprop
