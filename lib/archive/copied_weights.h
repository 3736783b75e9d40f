// Finds parameters that hold copies of each other's bytes, without reading the bytes.
#pragma once

#include <string>
#include <vector>

#include "lib/base/zip_archive.h"
#include "lib/graph/graph.h"

namespace fakeprop {

// A parameter, by its index among the inputs, and the member of the archive with its bytes.
struct StoredWeight {
  size_t input;
  std::string member;
  ScalarType dtype;
};

// Sets Input::copy_of of the weights whose members have the size and the checksum of an earlier one's. Zeros alone, or
// ones alone, are no copy: layers start with them.
void FindCopiedWeights(const std::vector<StoredWeight>& weights, const ZipArchive& archive, Graph& graph);

}  // namespace fakeprop
