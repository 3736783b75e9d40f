// Finds and opens the plug-in library that serves operators with LibTorch.
#pragma once

#include <string>

#include "lib/libtorch_fallback/libtorch_fallback.h"

namespace fakeprop {

// The LibTorch fallback of this process, opened at the first call. Returns null and a reason if there is none. Looks
// for libfakeprop_libtorch.so in this order: the file that FAKEPROP_LIBTORCH names; the binary's folder;
// ../lib/libtorch_fallback/plugin from there; the runfiles of the binary, or those that RUNFILES_DIR or TEST_SRCDIR
// name; what pip installed beside the binary (installed_torch.h). The plug-in takes the LibTorch that it was linked
// with, or that of the torch package whose folder FAKEPROP_TORCH names. Throws std::bad_alloc if LibTorch would not fit
// into the memory that this process may have.
LibTorchFallback* OpenLibTorch(std::string& reason);

}  // namespace fakeprop
