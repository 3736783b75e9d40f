#pragma once

namespace fakeprop::fake {

// Makes a LibTorch without CUDA report that cuda devices exist, because autograd's engine asks before it runs a
// backward pass on fake ones. Afterwards at::hasCUDA() is true. Does nothing if LibTorch has CUDA.
void RegisterCudaHooks();

}  // namespace fakeprop::fake
