// The values of a graph's placeholders: those of the input spec (--inputs), else those that the graph recorded.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "fakeprop/diagnostic.h"
#include "lib/graph/graph.h"
#include "lib/symbolic/expression.h"

namespace fakeprop {

class ShapeEnv;

struct InputRef {  // another value, by its position
  int32_t index;
};

// How to treat sizes without a hint: `u0` of torch.export's ShapesSpec, and symbols of a spec with "hint": null.
enum class UnbackedInputs {
  kKept,    // symbols without a hint: no example decides anything
  kBacked,  // symbols with a hint that we choose, for a caller that tries sizes one by one
};

// The least and greatest element of a tensor, as far as the spec states them.
struct ValueBounds {
  std::optional<int64_t> min, max;
  bool are_met = false;  // some element is the least, and some the greatest: they were read from the file
};

// What else is known of an input of a sparse layout. The spec says it, or the fake that is given; graphs record none of
// it.
struct SparseInput {
  std::optional<Dim> nnz;  // nothing: a symbol without a hint
  int64_t dense_dim = 0;
  Dims block;                                 // of BSR and BSC
  ScalarType index_dtype = ScalarType::Long;  // of CSR, CSC, BSR and BSC
  bool is_coalesced = false;
};

// The value of one placeholder, before a run makes it.
struct InputValue {
  bool is_tensor = false;
  // A tensor:
  TensorMeta meta;
  SparseInput sparse;
  bool requires_grad = false;
  int view_of = -1;   // position of the earlier input whose storage it shares; that storage has room for all views
  Constant constant;  // known elements ("value" of the spec)
  std::optional<ValueBounds> values;  // where its elements lie ("values" of the spec)
  // Anything else: a number, a string, None, an Opaque, or a list, tuple or dict of values that have positions of their
  // own.
  OpenValue<InputRef> value;
  // For diagnostics: "input `x` of inputs.json", "parameter `fc.weight`".
  std::string origin;
  // If the tensor has another rank, size or dtype than the graph recorded: the recorded metadata, "f32[8, s77, 3]".
  std::string recorded;
};

// Reads the text of a spec (format fakeprop.inputs/1) and matches it with the graph. Messages call the file
// `spec_name`. Both are empty if there is no spec. Adds diagnostics and returns nothing if the spec is malformed or
// does not fit the graph.
//
// If the graph recorded a symbol as a size and the spec gives no number, the size stays a symbol of `env`, which must
// outlive the result. Without an `env` that is an error. `hints` win over the hints of the graph and the spec, and must
// lie in the symbols' ranges.
//
// The result has one value for each input, in order, then the values inside of lists, tuples and dicts.
std::optional<std::vector<InputValue>> ResolveInputs(const Graph& graph, std::string_view spec_text,
    std::string_view spec_name, DiagnosticSink& sink, ShapeEnv* env = nullptr, const SymbolValues& hints = {},
    UnbackedInputs unbacked = UnbackedInputs::kKept);

// Replaces symbols by their hints. Returns "s77 = 4, s53 = 16", or an empty text if there were no symbols.
std::string SpecializeToHints(std::vector<InputValue>& inputs, const ShapeEnv& env);

// A spec to start from, as JSON text: every user input as the graph recorded it.
std::string InputSpecTemplate(const Graph& graph);

}  // namespace fakeprop
