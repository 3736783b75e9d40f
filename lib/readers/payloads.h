// The weights and constants beside a graph: how they are laid out, which share storage, and the elements of small ones.
#pragma once

#include <string>

#include "lib/base/zip_archive.h"
#include "lib/graph/graph.h"
#include "lib/json/json_tree.h"

namespace fakeprop {

// Takes over what a table of payloads ({"config": {NAME: PayloadMeta}} of torch/_export/serde/schema.py, 2.13) says of
// the graph's parameters, buffers and constants. `folder` is where their bytes are; of those only a small constant's of
// integers or bools are read. Throws JsonError.
void AttachPayloads(JsonValue table, const ZipArchive& archive, const std::string& folder, Graph& graph);

}  // namespace fakeprop
