#include "tools/cli/run_files.h"

#include <sys/stat.h>

#include <filesystem>
#include <map>

#include "lib/diag/code_table.h"

namespace fakeprop::cli {
namespace {

namespace fs = std::filesystem;

std::string NameOf(const std::string& path) {
  if (path == "-") return "stdin";
  std::string name = fs::path(path).filename().string();
  for (std::string_view ending : {".gz", ".xz", ".zst", ".json", ".pt2", ".pt"})
    if (name.size() > ending.size() && name.ends_with(ending)) name.resize(name.size() - ending.size());
  return name;
}

// The option's own file, or the one of the graph's name in its folder.
std::string FileFor(const std::string& name, const std::string& option, const CommandLineOptions& options) {
  return IsFolderOfFiles(option, options) ? (fs::path(option) / (name + ".json")).string() : option;
}

// The same for all paths that lead to one file, also through links.
std::string IdentityOf(const std::string& path) {
  struct stat info = {};
  if (stat(path.c_str(), &info) == 0) return std::to_string(info.st_dev) + ":" + std::to_string(info.st_ino);
  std::error_code ignored;
  return fs::weakly_canonical(path, ignored).string();
}

struct Written {
  std::string option, path;
};

std::vector<std::string> FilesRead(const CommandLineOptions& options, const std::vector<GraphFiles>& graphs) {
  std::vector<std::string> read = options.libraries;
  read.insert(read.end(), options.op_rules.begin(), options.op_rules.end());
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
  if (options.update_golden)
    for (const GraphFiles& files : graphs) written.push_back({"--update-golden", files.golden});
  return written;
}

// A device, a pipe or a terminal holds nothing that could be lost.
bool HoldsNothing(const std::string& path) {
  std::error_code ignored;
  return fs::exists(path, ignored) && !fs::is_regular_file(path, ignored);
}

}  // namespace

bool IsFolderOfFiles(const std::string& option, const CommandLineOptions& options) {
  std::error_code ignored;
  return !option.empty() && (options.graphs.size() > 1 || fs::is_directory(option, ignored));
}

std::vector<GraphFiles> FilesOfGraphs(const CommandLineOptions& options) {
  std::vector<GraphFiles> files;
  for (const std::string& graph : options.graphs) {
    const std::string name = NameOf(graph);
    files.push_back({graph, name, FileFor(name, options.inputs, options), FileFor(name, options.golden, options)});
  }
  return files;
}

bool CheckFilesReadStay(const CommandLineOptions& options, DiagnosticSink& sink) {
  const std::vector<GraphFiles> graphs = FilesOfGraphs(options);
  std::map<std::string, std::string> taken;  // how messages call a file, by its identity
  for (const std::string& path : FilesRead(options, graphs))
    if (!path.empty()) taken.emplace(IdentityOf(path), "`" + path + "`, which is read");
  for (const Written& file : FilesWritten(options, graphs)) {
    if (HoldsNothing(file.path)) continue;
    const auto [it, is_free] = taken.emplace(IdentityOf(file.path), "`" + file.path + "`, which `--output` writes");
    if (is_free) continue;
    sink.Add({.code = kBadUsage, .message = "`" + file.option + "` would write over " + it->second});
    return false;
  }
  return true;
}

}  // namespace fakeprop::cli
