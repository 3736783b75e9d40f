// What the placeholders of a graph get: from the input spec (--inputs), else from what the graph recorded for them.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "lib/diag/diagnostic.h"
#include "lib/graph/graph.h"
#include "lib/symbolic/expression.h"

namespace fakeprop {

class ShapeEnv;

// One placeholder's value, ready to be made.
struct InputValue {
  bool is_tensor = false;
  // A tensor:
  TensorMeta meta;
  bool requires_grad = false;
  int view_of = -1;   // the earlier input (by position) on whose storage it stands, as large as its group needs
  Constant constant;  // known elements ("value" of the spec)
  // Anything else: a number, a string, None, an Opaque; a list, tuple or dict with NodeRefs to other values by
  // position.
  Value value;
  // For diagnostics: "input `x` of inputs.json", "parameter `fc.weight`".
  std::string origin;
};

// Reads a spec (format fakeprop.inputs/1; the text of the file) and matches it with the graph. `spec_name` is the
// file's name for messages; both are empty where no spec was given. Adds diagnostics and returns nothing where the spec
// is malformed or does not fit the graph. Sizes that the graph recorded as symbols and the spec does not settle are
// symbols of `env`, which outlives them; without one they are an error. `hints`: those of symbols, over the recorded
// and the spec's; they lie in the symbols' ranges. The result has one value for each input, in order, then those of the
// things in lists, tuples and dicts that are inputs.
std::optional<std::vector<InputValue>> ResolveInputs(const Graph& graph, std::string_view spec_text,
    std::string_view spec_name, DiagnosticSink& sink, ShapeEnv* env = nullptr, const SymbolValues& hints = {});

// Puts the hints in the place of symbols. Gives "s77 = 4, s53 = 16", or nothing where there were none.
std::string SpecializeToHints(std::vector<InputValue>& inputs, const ShapeEnv& env);

// A spec to start from: every user input as the graph recorded it, as JSON text.
std::string InputSpecTemplate(const Graph& graph);

}  // namespace fakeprop
