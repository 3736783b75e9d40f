#include "tools/cli/operator_libraries.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <filesystem>

#include "lib/diag/code_table.h"
#include "lib/libtorch_fallback/open_libtorch.h"
#include "lib/python/shipped_rules.h"
#include "tools/cli/input_files.h"

namespace fakeprop::cli {
namespace {

std::unique_ptr<OpRules>& Rules() {
  static auto rules = std::make_unique<OpRules>();
  return rules;
}

bool LoadOperatorLibrary(const std::string& path, DiagnosticSink& sink) {
  std::string reason;
  LibTorchFallback* libtorch = OpenLibTorch(reason);
  if (!libtorch) {
    sink.Add({.code = kNoLibTorch, .message = "`--load-library` needs LibTorch, which cannot be opened: " + reason});
    return false;
  }
  try {
    const std::vector<std::string> names = libtorch->LoadOperatorLibrary(path);
    for (const std::string& name : names) spdlog::info("{} registers {}", path, name);
    if (names.empty()) spdlog::warn("--load-library {}: registers no operator that was not there before", path);
    return true;
  } catch (const OpError& e) {
    sink.Add({.code = kUnloadableLibrary, .message = "cannot load `" + path + "`: " + e.message(), .file = path});
    return false;
  }
}

// The name of a library whose rules are always there, and not of a file.
bool IsShipped(const std::string& path) { return IsShippedLibrary(path) && !std::filesystem::exists(path); }

bool ReadRules(const std::string& path, DiagnosticSink& sink) {
  const std::optional<std::string> text = ReadInput(path, sink);
  return text && Rules()->Add(*text, path, sink);
}

}  // namespace

bool LoadOperators(const CommandLineOptions& options, DiagnosticSink& sink) {
  Rules() = std::make_unique<OpRules>();
  for (const std::string& path : options.libraries)
    if (!LoadOperatorLibrary(path, sink)) return false;
  for (const std::string& path : options.op_rules)
    if (!IsShipped(path) && !ReadRules(path, sink)) return false;
  return true;
}

const OpRules& GivenRules() { return *Rules(); }

void AddShippedRules() { Rules()->AddShipped(); }

void AddShippedRulesFor(const Graph& graph) {
  if (CallsShippedOperators(graph)) AddShippedRules();
}

}  // namespace fakeprop::cli
