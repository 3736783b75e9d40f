// Writes the spec that `fakeprop inputs` prints.
#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "lib/inputs/inputs.h"
#include "lib/inputs/slots.h"
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

// A symbolic size is written as its hint, or as 1 if it has none.
int64_t HintOf(const RecordedSize& size) { return size.expression.empty() ? size.number : size.hint.value_or(1); }

void WriteHints(const std::vector<RecordedSize>& sizes, JsonWriter& json) {
  json.Array(sizes, [&](const RecordedSize& size) { json.Int(HintOf(size)); });
}

// Returns true if a spec without strides means the same.
bool IsPlainlyContiguous(const RecordedTensor& tensor) {
  int64_t expected = 1;
  for (size_t i = tensor.sizes.size(); i-- > 0;) {
    int64_t size = HintOf(tensor.sizes[i]);
    if (size != 1 && HintOf(tensor.strides[i]) != expected) return false;
    if (__builtin_mul_overflow(expected, std::max<int64_t>(size, 1), &expected)) return false;
  }
  return true;
}

// Each of the following functions adds members to the open object of an input.
void WriteTensor(const RecordedTensor& tensor, JsonWriter& json) {
  WriteHints(tensor.sizes, json.Key("shape"));
  json.Key("dtype").String(DtypeName(tensor.dtype));
  json.Key("device").String(WithIndex(tensor.device).str());
  const bool is_plain = tensor.layout != Layout::Strided || IsPlainlyContiguous(tensor);
  if (!is_plain) WriteHints(tensor.strides, json.Key("stride"));
  if (int64_t offset = HintOf(tensor.storage_offset)) json.Key("storage_offset").Int(offset);
  if (tensor.requires_grad) json.Key("requires_grad").Bool(true);
}

void WriteNumber(const RecordedNumber& number, JsonWriter& json) {
  json.Key("value");
  switch (number.kind) {
    case RecordedNumber::Kind::kInt: return json.Int(HintOf(number.integer));
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

void WriteSlot(const Slot& slot, JsonWriter& json) {
  json.BeginObject();
  if (slot.label != slot.name) json.Key("argument").String(slot.label);
  if (slot.tensor) WriteTensor(*slot.tensor, json);
  else if (slot.number) WriteNumber(*slot.number, json);
  else UnknownWriter(json).Members(slot.part);
  json.EndObject();
}

bool IsInSpec(const Slot& slot) {
  const bool is_given = slot.input->kind == InputKind::kUserInput && (slot.IsTensor() || slot.IsNumber());
  return is_given || slot.IsMissing();
}

void WriteSlots(std::vector<Slot> slots, JsonWriter& json) {
  std::erase_if(slots, [](const Slot& slot) { return !IsInSpec(slot); });
  json.BeginObject();
  for (const Slot& slot : slots) {
    json.NewLine(4);
    WriteSlot(slot, json.KeyOf(slot.name));
  }
  if (!slots.empty()) json.NewLine(2);
  json.EndObject();
}

}  // namespace

std::string InputSpecTemplate(const Graph& graph) {
  SpecEntries none(graph.inputs.size());
  JsonWriter json;
  json.BeginObject();
  json.NewLine(2);
  json.Key("format").String("fakeprop.inputs/1");
  json.NewLine(2);
  WriteSlots(MakeSlots(graph, none), json.Key("inputs"));
  json.NewLine(0);
  json.EndObject();
  return json.Take() + "\n";
}

}  // namespace fakeprop
