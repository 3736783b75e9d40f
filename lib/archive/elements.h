// Reads the elements of small tensors from the bytes of a file.
#pragma once

#include <optional>
#include <string>

#include "lib/base/zip_archive.h"
#include "lib/graph/graph.h"

namespace fakeprop {

// The elements of a tensor of at most 64 integers or bools, row-major. Its storage is the member `member_name`
// (little-endian). Nothing if the tensor is larger or of another dtype, or if bytes are missing. Its sizes must be
// numbers.
Constant ReadElements(const RecordedTensor& tensor, const ZipArchive& archive, const std::string& member_name);

struct ElementBounds {
  int64_t least = 0, greatest = 0;
};

// The least and the greatest element of a tensor of integers or bools that is all of its storage. Nothing if it is not,
// or if it is empty, of another dtype or of more than `most_bytes`, or if bytes are missing.
std::optional<ElementBounds> ReadBounds(
    const RecordedTensor& tensor, const ZipArchive& archive, const std::string& member_name, uint64_t most_bytes);

// The number in a tensor of rank 0, of any dtype for which TorchScript has numbers. Nothing for another rank or dtype,
// or if bytes are missing.
std::optional<Value> ReadNumber(
    const RecordedTensor& tensor, const ZipArchive& archive, const std::string& member_name);

}  // namespace fakeprop
