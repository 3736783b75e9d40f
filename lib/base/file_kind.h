// What a file holds, told from its content, where that is neither JSON nor text that could be.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace fakeprop {

struct FileKind {
  std::string_view name;    // "a safetensors file, which holds weights"
  std::string_view advice;  // how to get from it what fakeprop reads; may be empty
};

// Of the formats that stand beside PyTorch graphs on people's disks. Nothing where the content may be JSON, or is of no
// format known here. `content`: the whole file, or its first 1024 bytes.
std::optional<FileKind> FindFileKind(std::string_view content);

}  // namespace fakeprop
