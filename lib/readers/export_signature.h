// The kinds of a graph's inputs: parameters, buffers, constants, user inputs. Source: GraphSignature in
// torch/_export/serde/schema.py (2.13).
#pragma once

#include <string_view>
#include <vector>

#include "lib/graph/graph.h"
#include "lib/json/json_tree.h"

namespace fakeprop {

// The name of each input, empty if the signature has none. Throws JsonError.
std::vector<std::string_view> ReadInputNames(JsonValue signature);

// Fills graph.inputs. Throws JsonError, and InconsistentGraph if the signature and the graph disagree.
void ReadInputs(JsonValue signature, JsonValue graph_inputs, Graph& graph);

// Checks that the outputs in the signature are values of the graph.
void CheckOutputs(JsonValue signature, const Graph& graph);

}  // namespace fakeprop
