// TorchScript archives, as torch.jit.save writes them.
#pragma once

#include <optional>
#include <string>

#include "lib/readers/archive.h"
#include "lib/readers/reader.h"

namespace fakeprop {

// Reads one method of the module (ReadOptions::method) as a graph, compiled by ReadOptions::import_script. Of the
// archive nothing is read but the code, what says how the tensors are laid out, and small tensors of integers and
// bools. Adds one diagnostic and returns nothing where that fails.
std::optional<Graph> ReadTorchScript(const ZipArchive& archive, const ArchiveLayout& layout, const ReadOptions& options,
    const std::string& source, DiagnosticSink& sink);

}  // namespace fakeprop
