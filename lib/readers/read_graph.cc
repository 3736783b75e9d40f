#include "lib/readers/read_graph.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <functional>

#include "lib/archive/archive_layout.h"
#include "lib/archive/read_codes.h"
#include "lib/base/decompress.h"
#include "lib/base/descriptors.h"
#include "lib/base/file.h"
#include "lib/base/file_kind.h"
#include "lib/json/json_tree.h"
#include "lib/readers/how_to_save.h"
#include "lib/readers/pt2.h"
#include "lib/readers/torchscript_code.h"
#include "lib/torchscript/read_torchscript.h"

namespace fakeprop {
namespace {

bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

constexpr const char* kGetItAgain = "copy or download the file again";

// "[tool.black]": JSON has no word after a bracket but true, false and null.
bool IsTomlTable(std::string_view line) {
  if (!line.starts_with('[')) return false;
  line.remove_prefix(line.starts_with("[[") ? 2 : 1);
  const size_t word =
      std::find_if_not(line.begin(), line.end(), [](unsigned char c) { return std::isalnum(c); }) - line.begin();
  const std::string_view first = line.substr(0, word);
  return word > 0 && std::isalpha(static_cast<unsigned char>(first[0])) && first != "true" && first != "false" &&
         first != "null";
}

// What a file is that cannot be JSON; no name where it may be.
struct OtherContent {
  std::string name, advice;
};

OtherContent DescribeOtherContent(std::string_view content) {
  using namespace std::string_view_literals;
  if (const std::optional<FileKind> kind = FindFileKind(content))
    return {"this is " + std::string(kind->name) + ", not a graph", std::string(kind->advice)};
  if (content.starts_with("\xef\xbb\xbf"sv)) content.remove_prefix(3);
  auto first = std::find_if_not(content.begin(), content.end(), IsSpace);
  if (first == content.end())
    return {content.empty() ? "the file is empty" : "the file holds nothing but spaces", std::string(kHowToSaveGraph)};
  const std::string_view line(first, std::find(first, content.end(), '\n'));
  if ((*first == '{' || *first == '[') && !IsTomlTable(line)) return {};
  std::string_view start = content.substr(0, 512);
  bool binary = std::any_of(start.begin(), start.end(), [](char c) {
    return (static_cast<unsigned char>(c) < 0x20 && !IsSpace(c) && c != '\f') || static_cast<unsigned char>(c) >= 0x80;
  });
  if (binary) return {"this is binary data, not the JSON of torch.export", std::string(kHowToSaveGraph)};
  return {"this is no JSON: it starts with " + Quote(line.substr(0, 40)), std::string(kHowToSaveGraph)};
}

using Fail = std::function<std::nullopt_t(Code, std::string message, std::string note)>;

// A name under which a graph can be opened: of standard input too, where that is a file from its start on (`<
// model.pt2`).
std::string NamedFile(const std::string& path) { return path == "-" ? PathOfStandardInput() : path; }

// The bytes at the start of a file that can be read at any place; empty for pipes and no file.
std::string PeekAtFile(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return {};
  std::string start(4, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(start.data(), static_cast<std::streamsize>(start.size()));
  start.resize(static_cast<size_t>(file.gcount()));
  return start;
}

// `--method` chooses among the methods of a TorchScript module: other graphs have none.
bool HasNoMethods(const ReaderOptions& options, const Fail& fail) {
  if (options.method.empty()) return true;
  fail(kUnknownModel, "there is no method " + Quote(options.method) + ": the file is no TorchScript module", "");
  return false;
}

// `--model` chooses among the models of a .pt2 archive.
bool HasNoModels(const ReaderOptions& options, const std::string& what, const Fail& fail) {
  if (options.model.empty()) return true;
  fail(kUnknownModel, "there is no model " + Quote(options.model) + ": the file is " + what, "");
  return false;
}

std::optional<Graph> ReadArchive(const std::optional<ZipArchive>& archive, const std::string& error,
    const std::string& source, const ReaderOptions& options, const Fail& fail, DiagnosticSink& sink) {
  if (!archive) return fail(kCorruptArchive, "the zip archive is damaged: " + error, kGetItAgain);
  const ArchiveLayout layout = FindLayout(*archive);
  switch (layout.kind) {
    case ArchiveKind::kPt2:
    case ArchiveKind::kFlatPt2:
      return HasNoMethods(options, fail) ? ReadPt2(*archive, layout, options, source, sink) : std::nullopt;
    case ArchiveKind::kTorchScript:
      return HasNoModels(options, "one TorchScript module", fail)
                 ? ReadTorchScript(*archive, layout, WithOwnCompiler(options), source, sink)
                 : std::nullopt;
    case ArchiveKind::kOther: return fail(kUnknownFormat, layout.reason, "");
  }
  return std::nullopt;
}

// Adds a diagnostic about `source`.
Fail FailAt(const std::string& source, DiagnosticSink& sink) {
  return [&](Code code, std::string message, std::string note) {
    Diagnostic diagnostic{.code = code, .message = std::move(message), .file = source};
    if (!note.empty()) diagnostic.notes.push_back(std::move(note));
    sink.Add(std::move(diagnostic));
    return std::nullopt;
  };
}

std::optional<Graph> ReadAnyKind(
    const std::string& path, const std::string& source, const ReaderOptions& options, DiagnosticSink& sink) {
  const Fail fail = FailAt(source, sink);
  std::string error;
  // An archive may be far larger than what is read of it.
  const std::string file = NamedFile(path);
  if (ZipArchive::IsZip(PeekAtFile(file)))
    return ReadArchive(ZipArchive::Open(file, error), error, source, options, fail, sink);
  std::optional<std::string> content = ReadWholeFile(path, error);
  if (!content)
    return fail(kUnreadableFile, "cannot read " + Quote(source) + ": " + error,
        error == "is a directory" ? "a graph is a file; `fakeprop lint` goes through folders" : "");
  return ReadGraphContent(std::move(*content), source, options, sink);
}

}  // namespace

std::optional<Graph> ReadGraphContent(
    std::string packed, const std::string& source, const ReaderOptions& options, DiagnosticSink& sink) {
  const Fail fail = FailAt(source, sink);
  std::string error;
  std::optional<std::string> content = Decompress(std::move(packed), error);
  if (!content) return fail(kCorruptCompression, error, kGetItAgain);
  if (ZipArchive::IsZip(*content))
    return ReadArchive(ZipArchive::FromBytes(std::move(*content), error), error, source, options, fail, sink);
  if (OtherContent other = DescribeOtherContent(*content); !other.name.empty())
    return fail(kUnknownFormat, other.name, other.advice);
  if (!HasNoModels(options, "one graph and no archive", fail) || !HasNoMethods(options, fail)) return std::nullopt;
  return ReadExportJson(std::move(*content), source, sink);
}

std::optional<Graph> ReadGraph(const std::string& path, const ReaderOptions& options, DiagnosticSink& sink) {
  const std::string source = path == "-" ? "standard input" : path;
  std::optional<Graph> graph = ReadAnyKind(path, source, options, sink);
  // Annotations name the file alone: they are the same wherever it lies.
  if (graph && path != "-") graph->source = std::filesystem::path(path).filename().string();
  return graph;
}

}  // namespace fakeprop
