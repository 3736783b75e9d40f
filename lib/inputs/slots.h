// The inputs of a graph one by one, with what the spec and the graph say about each.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lib/graph/graph.h"
#include "lib/inputs/spec.h"

namespace fakeprop {

// All that is known about one input of the graph, or about one item of an input that is a list, tuple or dict.
struct Slot {
  const Input* input = nullptr;            // the input that it is, or that it is in
  InputPart part;                          // its type, as the file declares it
  std::string name;                        // the placeholder's name; an item's is `feats["a"][0]`
  std::string label;                       // its name in messages: the name, or `inputs["mask"]` in a dict
  const SpecEntry* entry = nullptr;        // what the spec says
  const RecordedTensor* tensor = nullptr;  // what the graph recorded
  const RecordedNumber* number = nullptr;  // what the graph recorded
  std::vector<int> items;                  // the slots of its items

  bool IsTensor() const;
  bool IsNumber() const;
  // The declared type; of an optional, the type that it has if it is not None.
  const InputPart& Declared() const;
  // Returns true if the spec gives its items, as for a list, tuple or dict.
  bool HasItems() const { return entry && entry->items_json; }
  // Returns true if neither the spec nor the graph says what it is.
  bool IsMissing() const;
};

// One slot for each input, in order, then one for each item. The entries must outlive the slots. Throws SpecError if
// the spec gives items for an input that is not a list, tuple or dict, or items that do not fit its type.
std::vector<Slot> MakeSlots(const Graph& graph, const SpecEntries& entries);

// The number of dimensions that the spec and the graph both give; 0 if their ranks differ.
size_t DimensionsOf(const Slot& slot);

// Calls visit(size) for each size, then each stride, then the storage offset.
template <typename Visit>
void ForEachSize(const RecordedTensor& tensor, const Visit& visit) {
  for (const RecordedSize& size : tensor.sizes) visit(size);
  for (const RecordedSize& stride : tensor.strides) visit(stride);
  visit(tensor.storage_offset);
}

// The slot of this name or label, or -1.
int FindSlot(const std::vector<Slot>& slots, std::string_view name);

}  // namespace fakeprop
