// The spec that `fakeprop inputs` prints.
#include <algorithm>
#include <cmath>

#include "lib/base/json_text.h"
#include "lib/inputs/inputs.h"
#include "lib/inputs/spec.h"
#include "lib/meta/dtype.h"
#include "lib/readers/device_name.h"

namespace fakeprop {
namespace {

std::string Spell(std::string_view text) {
  std::string json;
  WriteString(text, json);
  return json;
}

// JSON has no infinities.
std::string Spell(double value) {
  if (std::isnan(value)) return "\"NaN\"";
  if (std::isinf(value)) return value > 0 ? "\"Infinity\"" : "\"-Infinity\"";
  std::string json;
  WriteFloat(value, json);
  return json;
}

// A symbolic size is written as the number it had when the graph was made; 1 where nobody knows.
int64_t HintOf(const RecordedSize& size) { return size.expression.empty() ? size.number : size.hint.value_or(1); }

std::string SpellHints(const std::vector<RecordedSize>& sizes) {
  std::string json;
  for (const RecordedSize& size : sizes) json += (json.empty() ? "" : ", ") + std::to_string(HintOf(size));
  return "[" + json + "]";
}

// Whether the strides are what a spec without them means.
bool IsPlainlyContiguous(const RecordedTensor& tensor) {
  int64_t expected = 1;
  for (size_t i = tensor.sizes.size(); i-- > 0;) {
    int64_t size = HintOf(tensor.sizes[i]);
    if (size != 1 && HintOf(tensor.strides[i]) != expected) return false;
    if (__builtin_mul_overflow(expected, std::max<int64_t>(size, 1), &expected)) return false;
  }
  return true;
}

std::string DescribeTensor(const RecordedTensor& tensor) {
  std::string json = "{\"shape\": " + SpellHints(tensor.sizes) + ", \"dtype\": " + Spell(DtypeName(tensor.dtype)) +
                     ", \"device\": " + Spell(WithIndex(tensor.device).str());
  bool is_plain = tensor.layout != Layout::Strided || IsPlainlyContiguous(tensor);
  if (!is_plain) json += ", \"stride\": " + SpellHints(tensor.strides);
  if (int64_t offset = HintOf(tensor.storage_offset)) json += ", \"storage_offset\": " + std::to_string(offset);
  if (tensor.requires_grad) json += ", \"requires_grad\": true";
  return json + "}";
}

std::string DescribeNumber(const RecordedNumber& number) {
  std::string value = std::to_string(HintOf(number.integer));
  if (number.kind == RecordedNumber::Kind::kFloat) value = Spell(number.floating);
  if (number.kind == RecordedNumber::Kind::kBool) value = number.boolean ? "true" : "false";
  return "{\"value\": " + value + "}";
}

// For what nothing is known of: something to change.
std::string DescribeUnknown(const InputPart& part) {
  const auto item = [&](size_t i) { return i < part.parts.size() ? DescribeUnknown(part.parts[i]) : ""; };
  switch (part.type) {
    case InputType::kInt: return "{\"value\": 1}";
    case InputType::kFloat: return "{\"value\": 1.0}";
    case InputType::kBool: return "{\"value\": true}";
    case InputType::kString: return "{\"value\": \"\"}";
    case InputType::kDevice: return "{\"value\": \"cpu\"}";
    case InputType::kList: return "{\"items\": [" + item(0) + "]}";
    case InputType::kDict:
      return std::string("{\"items\": {") + (part.parts[0].type == InputType::kInt ? "\"0\": " : "\"key\": ") +
             item(1) + "}}";
    case InputType::kTuple: {
      std::string items;
      for (size_t i = 0; i < part.parts.size(); ++i) items += (i ? ", " : "") + item(i);
      return "{\"items\": [" + items + "]}";
    }
    case InputType::kAny:
      if (part.parts.size() == 1) return item(0);
      [[fallthrough]];
    default: return "{\"shape\": [1], \"dtype\": \"float32\", \"device\": \"cpu\"}";
  }
}

std::string Describe(const Slot& slot) {
  std::string json = slot.tensor   ? DescribeTensor(*slot.tensor)
                     : slot.number ? DescribeNumber(*slot.number)
                                   : DescribeUnknown(slot.part);
  if (slot.label != slot.name) json.insert(1, "\"argument\": " + Spell(slot.label) + ", ");
  return json;
}

}  // namespace

std::string InputSpecTemplate(const Graph& graph) {
  std::string lines;
  SpecEntries none(graph.inputs.size());
  for (const Slot& slot : MakeSlots(graph, none)) {
    bool is_given = slot.input->kind == InputKind::kUserInput && (slot.IsTensor() || slot.IsNumber());
    if (is_given || slot.IsMissing())
      lines += (lines.empty() ? "\n    " : ",\n    ") + Spell(slot.name) + ": " + Describe(slot);
  }
  std::string inputs = lines.empty() ? "{}" : "{" + lines + "\n  }";
  return "{\n  \"format\": \"fakeprop.inputs/1\",\n  \"inputs\": " + inputs + "\n}\n";
}

}  // namespace fakeprop
