// TorchScript archives, as torch.jit.save writes them.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "fakeprop/diagnostic.h"
#include "lib/archive/archive.h"
#include "lib/graph/graph.h"
#include "lib/torchscript/script_graph.h"

namespace fakeprop {

struct TorchScriptOptions {
  std::string method;  // of the module: the one to read; empty for forward
  // Compiles TorchScript's code (LibTorchFallback::ImportScript); where there is none, such archives cannot be read.
  // Throws OpError.
  std::function<ScriptGraph(const ScriptSource&)> import_script;
};

// Reads one method of the module as a graph. Of the
// archive nothing is read but the code, what says how the tensors are laid out, and small tensors of integers and
// bools. Adds one diagnostic and returns nothing where that fails.
std::optional<Graph> ReadTorchScript(const ZipArchive& archive, const ArchiveLayout& layout,
    const TorchScriptOptions& options, const std::string& source, DiagnosticSink& sink);

}  // namespace fakeprop
