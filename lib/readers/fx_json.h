// FX JSON: a graph from torch.fx, as tools/dev/export/fakeprop_fx.py writes it.
#pragma once

#include <optional>
#include <string>

#include "fakeprop/diagnostic.h"
#include "lib/graph/graph.h"
#include "lib/json/json_tree.h"

namespace fakeprop {

// Returns true if a document says that it is FX JSON of any version.
bool IsFxJson(const JsonTree& tree);

// Adds one diagnostic and returns nothing if the document is malformed or of another version.
std::optional<Graph> ReadFxJson(const JsonTree& tree, const std::string& source, DiagnosticSink& sink);

}  // namespace fakeprop
