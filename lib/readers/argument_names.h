// Gives inputs the names that the caller of a model has for them: `inputs["mask"]` instead of `inputs_mask`.
#pragma once

#include "lib/graph/graph.h"
#include "lib/json/json_tree.h"

namespace fakeprop {

// Sets Input::qualified_name of the user's inputs inside a dict, list, tuple or dataclass. It reads the model's calling
// convention in `module`, the file's graph_module. If that is missing or has another form, nothing changes, since the
// names are only for messages. Source: treespec_dumps in torch/utils/_pytree.py, placeholder names in
// torch/_export/utils.py (torch 2.13).
void NameNestedInputs(JsonValue module, Graph& graph);

}  // namespace fakeprop
