// The input spec as written: one entry for each input that it names.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/diag/diagnostic.h"
#include "lib/graph/graph.h"
#include "lib/json/json_tree.h"

namespace fakeprop {

// What is wrong at one place of a spec.
struct SpecError : JsonError {
  SpecError(Code code, JsonValue at, std::string message) : JsonError(at.Pointer(), std::move(message)), code(code) {}

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
  int64_t min = 2;  // as PyTorch: sizes 0 and 1 are other graphs, unless the spec says so
  std::optional<int64_t> max;
  std::optional<int64_t> hint;
  int64_t multiple = 1;
  JsonValue json{nullptr, 0};
};

// What the spec says of symbols. Source of the two options: ShapeEnv of torch/fx/experimental/symbolic_shapes.py.
struct SpecSymbols {
  std::vector<SpecSymbol> symbols;
  bool duck_shape = false;          // symbols with equal hints are one
  bool specialize_zero_one = true;  // sizes start at 2 where nothing else is said
};

// One input of the spec; what it leaves out is unset.
struct SpecEntry {
  JsonValue json;
  std::optional<std::vector<SpecSize>> shape;
  std::optional<std::vector<SpecSize>> stride;
  std::optional<SpecSize> storage_offset;
  std::optional<ScalarType> dtype;
  std::optional<Device> device;
  std::optional<bool> requires_grad;
  std::optional<JsonValue> view_of;
  std::optional<JsonValue> value;
  // Of a list, tuple or dict:
  std::optional<JsonValue> items_json;
  std::vector<SpecEntry> items;
};

// By position in Graph::inputs.
using SpecEntries = std::vector<std::optional<SpecEntry>>;

// All that is known about one input of the graph, or about one thing in a list, tuple or dict that is an input.
struct Slot {
  const Input* input = nullptr;      // it, or that it is in
  InputPart part;                    // what the file declares it to be
  std::string name;                  // the placeholder's; of a thing in it `feats["a"][0]`
  std::string label;                 // as messages call it: the name, or `inputs["mask"]` where it stands in a dict
  const SpecEntry* entry = nullptr;  // of the spec
  const RecordedTensor* tensor = nullptr;  // of the graph
  const RecordedNumber* number = nullptr;  // of the graph
  std::vector<int> items;                  // the slots of what is in it

  bool IsTensor() const;
  bool IsNumber() const;
  // The declared type where it is not None.
  const InputPart& Declared() const;
  // Whether the spec says what is in it, as a list, tuple or dict.
  bool HasItems() const { return entry && entry->items_json; }
  // Whether neither the spec nor the graph says what it is.
  bool IsMissing() const;
};

// One for each input, in order, then those of the things in them. The entries must outlive them. Throws SpecError where
// the spec says what is in an input that is no list, tuple or dict, or one of other things.
std::vector<Slot> MakeSlots(const Graph& graph, const SpecEntries& entries);

// The slot of this name or label, or -1.
int FindSlot(const std::vector<Slot>& slots, std::string_view name);

// Reads the document and matches its entries with the graph's inputs, by name or by position. Each mistake is a
// diagnostic with the file's name; the entries without one are in the result.
SpecEntries ReadSpecEntries(JsonValue root, const Graph& graph, std::string_view file, DiagnosticSink& sink);

// The symbols that the document declares, in its order. Throws SpecError or JsonError.
SpecSymbols ReadSpecSymbols(JsonValue root);

// Adds the diagnostic of an error in the spec.
void Report(const JsonError& error, Code code, std::string_view file, DiagnosticSink& sink);

// Inputs that a caller gives by position: not parameters, buffers and other things of the module.
bool IsUserInput(const Input& input);

// The input of this name (a placeholder's, or what the caller has for it: `inputs["mask"]`), or -1.
int FindInput(const Graph& graph, std::string_view name);

// What messages call an input.
std::string_view LabelOf(const Graph& graph, const Input& input);

// "`x`, `y`": the names of the user inputs, for messages.
std::string ListUserInputs(const Graph& graph);

}  // namespace fakeprop
