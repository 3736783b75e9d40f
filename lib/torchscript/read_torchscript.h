// TorchScript archives, as torch.jit.save writes them.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "fakeprop/diagnostic.h"
#include "lib/archive/archive_layout.h"
#include "lib/graph/graph.h"
#include "lib/torchscript/script_graph.h"

namespace fakeprop {

struct TorchScriptOptions {
  std::string method;  // the method of the module to read; empty for forward
  // Compiles TorchScript's code (LibTorchFallback::ImportScript). Without it such archives cannot be read. Throws
  // OpError.
  std::function<ScriptGraph(const ScriptSource&)> import_script;
  AddScriptLibrary add_library;  // can be null
};

// Reads one method of the module as a graph. In the archive only the code, the layout of tensors, and small tensors of
// integers and bools are read. On failure adds one diagnostic and returns nothing.
std::optional<Graph> ReadTorchScript(const ZipArchive& archive, const ArchiveLayout& layout,
    const TorchScriptOptions& options, const std::string& source, DiagnosticSink& sink);

}  // namespace fakeprop
