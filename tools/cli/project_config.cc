#include "tools/cli/project_config.h"

#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include "lib/diag/code_table.h"
#include "lib/meta/device_name.h"
#include "tools/cli/input_files.h"

namespace fakeprop::cli {
namespace {

namespace fs = std::filesystem;

constexpr char kName[] = "fakeprop.toml";

// A path that starts at the working directory: "fakeprop.toml", "../../fakeprop.toml". Empty if there is none.
std::string FindUpwards() {
  std::error_code error;
  const fs::path start = fs::current_path(error);
  fs::path way;
  for (fs::path folder = start; !error; folder = folder.parent_path(), way /= "..") {
    if (fs::is_regular_file(folder / kName, error)) return (way / kName).generic_string();
    error.clear();
    if (folder == folder.parent_path()) break;
  }
  return "";
}

// The part of a pattern before its first name with a `*` or `?`: the folder to look in.
fs::path FixedPart(const std::string& pattern) {
  fs::path fixed;
  for (const fs::path& part : fs::path(pattern)) {
    if (part.string().find_first_of("*?") != std::string::npos) break;
    fixed /= part;
  }
  return fixed;
}

// The files that fit, sorted; the pattern itself if it is none.
std::vector<std::string> Expand(const std::string& pattern) {
  if (pattern.find_first_of("*?") == std::string::npos) return {pattern};
  const fs::path fixed = FixedPart(pattern);
  std::vector<std::string> found;
  std::error_code error;
  for (auto it = fs::recursive_directory_iterator(fixed.empty() ? "." : fixed, error); !error && it != fs::end(it);
       it.increment(error)) {
    const std::string path = it->path().lexically_normal().generic_string();
    if (it->is_regular_file(error) && FitsPattern(path, pattern)) found.push_back(path);
  }
  std::sort(found.begin(), found.end());
  return found;
}

bool Fail(const LintConfig& config, int line, std::string message, DiagnosticSink& sink) {
  sink.Add({.code = kBadConfig,
      .message = std::move(message),
      .file = config.file,
      .place = "line " + std::to_string(line)});
  return false;
}

// A graph that two patterns name is linted once.
bool ApplyGraphs(const LintConfig& config, CommandLineOptions& o, DiagnosticSink& sink) {
  if (!o.graphs.empty() || !config.graphs.is_set()) return true;
  for (const std::string& pattern : config.graphs.value)
    for (std::string& path : Expand(pattern))
      if (std::find(o.graphs.begin(), o.graphs.end(), path) == o.graphs.end()) o.graphs.push_back(std::move(path));
  return !o.graphs.empty() || Fail(config, config.graphs.line, "no file fits `graphs`", sink);
}

// Folders end in `/`, so that they are taken as folders even if they hold one file, or none yet.
void ApplyFolders(const LintConfig& config, CommandLineOptions& o) {
  o.inputs_are_given = !o.inputs.empty() || !o.given_inputs.empty();
  o.golden_is_given = !o.golden.empty();
  if (!o.inputs_are_given && config.inputs.is_set()) o.inputs = config.inputs.value + "/";
  if (!o.golden_is_given && !o.recorded && config.golden.is_set()) o.golden = config.golden.value + "/";
  o.recorded = o.recorded || (config.recorded.value && o.golden.empty());
}

bool ApplyReports(const LintConfig& config, CommandLineOptions& o, DiagnosticSink& sink) {
  if (o.has_reports || !config.formats.is_set()) return true;
  try {
    o.reports = ParseLintReports(config.formats.value);
    return true;
  } catch (const std::invalid_argument& error) {
    return Fail(config, config.formats.line, std::string("`formats`: ") + error.what(), sink);
  }
}

bool ApplyRun(const LintConfig& config, CommandLineOptions& o, DiagnosticSink& sink) {
  if (!o.jobs && config.jobs.is_set()) o.jobs = static_cast<size_t>(config.jobs.value);
  if (o.baseline.empty()) o.baseline = config.baseline.value;
  if (!o.max_memory_is_given && config.max_memory.is_set()) o.max_memory = std::stoull(config.max_memory.value);
  o.libraries.insert(o.libraries.begin(), config.libraries.value.begin(), config.libraries.value.end());
  o.op_rules.insert(o.op_rules.begin(), config.op_rules.value.begin(), config.op_rules.value.end());
  if (o.device || !config.device.is_set()) return true;
  const std::optional<Device> device = DeviceFromName(config.device.value);
  if (!device)
    return Fail(config, config.device.line, "`device`: there is no device `" + config.device.value + "`", sink);
  o.device = WithIndex(*device);
  return true;
}

bool IsComplete(const CommandLineOptions& o, DiagnosticSink& sink) {
  std::string missing;
  if (o.graphs.empty()) missing = "no GRAPH is given";
  else if (o.write_baseline && o.baseline.empty()) missing = "`--write-baseline` needs `--baseline`";
  if (missing.empty()) return true;
  sink.Add({.code = kBadUsage,
      .message = missing,
      .notes = {o.graphs.empty() ? "name graphs or folders, or set `graphs` in fakeprop.toml"
                                 : "or set `baseline` in fakeprop.toml"}});
  return false;
}

}  // namespace

std::shared_ptr<const LintConfig> ReadProjectConfig(const CommandLineOptions& options, DiagnosticSink& sink) {
  const std::string path = !options.uses_config ? "" : options.config.empty() ? FindUpwards() : options.config;
  if (path.empty()) return std::make_shared<LintConfig>();
  const std::optional<std::string> text = ReadInput(path, sink);
  std::optional<LintConfig> config = text ? ReadLintConfig(*text, path, sink) : std::nullopt;
  return config ? std::make_shared<LintConfig>(std::move(*config)) : nullptr;
}

bool ApplyConfig(std::shared_ptr<const LintConfig> config, CommandLineOptions& options, DiagnosticSink& sink) {
  if (!ApplyGraphs(*config, options, sink)) return false;
  ApplyFolders(*config, options);
  if (!ApplyReports(*config, options, sink) || !ApplyRun(*config, options, sink)) return false;
  options.settings = std::move(config);
  return IsComplete(options, sink);
}

CheckSettings CheckSettingsFor(const CommandLineOptions& options, const std::string& graph) {
  CheckSettings settings = options.settings ? SettingsFor(*options.settings, graph) : CheckSettings();
  for (const auto& [code, level] : options.rules)
    settings.levels[code] = level == "off"       ? CheckLevel::kOff
                            : level == "warning" ? CheckLevel::kWarning
                                                 : CheckLevel::kError;
  return settings;
}

}  // namespace fakeprop::cli
