// Writes the spec that `fakeprop inputs` prints.
#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "lib/inputs/graph_guards.h"
#include "lib/inputs/inputs.h"
#include "lib/inputs/slots.h"
#include "lib/inputs/solve_symbols.h"
#include "lib/json/json_writer.h"
#include "lib/meta/device_name.h"
#include "lib/meta/dtype.h"

namespace fakeprop {
namespace {

// A spec has strings for infinities and NaN.
void WriteFloat(double value, JsonWriter& json) {
  if (std::isnan(value)) json.String("NaN");
  else if (std::isinf(value)) json.String(value > 0 ? "Infinity" : "-Infinity");
  else json.Float(value);
}

// The symbols that the sizes of inputs are made of, in order, and a value for each: its hint, else one that tells it
// from others.
class TemplateSymbols {
 public:
  explicit TemplateSymbols(const std::vector<Slot>& slots) : hints_(SolveHints(slots)), values_(hints_) {
    for (const Slot& slot : slots) {
      if (slot.tensor) ForEachSize(*slot.tensor, [this](const RecordedSize& size) { Add(size); });
    }
  }

  const std::vector<std::string>& names() const { return names_; }
  std::optional<int64_t> HintOf(const std::string& symbol) const {
    auto it = hints_.find(symbol);
    return it == hints_.end() ? std::nullopt : std::optional(it->second);
  }
  // Returns true if it is an expression over these symbols alone.
  bool HasAllOf(const RecordedSize& size) const {
    const std::optional<Expression> expression = ParseExpression(size.expression);
    const std::vector<std::string> symbols = expression ? UnknownSymbols(*expression, {}) : std::vector<std::string>();
    return !symbols.empty() && std::all_of(symbols.begin(), symbols.end(), [this](const std::string& symbol) {
      return std::find(names_.begin(), names_.end(), symbol) != names_.end();
    });
  }
  int64_t ValueOf(const RecordedSize& size) const {
    if (size.expression.empty()) return size.number;
    const std::optional<Expression> expression = ParseExpression(size.expression);
    const std::optional<Number> number = expression ? Evaluate(*expression, values_) : std::nullopt;
    return number ? number->AsInteger().value_or(1) : 1;
  }

 private:
  void Add(const RecordedSize& size) {
    const std::optional<Expression> expression = ParseExpression(size.expression);
    if (size.expression.empty() || !expression) return;
    for (const std::string& symbol : UnknownSymbols(*expression, {})) {
      if (std::find(names_.begin(), names_.end(), symbol) != names_.end()) continue;
      names_.push_back(symbol);
      constexpr int64_t kFirst = 1009, kStep = 14;  // no likely size
      values_.emplace(symbol, kFirst + kStep * static_cast<int64_t>(names_.size()));
    }
  }

  SymbolValues hints_, values_;
  std::vector<std::string> names_;
};

void WriteSize(const RecordedSize& size, JsonWriter& json) {
  const std::optional<Expression> expression = ParseExpression(size.expression);
  if (size.expression.empty() || !expression) json.Int(size.number);
  else json.String(ToString(*expression));
}

void WriteSizes(const std::vector<RecordedSize>& sizes, JsonWriter& json) {
  json.Array(sizes, [&](const RecordedSize& size) { WriteSize(size, json); });
}

// Returns true if a spec without strides means the same.
bool IsPlainlyContiguous(const RecordedTensor& tensor, const TemplateSymbols& symbols) {
  int64_t expected = 1;
  for (size_t i = tensor.sizes.size(); i-- > 0;) {
    int64_t size = symbols.ValueOf(tensor.sizes[i]);
    if (size != 1 && symbols.ValueOf(tensor.strides[i]) != expected) return false;
    if (__builtin_mul_overflow(expected, std::max<int64_t>(size, 1), &expected)) return false;
  }
  return true;
}

// With the range in which a size may lie: an exported program takes no other. The lower bound of a size with a hint is
// 2, as in the trace (ShapeEnv.create_symbol). A symbol without a hint is one of torch.export's unbacked dimensions.
void WriteSymbol(const Graph& graph, const std::string& symbol, std::optional<int64_t> hint, JsonWriter& json) {
  int64_t min = hint.value_or(0) >= 2 ? 2 : 0;
  std::optional<int64_t> max;
  if (auto recorded = graph.ranges.find(symbol); recorded != graph.ranges.end()) {
    min = std::max(min, recorded->second.min.value_or(min));
    max = recorded->second.max;
  }
  json.BeginObject();
  json.Key("min").Int(min);
  if (max) json.Key("max").Int(*max);
  json.Key("hint");
  if (hint) json.Int(*hint);
  else json.Null();
  json.EndObject();
}

// Each of the following functions adds members to the open object of an input.
void WriteTensor(const RecordedTensor& tensor, const TemplateSymbols& symbols, JsonWriter& json) {
  WriteSizes(tensor.sizes, json.Key("shape"));
  json.Key("dtype").String(DtypeName(tensor.dtype));
  json.Key("device").String(WithIndex(tensor.device).str());
  if (tensor.layout != Layout::Strided) json.Key("layout").String(ToString(Value(tensor.layout)));
  const bool is_plain = tensor.layout != Layout::Strided || IsPlainlyContiguous(tensor, symbols);
  if (!is_plain) WriteSizes(tensor.strides, json.Key("stride"));
  if (symbols.ValueOf(tensor.storage_offset) != 0) WriteSize(tensor.storage_offset, json.Key("storage_offset"));
  if (tensor.requires_grad) json.Key("requires_grad").Bool(true);
}

// An integer that is a size of a tensor stays one.
void WriteInteger(const RecordedSize& integer, const TemplateSymbols& symbols, JsonWriter& json) {
  if (symbols.HasAllOf(integer)) WriteSize(integer, json);
  else json.Int(integer.expression.empty() ? integer.number : integer.hint.value_or(1));
}

void WriteNumber(const RecordedNumber& number, const TemplateSymbols& symbols, JsonWriter& json) {
  json.Key("value");
  switch (number.kind) {
    case RecordedNumber::Kind::kInt: return WriteInteger(number.integer, symbols, json);
    case RecordedNumber::Kind::kFloat: return WriteFloat(number.floating, json);
    case RecordedNumber::Kind::kBool: return json.Bool(number.boolean);
  }
}

void WriteUnknownTensor(JsonWriter& json) {
  json.Key("shape").Array(std::array{1}, [&](int size) { json.Int(size); });
  json.Key("dtype").String("float32");
  json.Key("device").String("cpu");
}

// Writes an example for an input of which only the type is known. The user changes it.
class UnknownWriter {
 public:
  explicit UnknownWriter(JsonWriter& json) : json_(json) {}

  void Members(const InputPart& part) {
    const std::span parts(part.parts);
    switch (part.type) {
      case InputType::kInt: return json_.Key("value").Int(1);
      case InputType::kFloat: return json_.Key("value").Float(1);
      case InputType::kBool: return json_.Key("value").Bool(true);
      case InputType::kString: return json_.Key("value").String("");
      case InputType::kDevice: return json_.Key("value").String("cpu");
      case InputType::kList: return Items(parts.first(std::min<size_t>(parts.size(), 1)));
      case InputType::kTuple: return Items(parts);
      case InputType::kDict: return DictItems(parts);
      case InputType::kAny:
        if (parts.size() == 1) return Members(parts[0]);
        [[fallthrough]];
      default: WriteUnknownTensor(json_);
    }
  }

 private:
  void Object(const InputPart& part) {
    json_.BeginObject();
    Members(part);
    json_.EndObject();
  }

  void Items(std::span<const InputPart> parts) {
    json_.Key("items").Array(parts, [&](const InputPart& part) { Object(part); });
  }

  // `parts` are the types of the keys and of the values.
  void DictItems(std::span<const InputPart> parts) {
    json_.Key("items").BeginObject();
    json_.Key(parts[0].type == InputType::kInt ? JsonKey("0") : JsonKey("key"));
    Object(parts[1]);
    json_.EndObject();
  }

  JsonWriter& json_;
};

void WriteSlot(const Slot& slot, const TemplateSymbols& symbols, JsonWriter& json) {
  json.BeginObject();
  if (slot.label != slot.name) json.Key("argument").String(slot.label);
  if (slot.tensor) WriteTensor(*slot.tensor, symbols, json);
  else if (slot.number) WriteNumber(*slot.number, symbols, json);
  else UnknownWriter(json).Members(slot.part);
  json.EndObject();
}

bool IsInSpec(const Slot& slot) {
  const bool is_given = slot.input->kind == InputKind::kUserInput && (slot.IsTensor() || slot.IsNumber());
  return is_given || slot.IsMissing();
}

void WriteSymbols(const Graph& graph, const TemplateSymbols& symbols, JsonWriter& json) {
  if (symbols.names().empty()) return;
  json.Key("symbols").BeginObject();
  for (const std::string& symbol : symbols.names()) {
    json.NewLine(4);
    WriteSymbol(graph, symbol, symbols.HintOf(symbol), json.KeyOf(symbol));
  }
  json.NewLine(2);
  json.EndObject();
  json.NewLine(2);
}

void WriteSlots(const std::vector<Slot>& slots, const TemplateSymbols& symbols, JsonWriter& json) {
  json.BeginObject();
  for (const Slot& slot : slots) {
    json.NewLine(4);
    WriteSlot(slot, symbols, json.KeyOf(slot.name));
  }
  if (!slots.empty()) json.NewLine(2);
  json.EndObject();
}

void WriteAssumptions(const std::vector<std::string>& assumptions, JsonWriter& json) {
  if (assumptions.empty()) return;
  json.Key("assume").Array(assumptions, [&](const std::string& assumption) {
    json.NewLine(4);
    json.String(assumption);
  });
  json.NewLine(2);
}

std::string WriteSpec(const Graph& graph, const std::vector<std::string>& assumptions) {
  SpecEntries none(graph.inputs.size());
  std::vector<Slot> slots = MakeSlots(graph, none);
  std::erase_if(slots, [](const Slot& slot) { return !IsInSpec(slot); });
  const TemplateSymbols symbols(slots);
  JsonWriter json;
  json.BeginObject();
  json.NewLine(2);
  json.Key("format").String("fakeprop.inputs/1");
  json.NewLine(2);
  WriteSymbols(graph, symbols, json);
  WriteAssumptions(assumptions, json);
  WriteSlots(slots, symbols, json.Key("inputs"));
  json.NewLine(0);
  json.EndObject();
  return json.Take() + "\n";
}

// The demands of the exported program that the ranges of this spec do not say. Each is left out that follows from those
// before it.
std::vector<std::string> DemandsBeyond(const std::string& spec, const Graph& graph) {
  std::vector<std::string> demands;
  ShapeEnv env;
  DiagnosticSink ignored;
  const auto inputs = ResolveInputs(graph, spec, "", ignored, &env);
  if (!inputs) return demands;
  for (Sym condition : ReadGraphGuards(graph, *inputs, env).conditions) {
    if (env.Static(condition) || (condition->hint && !condition->hint->Truth())) continue;
    env.Assume(condition);
    demands.push_back(ToString(condition));
  }
  return demands;
}

}  // namespace

std::string InputSpecTemplate(const Graph& graph) {
  const std::string spec = WriteSpec(graph, {});
  const std::vector<std::string> demands =
      graph.guards.empty() ? std::vector<std::string>() : DemandsBeyond(spec, graph);
  return demands.empty() ? spec : WriteSpec(graph, demands);
}

}  // namespace fakeprop
