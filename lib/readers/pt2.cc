// The members of a .pt2 archive. read_graph.cc opens the file, and tells by its content that it is one.
#include "lib/readers/pt2.h"

#include <algorithm>

#include "lib/archive/pickled_tensors.h"
#include "lib/archive/read_codes.h"
#include "lib/json/json_parse.h"
#include "lib/readers/payloads.h"

namespace fakeprop {
namespace {

// A short text that says what the archive is. Archives before 0 have no version.
void CheckMarker(const ZipArchive& archive, const std::string& name, std::string_view expected) {
  if (!archive.Find(name)) return;
  const std::string found = ReadMember(archive, name);
  if (found == expected) return;
  throw ArchiveError{
      kUnsupportedVersion, "the archive's `" + name + "` is " + Quote(found) + ", supported is " + Quote(expected)};
}

std::vector<std::string> ListModels(const ZipArchive& archive, const std::string& folder) {
  static constexpr std::string_view kEnding = ".json";
  std::vector<std::string> models;
  for (const ZipArchive::Member& member : archive.members()) {
    if (!member.name.starts_with(folder) || !member.name.ends_with(kEnding)) continue;
    models.push_back(member.name.substr(folder.size(), member.name.size() - folder.size() - kEnding.size()));
  }
  std::sort(models.begin(), models.end());
  return models;
}

std::string Join(const std::vector<std::string>& names) {
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "" : ", ") + Quote(name);
  return all;
}

// As torch.export.load, which takes the one named "model".
std::string ChooseModel(const std::vector<std::string>& models, const std::string& wanted) {
  if (models.empty()) throw ArchiveError{kCorruptArchive, "the archive has no member `models/NAME.json`"};
  const auto has = [&](const std::string& name) {
    return std::find(models.begin(), models.end(), name) != models.end();
  };
  if (!wanted.empty() && !has(wanted))
    throw ArchiveError{kUnknownModel, "the archive has no model " + Quote(wanted) + ": it has " + Join(models)};
  if (!wanted.empty()) return wanted;
  if (models.size() == 1) return models.front();
  if (has("model")) return "model";
  throw ArchiveError{
      kUnknownModel, "the archive has several models: choose one of " + Join(models) + " with `--model`"};
}

// The table of one kind of payload, under whichever name this archive has it.
void AddPayloads(const ZipArchive& archive, const std::string& folder, std::initializer_list<std::string> names,
    Graph& graph, BufferReading* buffers) {
  for (const std::string& name : names) {
    if (!archive.Find(folder + name)) continue;
    try {
      const JsonTree tree = ParseJson(ReadMember(archive, folder + name));
      AttachPayloads(tree.root(), archive, folder, graph, buffers);
    } catch (const JsonError& error) {
      throw ArchiveError{kMalformedGraph, "`" + folder + name + "`: " + error.message, error.place};
    }
    return;
  }
}

// The graph returns other elements for these buffers: the next call finds them there.
void LeaveOutChanged(std::string text, std::map<std::string, ElementBounds>& bounds) {
  constexpr std::string_view kMutation = "buffer_mutation";
  if (text.find(kMutation) == std::string::npos) return;
  const JsonTree tree = ParseJson(std::move(text));
  const JsonValue signature = tree.root().Get("graph_module").Get("signature");
  for (const JsonValue output : signature.Get("output_specs"))
    if (const std::optional<JsonValue> mutation = output.Find(kMutation))
      bounds.erase(std::string(mutation->Get("buffer_name").AsString()));
}

// Constants that torch.save wrote; nothing of them is needed where they are large.
void AddPickledConstants(const ZipArchive& archive, const std::string& name, Graph& graph) {
  constexpr uint64_t kMostBytes = uint64_t{16} << 20;
  const ZipArchive::Member* member = archive.Find(name);
  if (member && member->size <= kMostBytes) AttachPickledConstants(ReadMember(archive, name), graph);
}

std::optional<Graph> ReadModel(const ZipArchive& archive, const std::string& root, const ReaderOptions& options,
    const std::string& source, DiagnosticSink& sink) {
  CheckMarker(archive, root + "archive_format", "pt2");
  CheckMarker(archive, root + "archive_version", "0");
  const std::string model = ChooseModel(ListModels(archive, root + "models/"), options.model);
  std::optional<Graph> graph = ReadExportJson(ReadMember(archive, root + "models/" + model + ".json"), source, sink);
  if (!graph) return std::nullopt;
  AddPayloads(archive, root + "data/weights/", {model + "_weights_config.json", model + "_model_param_config.json"},
      *graph, options.buffers);
  AddPayloads(archive, root + "data/constants/",
      {model + "_constants_config.json", model + "_model_constants_config.json"}, *graph, options.buffers);
  AddPickledConstants(archive, root + "data/constants/" + model + ".pt", *graph);
  if (options.buffers && !options.buffers->bounds.empty())
    LeaveOutChanged(ReadMember(archive, root + "models/" + model + ".json"), options.buffers->bounds);
  return graph;
}

std::optional<Graph> ReadFlat(
    const ZipArchive& archive, const ReaderOptions& options, const std::string& source, DiagnosticSink& sink) {
  ChooseModel({"model"}, options.model);
  std::optional<Graph> graph = ReadExportJson(ReadMember(archive, "serialized_exported_program.json"), source, sink);
  if (graph) AddPickledConstants(archive, "serialized_constants.pt", *graph);
  return graph;
}

}  // namespace

std::optional<Graph> ReadPt2(const ZipArchive& archive, const ArchiveLayout& layout, const ReaderOptions& options,
    const std::string& source, DiagnosticSink& sink) {
  try {
    return layout.kind == ArchiveKind::kFlatPt2 ? ReadFlat(archive, options, source, sink)
                                                : ReadModel(archive, layout.root, options, source, sink);
  } catch (const ArchiveError& error) {
    sink.Add({.code = error.code, .message = error.message, .file = source, .place = error.place});
    return std::nullopt;
  }
}

}  // namespace fakeprop
