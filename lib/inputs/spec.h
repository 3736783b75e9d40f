// The input spec as it is written, with one entry for each input that it names.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fakeprop/diagnostic.h"
#include "lib/graph/graph.h"
#include "lib/json/json_tree.h"
#include "lib/symbolic/expression.h"

namespace fakeprop {

// An error at one place of a spec.
struct SpecError : JsonError {
  SpecError(Code code, JsonValue at, std::string message, std::string note = {})
      : JsonError(at.Pointer(), std::move(message), std::move(note)), code(code) {}

  Code code;
};

// A size as the spec has it: a number, or an expression over symbols.
struct SpecSize {
  int64_t number = 0;
  std::string_view expression;  // empty for a number
  JsonValue json;
};

// A symbol that the spec declares.
struct SpecSymbol {
  std::string name;
  int64_t min = 2;       // as in PyTorch, which specializes sizes 0 and 1
  bool has_min = false;  // the spec gives it
  std::optional<int64_t> max;
  std::optional<int64_t> hint;
  bool is_unbacked = false;  // "hint": null: no size is assumed, as of torch.export's unbacked dimensions
  int64_t multiple = 1;
  JsonValue json{nullptr, 0};
};

// A condition over symbols that the spec takes for granted: "batch % 2 == 0".
struct SpecAssumption {
  Expression expression;
  JsonValue json;
};

// What the spec says about symbols. The two options are those of ShapeEnv in torch/fx/experimental/symbolic_shapes.py.
struct SpecSymbols {
  std::vector<SpecSymbol> symbols;
  std::vector<SpecAssumption> assumptions;
  bool duck_shape = false;          // symbols with equal hints become one symbol
  bool specialize_zero_one = true;  // the default lower bound is 2, not 0
};

// One input of the spec. Fields that it leaves out have no value.
struct SpecEntry {
  JsonValue json;
  std::optional<std::vector<SpecSize>> shape;
  std::optional<std::vector<SpecSize>> stride;
  std::optional<SpecSize> storage_offset;
  std::optional<ScalarType> dtype;
  std::optional<Device> device;
  std::optional<Layout> layout;
  // Of sparse layouts:
  std::optional<SpecSize> nnz;
  std::optional<int64_t> dense_dim;
  std::optional<std::vector<SpecSize>> blocksize;
  std::optional<bool> is_coalesced;

  std::optional<bool> requires_grad;
  std::optional<JsonValue> view_of;
  std::optional<JsonValue> value;
  std::optional<JsonValue> values;  // {"min": 0, "max": 50256}
  // For a list, tuple or dict:
  std::optional<JsonValue> items_json;
  std::vector<SpecEntry> items;
};

// One for each of Graph::inputs, in order.
using SpecEntries = std::vector<std::optional<SpecEntry>>;

// Reads the document and matches its entries with the graph's inputs, by name or by position. Each mistake becomes a
// diagnostic that names `file`. The result has the entries without mistakes.
SpecEntries ReadSpecEntries(JsonValue root, const Graph& graph, std::string_view file, DiagnosticSink& sink);

// The symbols that the document declares, in the same order. Throws SpecError or JsonError.
SpecSymbols ReadSpecSymbols(JsonValue root);

// Adds a diagnostic for an error in the spec.
void Report(const JsonError& error, Code code, std::string_view file, DiagnosticSink& sink);

// Returns true if a caller passes the input: it is not a parameter, a buffer or anything else of the module.
bool IsUserInput(const Input& input);

// The input of this name, or -1. The name is the placeholder's, the caller's, such as `inputs["mask"]`, or the one that
// a parameter or buffer has in its module, such as `fc.weight`.
int FindInput(const Graph& graph, std::string_view name);

// The name of an input in messages.
std::string_view LabelOf(const Graph& graph, const Input& input);

// The names of the user inputs, for messages: "`x`, `y`".
std::string ListUserInputs(const Graph& graph);
// "did you mean `x`?" of the input that a wrong name is near to; else empty.
std::string SuggestUserInput(const Graph& graph, std::string_view name);

}  // namespace fakeprop
