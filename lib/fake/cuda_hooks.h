#pragma once

namespace fakeprop::fake {

// Makes a LibTorch without CUDA take fake cuda devices for real ones, as autograd's engine asks before it runs a
// backward pass on them. Where CUDA is there, nothing happens. at::hasCUDA() is true from here on.
void RegisterCudaHooks();

}  // namespace fakeprop::fake
