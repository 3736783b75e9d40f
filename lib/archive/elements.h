// The elements of small tensors, out of the bytes of a file.
#pragma once

#include <optional>
#include <string>

#include "lib/base/zip_archive.h"
#include "lib/graph/graph.h"

namespace fakeprop {

// The elements of a tensor of at most 64 integers or bools, row-major, whose storage is the member `member_name`
// (little-endian). Nothing where it is larger, of another dtype, or its bytes are not all there. Its sizes are numbers.
Constant ReadElements(const RecordedTensor& tensor, const ZipArchive& archive, const std::string& member_name);

// The number in a tensor of rank 0, of any dtype that TorchScript has numbers of; else, and without its bytes, nothing.
std::optional<Value> ReadNumber(
    const RecordedTensor& tensor, const ZipArchive& archive, const std::string& member_name);

}  // namespace fakeprop
