// Autograd's hooks on tensors (`data()`, `set_data()`), for tensors that become fake.
#pragma once

namespace fakeprop::fake {

// LibTorch copies metadata without the dispatcher when a tensor gets the data of another one (set_data, as in
// torch::nn::Module::to) and for `data()` and saved tensors. If the tensor was made as a real one, the copy loses the
// device that a fake stands for. From now on it keeps it. Call this once.
void RegisterVariableHooks();

}  // namespace fakeprop::fake
