// Reads about the weights and constants beside a graph: their layout, which of them share storage, and the elements of
// small constants; and which parameters are copies of each other.
#pragma once

#include <string>

#include "lib/base/zip_archive.h"
#include "lib/graph/graph.h"
#include "lib/json/json_tree.h"
#include "lib/readers/read_graph.h"

namespace fakeprop {

// Adds to the graph's parameters, buffers and constants the metadata of a table of payloads ({"config": {NAME:
// PayloadMeta}} of torch/_export/serde/schema.py, 2.13). `folder` has their bytes. Only the bytes of small constants of
// integers or bools are read, and those of buffers that `buffers` asks for (null for none). Throws JsonError.
void AttachPayloads(
    JsonValue table, const ZipArchive& archive, const std::string& folder, Graph& graph, BufferReading* buffers);

}  // namespace fakeprop
