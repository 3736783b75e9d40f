#include "lib/readers/reader.h"

#include <algorithm>
#include <filesystem>

#include "lib/base/decompress.h"
#include "lib/base/file.h"
#include "lib/readers/codes.h"
#include "lib/readers/json_tree.h"

namespace fakeprop {
namespace {

bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// What a file is that cannot be JSON; empty where it may be.
std::string DescribeOtherContent(std::string_view content) {
  using namespace std::string_view_literals;
  if (content.starts_with("PK\3\4"sv) || content.starts_with("PK\5\6"sv))
    return "this is a zip archive (a .pt2 or TorchScript file), not the JSON of torch.export; archives are not read "
           "yet by this version";
  if (content.starts_with("\xef\xbb\xbf"sv)) content.remove_prefix(3);
  auto first = std::find_if_not(content.begin(), content.end(), IsSpace);
  if (first == content.end()) return content.empty() ? "the file is empty" : "the file holds nothing but spaces";
  if (*first == '{' || *first == '[') return {};
  std::string_view start = content.substr(0, 512);
  bool binary = std::any_of(start.begin(), start.end(), [](char c) {
    return (static_cast<unsigned char>(c) < 0x20 && !IsSpace(c) && c != '\f') || static_cast<unsigned char>(c) >= 0x80;
  });
  if (binary) return "this is binary data, not the JSON of torch.export";
  std::string_view line(first, content.end());
  return "this is no JSON: it starts with " + Quote(line.substr(0, std::min<size_t>(line.find('\n'), 40)));
}

}  // namespace

std::optional<Graph> ReadGraph(const std::string& path, DiagnosticSink& sink) {
  std::string source = path == "-" ? "standard input" : path;
  auto fail = [&](Code code, std::string message) {
    sink.Add({.code = code, .message = std::move(message), .file = source});
    return std::nullopt;
  };
  std::string error;
  std::optional<std::string> content = ReadWholeFile(path, error);
  if (!content) return fail(kUnreadableFile, "cannot read " + Quote(source) + ": " + error);
  content = Decompress(std::move(*content), error);
  if (!content) return fail(kCorruptCompression, error);
  if (std::string other = DescribeOtherContent(*content); !other.empty()) return fail(kUnknownFormat, other);
  std::optional<Graph> graph = ReadExportJson(std::move(*content), source, sink);
  // Annotations name the file alone: they are the same wherever it lies.
  if (graph && path != "-") graph->source = std::filesystem::path(path).filename().string();
  return graph;
}

}  // namespace fakeprop
