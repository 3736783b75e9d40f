// Compressed files, told by their content.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace fakeprop {

enum class Compression { kNone, kGzip, kXz, kZstd };

// "gzip", "xz", "zstd"; "none".
std::string_view Name(Compression compression);

// By the first bytes.
Compression FindCompression(std::string_view bytes);

// The most that `compressed_bytes` may unpack to: text that compresses a thousandfold is a bomb, not a graph.
size_t MaxUnpackedBytes(size_t compressed_bytes);

// Unpacks gzip, xz or zstd; bytes that are not compressed come back as they are. Gives nothing and the reason in
// `error` where the data is corrupt, cut off, followed by something else, or larger than MaxUnpackedBytes.
std::optional<std::string> Decompress(std::string bytes, std::string& error);

}  // namespace fakeprop
