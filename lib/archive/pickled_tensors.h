// Tensors as torch.save and torch.jit.save pickle them: metadata in the pickle, bytes in members of the same archive.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "lib/archive/pickle.h"
#include "lib/base/zip_archive.h"
#include "lib/graph/graph.h"

namespace fakeprop {

struct PickledTensor {
  RecordedTensor tensor;
  std::string storage;  // its key: tensors with the same one share storage
};

// Whether pickles of tensors name this global. Source: torch/_utils.py, torch/serialization.py (torch 2.13).
bool IsTensorGlobal(std::string_view global);

// Nothing where the item is no tensor, or one of a kind that is not known (sparse, quantized, a subclass).
std::optional<PickledTensor> ReadPickledTensor(const Pickle& pickle, PickleIndex index);

// Takes over the small constants of a dict of tensors that torch.save wrote: `bytes` of its archive, names as the
// graph's signature has them. What cannot be read is left out.
void AttachPickledConstants(std::string bytes, Graph& graph);

}  // namespace fakeprop
