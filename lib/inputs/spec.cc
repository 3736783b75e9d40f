#include "lib/inputs/spec.h"

#include <algorithm>

#include "lib/base/suggest.h"
#include "lib/inputs/input_codes.h"
#include "lib/meta/device_name.h"
#include "lib/meta/dtype.h"
#include "lib/meta/nearest_name.h"

namespace fakeprop {
namespace {

constexpr std::string_view kFields =
    "shape, dtype, device, stride, storage_offset, layout, nnz, dense_dim, blocksize, is_coalesced, requires_grad, "
    "view_of, value, values, items or argument";

SpecSize ReadSize(JsonValue json, std::string_view what) {
  if (json.kind() == JsonKind::kString) {
    if (!ParseExpression(json.AsString()))
      throw SpecError(kMalformedSpec, json, Quote(json.AsString()) + " is no symbol and no expression over symbols");
    return {0, json.AsString(), json};
  }
  constexpr const char* kUseSymbol =
      "for a size that may vary, name a symbol: `\"symbols\": {\"n\": {}}` in the spec, and \"n\" as the size";
  if (json.IsNull()) throw JsonError(json.Pointer(), "expected an integer but found null", kUseSymbol);
  if (json.AsInt() < 0)
    throw SpecError(
        kInvalidSpecValue, json, "a " + std::string(what) + " is 0 or more but is " + json.Describe(), kUseSymbol);
  return {json.AsInt(), {}, json};
}

std::vector<SpecSize> ReadSizes(JsonValue json, std::string_view what) {
  std::vector<SpecSize> sizes;
  if (json.kind() != JsonKind::kArray)
    throw JsonError(json.Pointer(), "expected an array but found " + json.Describe(), "it is a list: [2, 7]");
  for (JsonValue entry : json.AsArray()) sizes.push_back(ReadSize(entry, what));
  return sizes;
}

bool IsName(std::string_view text) {
  std::optional<Expression> expression = ParseExpression(text);
  return expression && expression->IsSymbol() && expression->name == text;
}

// A size from min to max that is a multiple, or nothing if there is none.
std::optional<int64_t> LeastSize(const SpecSymbol& symbol) {
  const int64_t rest = symbol.min % symbol.multiple, max = symbol.max.value_or(INT64_MAX);
  const int64_t up = rest ? symbol.multiple - rest : 0;
  return symbol.min > max - up ? std::nullopt : std::optional(symbol.min + up);
}

// Words for the fields that people write instead of them.
std::string NearestField(std::string_view word, const std::vector<std::string>& fields) {
  constexpr std::pair<std::string_view, const char*> kOthers[] = {{"size", "shape"}, {"sizes", "shape"},
      {"type", "dtype"}, {"minimum", "min"}, {"maximum", "max"}, {"low", "min"}, {"high", "max"},
      {"multiple", "multiple_of"}, {"offset", "storage_offset"}, {"strides", "stride"}, {"assumptions", "assume"}};
  for (const auto& [other, field] : kOthers)
    if (word == other && std::find(fields.begin(), fields.end(), field) != fields.end()) return field;
  return Nearest(word, fields);
}

SpecSymbol ReadSymbol(JsonValue json, int64_t min) {
  SpecSymbol symbol{.name = std::string(json.key()), .min = min, .json = json};
  if (!IsName(json.key())) throw SpecError(kInvalidSpecValue, json, Quote(json.key()) + " is no name of a symbol");
  if (json.kind() != JsonKind::kObject)
    throw JsonError(json.Pointer(), "expected an object but found " + json.Describe(),
        "a symbol is such as {\"min\": 1, \"max\": 8}");
  for (JsonValue field : json.AsObject()) {
    if (field.key() == "min") symbol.min = field.AsInt(), symbol.has_min = true;
    else if (field.key() == "max") symbol.max = field.AsInt();
    else if (field.key() == "hint" && field.IsNull()) symbol.is_unbacked = true;
    else if (field.key() == "hint") symbol.hint = field.AsInt();
    else if (field.key() == "multiple_of") symbol.multiple = field.AsInt();
    else
      throw SpecError(kUnknownSpecName, field,
          "unknown field " + Quote(field.key()) + ": a symbol has min, max, multiple_of and hint",
          DidYouMean(NearestField(field.key(), {"min", "max", "multiple_of", "hint"})));
  }
  const int64_t max = symbol.max.value_or(INT64_MAX);
  if (symbol.multiple < 1)
    throw SpecError(kInvalidSpecValue, json.Get("multiple_of"),
        "a size is a multiple of 1 or more, not of " + std::to_string(symbol.multiple));
  if (symbol.min < 0 || symbol.min > max || !LeastSize(symbol))
    throw SpecError(kInvalidSpecValue, json,
        "the range of " + Quote(symbol.name) + ", from " + std::to_string(symbol.min) +
            (symbol.max ? " to " + std::to_string(max) : " on") + ", has no size in it" +
            (symbol.multiple > 1 ? " that is a multiple of " + std::to_string(symbol.multiple) : ""));
  if (symbol.hint && (*symbol.hint < symbol.min || *symbol.hint > max))
    throw SpecError(kInvalidSpecValue, json.Get("hint"),
        "the hint of " + Quote(symbol.name) + " is outside of its range, from " + std::to_string(symbol.min) +
            (symbol.max ? " to " + std::to_string(max) : " on"));
  if (symbol.hint && *symbol.hint % symbol.multiple != 0)
    throw SpecError(kInvalidSpecValue, json.Get("hint"),
        "the hint of " + Quote(symbol.name) + " is no multiple of " + std::to_string(symbol.multiple));
  return symbol;
}

ScalarType ReadDtype(JsonValue json) {
  std::string_view name = json.AsString();
  if (name.starts_with("torch.")) name.remove_prefix(6);
  std::optional<ScalarType> dtype = DtypeFromName(name);
  if (!dtype)
    throw SpecError(kUnknownSpecName, json, "unknown dtype " + Quote(json.AsString()), DidYouMean(NearestDtype(name)));
  return *dtype;
}

Device ReadSpecDevice(JsonValue json) {
  std::optional<Device> device = DeviceFromName(std::string(json.AsString()));
  if (!device)
    throw SpecError(
        kUnknownSpecName, json, "unknown device " + Quote(json.AsString()), DidYouMean(NearestDevice(json.AsString())));
  return WithIndex(*device);
}

// As annotations spell it.
Layout ReadSpecLayout(JsonValue json) {
  std::vector<std::string> names;
  for (int i = 0; i <= static_cast<int>(Layout::Jagged); ++i) {
    names.push_back(ToString(Value(static_cast<Layout>(i))));
    if (names.back() == json.AsString()) return static_cast<Layout>(i);
  }
  throw SpecError(
      kUnknownSpecName, json, "unknown layout " + Quote(json.AsString()), DidYouMean(Nearest(json.AsString(), names)));
}

[[noreturn]] void FailField(JsonValue field) {
  throw SpecError(kUnknownSpecName, field,
      "unknown field " + Quote(field.key()) + ": an input has " + std::string(kFields),
      DidYouMean(NearestField(
          field.key(), {"shape", "dtype", "device", "stride", "storage_offset", "layout", "nnz", "dense_dim",
                           "blocksize", "is_coalesced", "requires_grad", "view_of", "value", "values", "items"})));
}

[[noreturn]] void FailNull(JsonValue field) {
  field.Fail("null says nothing: leave " + Quote(field.key()) + " out for what the graph recorded");
}

// For an input of any type, null is the value None.
void CheckValue(const SpecEntry& entry, const Input& input) {
  if (entry.value && entry.value->IsNull() && input.type != InputType::kAny) FailNull(*entry.value);
}

SpecEntry ReadEntry(JsonValue json);

void ReadItems(JsonValue json, SpecEntry& entry) {
  if (json.kind() != JsonKind::kObject && json.kind() != JsonKind::kArray)
    json.FailExpected("a list of inputs, or inputs by key");
  entry.items_json = json;
  for (JsonValue item : json) entry.items.push_back(ReadEntry(item));
}

SpecEntry ReadEntry(JsonValue json) {
  if (json.kind() != JsonKind::kObject)
    throw JsonError(json.Pointer(), "expected an object but found " + json.Describe(),
        "an input is such as {\"shape\": [2, 7], \"dtype\": \"float32\"}");
  SpecEntry entry{.json = json};
  for (JsonValue field : json.AsObject()) {
    std::string_view name = field.key();
    if (field.IsNull() && name != "value") FailNull(field);
    if (name == "shape") entry.shape = ReadSizes(field, "size");
    else if (name == "stride") entry.stride = ReadSizes(field, "stride");
    else if (name == "storage_offset") entry.storage_offset = ReadSize(field, "storage offset");
    else if (name == "dtype") entry.dtype = ReadDtype(field);
    else if (name == "device") entry.device = ReadSpecDevice(field);
    else if (name == "layout") entry.layout = ReadSpecLayout(field);
    else if (name == "nnz") entry.nnz = ReadSize(field, "number of elements");
    else if (name == "dense_dim") entry.dense_dim = field.AsInt();
    else if (name == "blocksize") entry.blocksize = ReadSizes(field, "block size");
    else if (name == "is_coalesced") entry.is_coalesced = field.AsBool();
    else if (name == "requires_grad") entry.requires_grad = field.AsBool();
    else if (name == "view_of") field.AsString(), entry.view_of = field;
    else if (name == "value") entry.value = field;
    else if (name == "values") entry.values = field;
    else if (name == "items") ReadItems(field, entry);
    else if (name == "argument") field.AsString();  // only for the reader: which argument it is
    else FailField(field);
  }
  return entry;
}

void CheckDocument(JsonValue root, const Graph& graph) {
  static const std::vector<std::string> kKnown = {
      "format", "symbols", "assume", "duck_shape", "specialize_zero_one", "inputs"};
  for (JsonValue field : root)
    if (std::find(kKnown.begin(), kKnown.end(), field.key()) == kKnown.end())
      throw SpecError(kUnknownSpecName, field,
          "unknown field " + Quote(field.key()) +
              ": a spec has format, symbols, assume, duck_shape, specialize_zero_one and inputs",
          FindInput(graph, field.key()) >= 0 ? "inputs stand in `inputs`"
                                             : DidYouMean(NearestField(field.key(), kKnown)));
  root.Get("inputs");
}

SpecAssumption ReadAssumption(JsonValue json) {
  std::optional<Expression> expression = ParseExpression(json.AsString());
  if (expression) return {std::move(*expression), json};
  const bool assigns = json.AsString().find('=') != std::string_view::npos;
  throw SpecError(kMalformedSpec, json, Quote(json.AsString()) + " is no condition over symbols",
      assigns ? "equality is written `==`, as in Python" : "write it as in Python: `batch % 2 == 0`, `a <= 2*b`");
}

// Finds the input of each entry of the list or object `inputs`.
int MatchEntry(
    JsonValue entry, bool by_name, const std::vector<int>& user_inputs, size_t position, const Graph& graph) {
  if (by_name) {
    // Specs name inputs in the graph's order.
    const bool is_next = position < graph.inputs.size() && graph.nodes[graph.inputs[position].node].name == entry.key();
    const int input = is_next ? static_cast<int>(position) : FindInput(graph, entry.key());
    if (input < 0)
      throw SpecError(kUnknownSpecName, entry,
          "the graph has no input " + Quote(entry.key()) + ": its inputs are " + ListUserInputs(graph),
          SuggestUserInput(graph, entry.key()));
    return input;
  }
  if (position >= user_inputs.size())
    throw SpecError(kSpecMismatch, entry,
        "the graph has " + std::to_string(user_inputs.size()) + " inputs: " + ListUserInputs(graph));
  return user_inputs[position];
}

std::vector<int> UserInputs(const Graph& graph) {
  std::vector<int> positions;
  for (size_t i = 0; i < graph.inputs.size(); ++i)
    if (IsUserInput(graph.inputs[i])) positions.push_back(static_cast<int>(i));
  return positions;
}

void ReadInputEntries(
    JsonValue inputs, const Graph& graph, std::string_view file, DiagnosticSink& sink, SpecEntries& entries) {
  bool by_name = inputs.kind() == JsonKind::kObject;
  if (!by_name && inputs.kind() != JsonKind::kArray) inputs.FailExpected("inputs by name or a list of them");
  std::vector<int> user_inputs = UserInputs(graph);
  size_t position = 0;
  for (JsonValue json : inputs) {
    try {
      int input = MatchEntry(json, by_name, user_inputs, position++, graph);
      if (entries[input])
        throw SpecError(kSpecMismatch, json, Quote(LabelOf(graph, graph.inputs[input])) + " is given twice");
      SpecEntry entry = ReadEntry(json);
      CheckValue(entry, graph.inputs[input]);
      entries[input] = std::move(entry);
    } catch (const SpecError& error) {
      Report(error, error.code, file, sink);
    } catch (const JsonError& error) {
      Report(error, kMalformedSpec, file, sink);
    }
  }
}

}  // namespace

SpecEntries ReadSpecEntries(JsonValue root, const Graph& graph, std::string_view file, DiagnosticSink& sink) {
  SpecEntries entries(graph.inputs.size());
  try {
    CheckDocument(root, graph);
    ReadInputEntries(root.Get("inputs"), graph, file, sink, entries);
  } catch (const SpecError& error) {
    Report(error, error.code, file, sink);
  } catch (const JsonError& error) {
    Report(error, kMalformedSpec, file, sink);
  }
  return entries;
}

SpecSymbols ReadSpecSymbols(JsonValue root) {
  SpecSymbols spec;
  if (const std::optional<JsonValue> duck = root.Find("duck_shape")) spec.duck_shape = duck->AsBool();
  if (const std::optional<JsonValue> zero_one = root.Find("specialize_zero_one"))
    spec.specialize_zero_one = zero_one->AsBool();
  if (const std::optional<JsonValue> symbols = root.Find("symbols"))
    for (JsonValue symbol : symbols->AsObject())
      spec.symbols.push_back(ReadSymbol(symbol, spec.specialize_zero_one ? 2 : 0));
  if (const std::optional<JsonValue> assumptions = root.Find("assume"))
    for (JsonValue assumption : assumptions->AsArray()) spec.assumptions.push_back(ReadAssumption(assumption));
  return spec;
}

void Report(const JsonError& error, Code code, std::string_view file, DiagnosticSink& sink) {
  Diagnostic diagnostic;
  diagnostic.code = code;
  diagnostic.message = error.message;
  diagnostic.file = file;
  diagnostic.place = error.place;
  constexpr const char* kStart = "`fakeprop inputs GRAPH` prints a spec to start from";
  if (!error.note.empty()) diagnostic.notes.push_back(error.note);
  if (code.id == kMalformedSpec.id && error.note != kStart) diagnostic.notes.push_back(kStart);
  sink.Add(std::move(diagnostic));
}

bool IsUserInput(const Input& input) {
  return input.kind == InputKind::kUserInput || input.kind == InputKind::kConstant ||
         (input.kind == InputKind::kCustomObject && input.qualified_name.empty());
}

int FindInput(const Graph& graph, std::string_view name) {
  for (size_t i = 0; i < graph.inputs.size(); ++i)
    if (graph.nodes[graph.inputs[i].node].name == name) return static_cast<int>(i);
  for (size_t i = 0; i < graph.inputs.size(); ++i)
    if (const Input& input = graph.inputs[i];
        LabelOf(graph, input) == name || (!name.empty() && input.qualified_name == name))
      return static_cast<int>(i);
  return -1;
}

std::string_view LabelOf(const Graph& graph, const Input& input) {
  const bool is_nested = input.kind == InputKind::kUserInput && !input.qualified_name.empty();
  return is_nested ? std::string_view(input.qualified_name) : std::string_view(graph.nodes[input.node].name);
}

std::string SuggestUserInput(const Graph& graph, std::string_view name) {
  std::vector<std::string> names;
  for (int input : UserInputs(graph)) names.emplace_back(LabelOf(graph, graph.inputs[input]));
  return DidYouMean(Nearest(name, names));
}

std::string ListUserInputs(const Graph& graph) {
  constexpr size_t kMost = 12;
  std::vector<int> inputs = UserInputs(graph);
  std::string names;
  for (size_t i = 0; i < std::min(inputs.size(), kMost); ++i)
    names += (i ? ", " : "") + Quote(LabelOf(graph, graph.inputs[inputs[i]]));
  if (inputs.size() > kMost) names += " and " + std::to_string(inputs.size() - kMost) + " more";
  return inputs.empty() ? "none" : names;
}

}  // namespace fakeprop
