// Reads a graph file; the kind is found from the content.
#pragma once

#include <optional>
#include <string>

#include "fakeprop/diagnostic.h"
#include "lib/graph/graph.h"
#include "lib/torchscript/read_torchscript.h"

namespace fakeprop {

struct ReaderOptions : TorchScriptOptions {
  std::string model;  // of an archive with several: the one to read; empty for the only one, or the one named "model"
};

// Reads torch.export's JSON (schema major 8), plain or compressed with gzip, xz or zstd, FX JSON, a .pt2
// archive of torch.export.save, or a TorchScript archive of torch.jit.save; from standard input where `path` is "-".
// Adds one diagnostic and returns nothing where the file is missing, unreadable, malformed or of an unknown version. Of
// an archive nothing is read but the graph, what says how its weights are laid out, and its small constants of integers
// and bools.
std::optional<Graph> ReadGraph(const std::string& path, const ReaderOptions& options, DiagnosticSink& sink);
inline std::optional<Graph> ReadGraph(const std::string& path, DiagnosticSink& sink) {
  return ReadGraph(path, {}, sink);
}

// The same for a file's bytes, which messages and annotations call `source`.
std::optional<Graph> ReadGraphContent(
    std::string content, const std::string& source, const ReaderOptions& options, DiagnosticSink& sink);

// torch.export's JSON from text already in memory (uncompressed); `source` names it in messages.
std::optional<Graph> ReadExportJson(std::string text, const std::string& source, DiagnosticSink& sink);

}  // namespace fakeprop
