// What is behind a Checkpoint.
#pragma once

#include <ATen/core/TensorBody.h>

#include "fakeprop/deferred_init.h"
#include "lib/deferred_init/stored_tensors.h"

namespace fakeprop {

struct Checkpoint::State {
  std::string path;
  deferred_init::StoredTensors tensors;
};

namespace deferred_init {

// Reads all bytes that are not mapped, so that damage shows before anything changes. Throws DeferredInitError.
void CheckReadable(const Checkpoint::State& state, const StoredTensor& stored);
// A tensor on the file's bytes, not to be written to. It must not outlive the checkpoint.
at::Tensor ViewOf(const StoredTensor& stored);

}  // namespace deferred_init
}  // namespace fakeprop
