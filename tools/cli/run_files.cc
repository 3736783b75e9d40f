#include "tools/cli/run_files.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "lib/base/file_identity.h"
#include "lib/diag/code_table.h"
#include "lib/lint/config/lint_config.h"

namespace fakeprop::cli {
namespace {

namespace fs = std::filesystem;

std::string WithoutEndings(std::string name) {
  for (std::string_view ending : {".gz", ".xz", ".zst", ".json", ".pt2", ".pt"})
    if (name.size() > ending.size() && name.ends_with(ending)) name.resize(name.size() - ending.size());
  return name;
}

bool IsCalledAsGraph(const std::string& path) {
  constexpr std::string_view kEndings[] = {".pt2", ".pt", ".json", ".json.gz", ".json.xz", ".json.zst"};
  return std::any_of(
      std::begin(kEndings), std::end(kEndings), [&](std::string_view ending) { return path.ends_with(ending); });
}

bool IsFolder(const std::string& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

// By name, so that the order is the same everywhere.
std::vector<fs::path> GraphsBelow(const std::string& folder) {
  std::vector<fs::path> graphs;
  std::error_code error;
  for (auto it = fs::recursive_directory_iterator(folder, error); !error && it != fs::end(it); it.increment(error)) {
    const bool is_hidden = it->path().filename().string().starts_with('.');
    if (is_hidden && it->is_directory(error)) it.disable_recursion_pending();
    if (!is_hidden && it->is_regular_file(error) && IsCalledAsGraph(it->path().string())) graphs.push_back(it->path());
  }
  std::sort(graphs.begin(), graphs.end());
  return graphs;
}

// The option's own file, or the one of the graph's name in its folder.
std::string FileFor(const std::string& name, const std::string& option, const CommandLineOptions& options) {
  return IsFolderOfFiles(option, options) ? (fs::path(option) / (name + ".json")).string() : option;
}

struct Written {
  std::string option, path;
};

std::vector<std::string> FilesRead(const CommandLineOptions& options, const std::vector<GraphFiles>& graphs) {
  std::vector<std::string> read = options.libraries;
  read.insert(read.end(), options.op_rules.begin(), options.op_rules.end());
  read.push_back(options.compare);
  if (!options.write_baseline) read.push_back(options.baseline);
  for (const GraphFiles& files : graphs) {
    read.push_back(files.graph);
    read.push_back(files.inputs);
    if (!options.update_golden) read.push_back(files.golden);
  }
  return read;
}

std::vector<Written> FilesWritten(const CommandLineOptions& options, const std::vector<GraphFiles>& graphs) {
  std::vector<Written> written;
  if (!options.output.empty()) written.push_back({"--output", options.output});
  for (const LintReport& report : options.reports)
    if (!report.path.empty()) written.push_back({"--format", report.path});
  if (options.write_baseline) written.push_back({"--write-baseline", options.baseline});
  if (!options.update_golden) return written;
  std::set<std::string> names;  // `lint` itself says that graphs of one name would share a file
  for (const GraphFiles& files : graphs)
    if (names.insert(files.name).second) written.push_back({"--update-golden", files.golden});
  return written;
}

// A device, a pipe or a terminal holds nothing that could be lost.
bool HoldsNothing(const std::string& path) {
  std::error_code ignored;
  return fs::exists(path, ignored) && !fs::is_regular_file(path, ignored);
}

// The files that fakeprop.toml names for a graph, where the command line names none. A spec may be missing.
void TakeConfiguredFiles(const CommandLineOptions& options, GraphFiles& files) {
  std::error_code ignored;
  if (!options.inputs_are_given && !fs::exists(files.inputs, ignored)) files.inputs.clear();
  if (!options.settings) return;
  for (const GraphConfig& graph : options.settings->graph) {
    if (!FitsPattern(files.graph, graph.path)) continue;
    if (!options.inputs_are_given && graph.inputs.is_set()) files.inputs = graph.inputs.value;
    if (!options.golden_is_given && !options.recorded && graph.golden.is_set()) files.golden = graph.golden.value;
  }
}

}  // namespace

bool TakesSeveralGraphs(const CommandLineOptions& options) {
  return options.graphs.size() > 1 || std::any_of(options.graphs.begin(), options.graphs.end(), IsFolder);
}

bool IsFolderOfFiles(const std::string& option, const CommandLineOptions& options) {
  return !option.empty() && (option.back() == '/' || TakesSeveralGraphs(options) || IsFolder(option));
}

std::vector<GraphFiles> FilesOfGraphs(const CommandLineOptions& options) {
  std::vector<GraphFiles> files;
  const auto add = [&](const std::string& graph, const std::string& name, bool is_found) {
    files.push_back(
        {graph, name, is_found, FileFor(name, options.inputs, options), FileFor(name, options.golden, options)});
    TakeConfiguredFiles(options, files.back());
  };
  for (const std::string& graph : options.graphs) {
    if (!IsFolder(graph)) {
      add(graph, graph == "-" ? "stdin" : WithoutEndings(fs::path(graph).filename().string()), false);
      continue;
    }
    for (const fs::path& path : GraphsBelow(graph))
      add(path.string(), WithoutEndings(path.lexically_relative(graph).string()), true);
  }
  return files;
}

bool CheckFilesReadStay(const CommandLineOptions& options, DiagnosticSink& sink) {
  const std::vector<GraphFiles> graphs = FilesOfGraphs(options);
  std::map<std::string, std::string> taken;  // how messages call a file, by its identity
  for (const std::string& path : FilesRead(options, graphs))
    if (!path.empty()) taken.emplace(FileIdentity(path), "`" + path + "`, which is read");
  for (const Written& file : FilesWritten(options, graphs)) {
    if (HoldsNothing(file.path)) continue;
    const auto [it, is_free] =
        taken.emplace(FileIdentity(file.path), "`" + file.path + "`, which `" + file.option + "` writes");
    if (is_free) continue;
    sink.Add({.code = kBadUsage, .message = "`" + file.option + "` would write over " + it->second});
    return false;
  }
  return true;
}

}  // namespace fakeprop::cli
