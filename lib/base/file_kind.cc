#include "lib/base/file_kind.h"

#include <algorithm>
#include <cstdint>

namespace fakeprop {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kExport =
    "a graph is made from the model: torch.export.save(torch.export.export(model, args), \"model.pt2\")";
constexpr std::string_view kUtf8 =
    "save it as UTF-8; PowerShell's `>` writes UTF-16, fakeprop's own `-o FILE` writes UTF-8";

// What starts with fixed bytes at a fixed place. Sources: the formats' own documentation.
struct FileSignature {
  size_t at;
  std::string_view bytes;
  FileKind kind;
};
constexpr FileSignature kSignatures[] = {
    {0, "version https://git-lfs"sv,
        {"a git-lfs pointer, which stands in the place of the file itself", "`git lfs pull` brings the file"}},
    {0, "\xff\xfe"sv, {"text in UTF-16", kUtf8}},
    {0, "\xfe\xff"sv, {"text in UTF-16", kUtf8}},
    {0, "\x93NUMPY"sv, {"a NumPy array", kExport}},
    {0, "\x89HDF\r\n"sv, {"an HDF5 file, which holds weights", kExport}},
    {0, "GGUF"sv, {"a GGUF file, which holds weights", kExport}},
    {4, "TFL3"sv, {"a TensorFlow Lite model", kExport}},
    {4, "ET12"sv, {"an ExecuTorch program, which holds no graph of torch.export", kExport}},
    {0,
        "\x7f"
        "ELF"sv,
        {"a program or a library", "`--load-library` takes libraries of custom operators"}},
    {257, "ustar"sv, {"a tar archive", "unpack it and give the graph's own file"}},
    {0, "<!DOCTYPE"sv, {"an HTML page, such as a download that needs a login gives", "download the file itself"}},
    {0, "<!doctype"sv, {"an HTML page, such as a download that needs a login gives", "download the file itself"}},
    {0, "<html"sv, {"an HTML page, such as a download that needs a login gives", "download the file itself"}},
};

// Pickles of protocol 2 and later begin with their protocol. torch.save wrote them bare before torch 1.6.
bool IsPickle(std::string_view content) {
  return content.size() > 2 && content[0] == '\x80' && content[1] >= 2 && content[1] <= 5;
}

// The length of the header, as eight bytes, and the header, which is JSON.
bool IsSafetensors(std::string_view content) {
  if (content.size() < 10 || content[8] != '{') return false;
  uint64_t length = 0;
  for (int i = 7; i >= 0; --i) length = length << 8 | static_cast<unsigned char>(content[i]);
  return length > 1 && length < uint64_t{100} << 20;
}

// onnx.ModelProto: the version of the format as field 1, then the producer (field 2) or the imports (field 8).
bool IsOnnx(std::string_view content) {
  return content.size() > 3 && content[0] == 8 && content[1] > 0 && content[1] < 32 &&
         (content[2] == 0x12 || content[2] == 0x42 || content[2] == 0x3a);
}

}  // namespace

std::optional<FileKind> FindFileKind(std::string_view content) {
  for (const FileSignature& signature : kSignatures)
    if (content.size() > signature.at && content.substr(signature.at).starts_with(signature.bytes))
      return signature.kind;
  if (IsPickle(content)) return FileKind{"a Python pickle, such as torch.save wrote before torch 1.6", kExport};
  if (IsSafetensors(content)) return FileKind{"a safetensors file, which holds weights", kExport};
  if (IsOnnx(content)) return FileKind{"an ONNX model", kExport};
  return std::nullopt;
}

}  // namespace fakeprop
