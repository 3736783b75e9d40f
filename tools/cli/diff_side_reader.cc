#include "tools/cli/diff_side_reader.h"

#include <filesystem>
#include <fstream>

#include "lib/annotations/annotations_json.h"
#include "lib/archive/read_codes.h"
#include "lib/base/decompress.h"
#include "lib/json/document_kind.h"
#include "lib/json/json_parse.h"
#include "tools/cli/input_files.h"

namespace fakeprop::cli {
namespace {

bool IsArchive(std::string_view bytes) { return bytes.starts_with("PK"); }

// An archive may be far larger than what is read of it, so its bytes are left alone.
bool IsArchiveFile(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return false;
  char start[2] = {};
  std::ifstream(path, std::ios::binary).read(start, sizeof start);
  return IsArchive({start, sizeof start});
}

// Damaged files are told where they are read as graphs.
bool HoldsAnnotations(const std::string& text) {
  if (IsArchive(text) || text.find("\"fakeprop.annotations/") == std::string::npos) return false;
  try {
    return DocumentKind(ParseJson(text).root()) == "annotations";
  } catch (const JsonError&) {
    return false;
  }
}

}  // namespace

std::optional<DiffSide> SideOfRun(
    const Graph& graph, const Annotations& annotations, const std::string& name, DiagnosticSink& sink) {
  std::optional<DiffSide> side = ReadDiffSide(WriteAnnotations(graph, annotations), name, sink);
  if (side) AddGraphFacts(graph, *side);
  return side;
}

std::optional<DiffSide> DiffSideReader::Read(const std::string& path) {
  if (IsArchiveFile(path)) return ReadGraphSide(ReadChosenGraph(path, options_, sink_), path);
  const std::string name = path == "-" ? "standard input" : path;
  std::optional<std::string> text = ReadLongInput(path, sink_);
  std::string error;
  if (text) text = Decompress(std::move(*text), error);
  if (!error.empty()) sink_.Add({.code = kCorruptCompression, .message = error, .file = name});
  if (!text) return std::nullopt;
  if (HoldsAnnotations(*text)) return ReadDiffSide(*text, name, sink_);
  return ReadGraphSide(ReadChosenContent(std::move(*text), name, options_, sink_), name);
}

std::optional<DiffSide> DiffSideReader::ReadGraphSide(std::optional<Graph> graph, const std::string& name) {
  if (!graph) return std::nullopt;
  has_graph_ = true;
  std::optional<Source> source = SourceOf(std::move(*graph), options_.inputs, options_, sink_);
  std::optional<Loaded> loaded = source ? LoadSource(std::move(*source), options_, sink_) : std::nullopt;
  if (!loaded) return std::nullopt;
  const Annotations annotations = Run(*loaded, options_, /*keep_going=*/true, console_);
  failures_.insert(failures_.end(), annotations.diagnostics.begin(), annotations.diagnostics.end());
  return SideOfRun(loaded->graph, annotations, name, sink_);
}

}  // namespace fakeprop::cli
