// Finds what kind of file it is from content that is not JSON.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace fakeprop {

struct FileKind {
  std::string_view name;    // "a safetensors file, which holds weights"
  std::string_view advice;  // how to get a file that fakeprop reads; may be empty
};

// Knows the formats that users are likely to have beside PyTorch graphs. Nothing if the content may be JSON or is of an
// unknown format. `content` is the whole file, or its first 1024 bytes.
std::optional<FileKind> FindFileKind(std::string_view content);

}  // namespace fakeprop
