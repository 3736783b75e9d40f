#include "lib/inputs/spec.h"

namespace fakeprop {
namespace {


// Of an input of no known type the spec's fields tell; where it says nothing, its default or else a tensor.
bool IsAnyTensor(const Slot& slot) {
  const SpecEntry* entry = slot.entry;
  if (entry && (entry->shape || entry->dtype || entry->view_of)) return true;
  return !slot.input->has_default && !(entry && entry->value);
}

}  // namespace

// A token is a tensor only where the graph recorded it as one.
bool Slot::IsTensor() const {
  if (input->type == InputType::kAny) return IsAnyTensor(*this);
  return input->type == InputType::kTensor && (input->kind != InputKind::kToken || tensor);
}

bool Slot::IsNumber() const {
  return input->type == InputType::kInt || input->type == InputType::kFloat || input->type == InputType::kBool;
}

bool Slot::IsMissing() const {
  if (IsTensor()) return !tensor && !(entry && entry->shape && (entry->dtype || entry->view_of));
  return IsNumber() && !number && !(entry && entry->value);
}

std::vector<Slot> MakeSlots(const Graph& graph, const SpecEntries& entries) {
  std::vector<Slot> slots;
  slots.reserve(graph.inputs.size());
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    Slot slot;
    slot.input = &graph.inputs[i];
    slot.name = graph.nodes[slot.input->node].name;
    slot.label = LabelOf(graph, *slot.input);
    slot.entry = entries[i] ? &*entries[i] : nullptr;
    if (auto recorded = graph.recorded.find(slot.name); recorded != graph.recorded.end()) {
      slot.tensor = std::get_if<RecordedTensor>(&recorded->second);
      slot.number = std::get_if<RecordedNumber>(&recorded->second);
    }
    slots.push_back(slot);
  }
  return slots;
}

}  // namespace fakeprop
