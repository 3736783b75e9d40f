// Inputs by the names that the caller of a model has for them: `inputs["mask"]` rather than `inputs_mask`.
#pragma once

#include "lib/graph/graph.h"
#include "lib/json/json_tree.h"

namespace fakeprop {

// Sets Input::qualified_name of the user's inputs that stand inside a dict, list, tuple or dataclass, from the calling
// convention of the whole model: `module` is the file's graph_module. What is missing or spelt otherwise there changes
// nothing, as it is for messages alone. Source: treespec_dumps in torch/utils/_pytree.py, placeholder names in
// torch/_export/utils.py (torch 2.13).
void NameNestedInputs(JsonValue module, Graph& graph);

}  // namespace fakeprop
