// Compressed files. Their content tells the format.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace fakeprop {

enum class Compression { kNone, kGzip, kXz, kZstd };

// "gzip", "xz", "zstd" or "none".
std::string_view Name(Compression compression);

// Finds the format by the first bytes.
Compression FindCompression(std::string_view bytes);

// The most bytes that `compressed_bytes` may unpack to. Text that compresses a thousandfold is a bomb, not a graph.
size_t MaxUnpackedBytes(size_t compressed_bytes);

// Unpacks gzip, xz or zstd. Returns other bytes as they are. If the data is corrupt, cut off, followed by something
// else, or larger than MaxUnpackedBytes, returns nothing and puts the reason into `error`.
std::optional<std::string> Decompress(std::string bytes, std::string& error);

}  // namespace fakeprop
