// Reads a graph file; the kind is found from the content.
#pragma once

#include <optional>
#include <string>

#include "lib/diag/diagnostic.h"
#include "lib/graph/graph.h"

namespace fakeprop {

// Reads torch.export's JSON (schema major 8), plain or compressed with gzip, xz or zstd. Adds one diagnostic and
// returns nothing where the file is missing, unreadable, malformed or of an unknown version.
std::optional<Graph> ReadGraph(const std::string& path, DiagnosticSink& sink);

// The same from text already in memory (uncompressed JSON); `source` names it in messages.
std::optional<Graph> ReadExportJson(std::string text, const std::string& source, DiagnosticSink& sink);

}  // namespace fakeprop
