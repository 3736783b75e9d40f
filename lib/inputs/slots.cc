#include "lib/inputs/slots.h"

#include "lib/inputs/input_codes.h"

namespace fakeprop {
namespace {

bool IsContainer(InputType type) {
  return type == InputType::kList || type == InputType::kTuple || type == InputType::kDict;
}

// The type without its None.
const InputPart& Unwrapped(const InputPart& part) {
  return part.type == InputType::kAny && part.parts.size() == 1 ? Unwrapped(part.parts[0]) : part;
}

// An input without a known type is a tensor if the spec has a field of tensors for it, or if it has neither a value in
// the spec nor a default.
bool IsAnyTensor(const Slot& slot) {
  const SpecEntry* entry = slot.entry;
  if (entry && (entry->shape || entry->dtype || entry->view_of)) return true;
  return !slot.input->has_default && !(entry && (entry->value || entry->items_json));
}

// Makes the slots of the items of lists, tuples and dicts.
class Expander {
 public:
  explicit Expander(std::vector<Slot>& slots) : slots_(slots) {}

  void Expand(size_t position) {
    if (!slots_[position].HasItems()) return;
    CheckKind(slots_[position]);
    const std::vector<SpecEntry>& items = slots_[position].entry->items;
    for (size_t i = 0; i < items.size(); ++i) {
      slots_.push_back(Item(slots_[position], items[i], i));
      slots_[position].items.push_back(static_cast<int>(slots_.size()) - 1);
      Expand(slots_.size() - 1);
    }
  }

 private:
  static Slot Item(const Slot& in, const SpecEntry& entry, size_t i) {
    const InputPart& of = in.Declared();
    Slot slot;
    slot.input = in.input;
    if (of.type == InputType::kList) slot.part = of.parts.at(0);
    if (of.type == InputType::kTuple) slot.part = of.parts.at(i);
    if (of.type == InputType::kDict) slot.part = of.parts.at(1);
    const bool by_key = in.entry->items_json->kind() == JsonKind::kObject;
    const bool is_text = by_key && !(of.type == InputType::kDict && of.parts[0].type == InputType::kInt);
    const std::string step = by_key ? std::string(entry.json.key()) : std::to_string(i);
    slot.name = in.name + (is_text ? "[\"" + step + "\"]" : "[" + step + "]");
    slot.label = slot.name;
    slot.entry = &entry;
    return slot;
  }

  static void CheckKind(const Slot& slot) {
    const InputPart& part = slot.Declared();
    const JsonValue json = *slot.entry->items_json;
    if (!IsContainer(part.type) && part.type != InputType::kAny)
      throw SpecError(kSpecMismatch, json, Quote(slot.label) + " is no list, tuple or dict and has no `items`");
    const bool by_key = json.kind() == JsonKind::kObject;
    if (part.type != InputType::kAny && by_key != (part.type == InputType::kDict))
      throw SpecError(kSpecMismatch, json,
          Quote(slot.label) +
              (by_key ? " is a list or tuple: its items have no keys" : " is a dict: its items have keys"));
    if (part.type == InputType::kTuple && part.parts.size() != json.size())
      throw SpecError(kSpecMismatch, json,
          Quote(slot.label) + " is a tuple of " + std::to_string(part.parts.size()) + " items, not " +
              std::to_string(json.size()));
  }

  std::vector<Slot>& slots_;
};

}  // namespace

const InputPart& Slot::Declared() const { return Unwrapped(part); }

// A token is a tensor only if the graph recorded it as one.
bool Slot::IsTensor() const {
  if (part.type == InputType::kAny) return IsAnyTensor(*this);
  return part.type == InputType::kTensor && (input->kind != InputKind::kToken || tensor);
}

bool Slot::IsNumber() const {
  return part.type == InputType::kInt || part.type == InputType::kFloat || part.type == InputType::kBool;
}

bool Slot::IsMissing() const {
  if (IsTensor()) return !tensor && !(entry && entry->shape && (entry->dtype || entry->view_of));
  if (IsNumber()) return !number && !(entry && entry->value);
  const bool is_given = entry && (entry->value || entry->items_json);
  return (IsContainer(part.type) || part.type == InputType::kString || part.type == InputType::kDevice) && !is_given;
}

std::vector<Slot> MakeSlots(const Graph& graph, const SpecEntries& entries) {
  std::vector<Slot> slots;
  slots.reserve(graph.inputs.size());
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    Slot slot;
    slot.input = &graph.inputs[i];
    slot.part = {slot.input->type, slot.input->parts};
    slot.name = graph.nodes[slot.input->node].name;
    slot.label = LabelOf(graph, *slot.input);
    slot.entry = entries[i] ? &*entries[i] : nullptr;
    if (auto recorded = graph.recorded.find(slot.name); recorded != graph.recorded.end()) {
      slot.tensor = std::get_if<RecordedTensor>(&recorded->second);
      slot.number = std::get_if<RecordedNumber>(&recorded->second);
    }
    slots.push_back(std::move(slot));
  }
  Expander expander(slots);
  for (size_t i = 0; i < graph.inputs.size(); ++i) expander.Expand(i);
  return slots;
}

size_t DimensionsOf(const Slot& slot) {
  const bool both = slot.entry && slot.entry->shape && slot.tensor;
  return both && slot.entry->shape->size() == slot.tensor->sizes.size() ? slot.tensor->sizes.size() : 0;
}

int FindSlot(const std::vector<Slot>& slots, std::string_view name) {
  for (size_t i = 0; i < slots.size(); ++i)
    if (slots[i].name == name) return static_cast<int>(i);
  for (size_t i = 0; i < slots.size(); ++i)
    if (slots[i].label == name) return static_cast<int>(i);
  return -1;
}

}  // namespace fakeprop
