#include "lib/inputs/views.h"

#include <numeric>

#include "lib/inputs/input_codes.h"
#include "lib/meta/dtype.h"

namespace fakeprop {
namespace {

// The input that a `view_of` names.
int FindTarget(const Graph& graph, const std::vector<Slot>& slots, JsonValue view_of) {
  const int target = FindSlot(slots, view_of.AsString());
  if (target < 0)
    throw SpecError(kUnknownSpecName, view_of,
        "the graph has no input " + Quote(view_of.AsString()) + ": its inputs are " + ListUserInputs(graph),
        SuggestUserInput(graph, view_of.AsString()));
  if (!slots[target].IsTensor())
    throw SpecError(kInvalidSpecView, view_of, Quote(view_of.AsString()) + " is no tensor and has no storage");
  return target;
}

bool HasViewOf(const Slot& slot) { return slot.entry && slot.entry->view_of; }

int FindBase(const Graph& graph, const std::vector<Slot>& slots, int view) {
  int base = view;
  const Slot* first = nullptr;  // the first of the chain with a `view_of` in the spec; a file alone has no cycles
  for (size_t steps = 0; steps <= slots.size(); ++steps) {
    const Slot& slot = slots[base];
    if (!first && HasViewOf(slot)) first = &slot;
    const int next = HasViewOf(slot) ? FindTarget(graph, slots, *slot.entry->view_of) : slot.input->storage_of;
    if (next < 0) return base;
    base = next;
  }
  throw SpecError(kInvalidSpecView, *first->entry->view_of, Quote(first->name) + " is a view of itself");
}

void CheckSame(const Slot& view, const TensorMeta& meta, const Slot& base, const TensorMeta& of) {
  // In a file with weights, tensors of several dtypes may share bytes.
  if (!HasViewOf(view)) return;
  JsonValue at = *view.entry->view_of;
  std::string both = Quote(view.label) + " and " + Quote(base.label) + " share one storage but are ";
  if (meta.device != of.device)
    throw SpecError(kInvalidSpecView, at, both + "on " + meta.device.str() + " and " + of.device.str());
  if (meta.dtype != of.dtype)
    throw SpecError(
        kInvalidSpecView, at, both + std::string(DtypeName(meta.dtype)) + " and " + std::string(DtypeName(of.dtype)));
}

}  // namespace

std::vector<int> FindViewBases(
    const Graph& graph, const std::vector<Slot>& slots, std::string_view file, DiagnosticSink& sink) {
  std::vector<int> bases(slots.size());
  std::iota(bases.begin(), bases.end(), 0);
  for (int view = 0; view < std::ssize(slots); ++view) {
    try {
      if (slots[view].IsTensor()) bases[view] = FindBase(graph, slots, view);
    } catch (const SpecError& error) {
      Report(error, error.code, file, sink);
    }
  }
  return bases;
}

void JoinViews(const std::vector<Slot>& slots, const std::vector<int>& bases, std::string_view file,
    DiagnosticSink& sink, std::vector<InputValue>& values) {
  std::vector<int> owners(values.size(), -1);  // for each base the first input of its group
  for (int i = 0; i < std::ssize(values); ++i) {
    try {
      if (bases[i] != i) CheckSame(slots[i], values[i].meta, slots[bases[i]], values[bases[i]].meta);
    } catch (const SpecError& error) {
      Report(error, error.code, file, sink);
    }
    int& owner = owners[bases[i]];
    if (owner < 0) owner = i;
    else values[i].view_of = owner;
  }
}

}  // namespace fakeprop
