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
  std::string storage;  // its key: tensors with the same key share storage
  int64_t nbytes = 0;   // of the storage; 0 if the file does not say
};

// Returns true if pickles of tensors name this global. Source: torch/_utils.py, torch/serialization.py (torch 2.13).
bool IsTensorGlobal(std::string_view global);

// Nothing if the item is not a tensor, or is of another kind (sparse, quantized, a subclass).
std::optional<PickledTensor> ReadPickledTensor(const Pickle& pickle, PickleIndex index);

// Gives the graph the elements of its small constants. `bytes` are an archive in which torch.save wrote a dict of
// tensors, named as in the graph's signature. Constants that cannot be read are left out.
void AttachPickledConstants(std::string bytes, Graph& graph);

}  // namespace fakeprop
