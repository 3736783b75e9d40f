// Reads a graph file. The content tells its kind.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "fakeprop/diagnostic.h"
#include "lib/archive/elements.h"
#include "lib/graph/graph.h"
#include "lib/torchscript/read_torchscript.h"

namespace fakeprop {

// What is read of an archive's buffers of integers and bools, such as a table of positions.
struct BufferReading {
  uint64_t most_bytes = uint64_t{64} << 10;  // larger ones are left alone
  std::map<std::string, ElementBounds>
      bounds;  // by the buffer's name; not of those that the graph gives other elements
};

struct ReaderOptions : TorchScriptOptions {
  std::string model;  // the model to read, if an archive has several; empty for the only one, or the one named "model"
  BufferReading* buffers = nullptr;  // null: no buffers are read
};

// Reads torch.export's JSON (schema major 5 to 8), plain or compressed with gzip, xz or zstd, FX JSON, a .pt2 archive
// of torch.export.save, or a TorchScript archive of torch.jit.save; from standard input if `path` is "-". Adds one
// diagnostic and returns nothing if the file is missing, unreadable, malformed or of an unknown version. In an archive
// only the graph, the layout of the weights, and small constants of integers and bools are read.
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
