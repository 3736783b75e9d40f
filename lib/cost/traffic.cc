#include "lib/cost/traffic.h"

#include <algorithm>

#include "lib/rules/rule_table.h"

namespace fakeprop {
namespace {

// The elements that are there: a dimension of stride 0 repeats them.
Dim BytesOf(const Tensor& t) {
  Dim bytes = ItemSize(t.meta.dtype);
  for (size_t d = 0; d < t.meta.sizes.size(); ++d) {
    const bool is_expanded = d < t.meta.strides.size() && t.meta.strides[d].TryNumber() == 0;
    bytes *= is_expanded ? Dim(1) : t.meta.sizes[d];
  }
  return bytes;
}

bool IsWritten(const CountedCall& call, const Tensor& t) {
  for (size_t i = 0; i < call.schema().arguments.size(); ++i)
    if (call.schema().arguments[i].is_write && call.TensorAt(i) == &t) return true;
  return false;
}

Dim WrittenBytes(const CountedCall& call) {
  Dim written = 0;
  std::vector<const Storage*> seen;
  for (const Tensor* t : call.tensors()) {
    if (!IsWritten(call, *t)) continue;
    written += BytesOf(*t);
    seen.push_back(t->storage);
  }
  for (const Tensor* t : call.tensors()) seen.push_back(t->storage);
  for (const Tensor* t : call.results()) {
    if (std::find(seen.begin(), seen.end(), t->storage) != seen.end()) continue;
    written += BytesOf(*t);
  }
  return written;
}

}  // namespace

Traffic CountTraffic(const CountedCall& call) {
  Traffic traffic;
  if (call.schema().Has(kTagInplaceView)) return traffic;
  traffic.written = WrittenBytes(call);
  const Reads reads = FindFacts(call.schema()).reads;
  if (reads == Reads::kMetadata) return traffic;
  const bool writes = traffic.written.TryNumber() != 0;
  if (!writes && !call.results().empty()) {
    // Only views, unless the result is no tensor at all (item).
    return traffic;
  }
  const bool selects = reads == Reads::kSelected;
  const Tensor* source = selects ? call.TensorAt(0) : nullptr;
  for (const Tensor* t : call.tensors()) {
    if (t == source) continue;
    if (reads == Reads::kNotWritten && IsWritten(call, *t)) continue;
    traffic.read += BytesOf(*t);
  }
  if (selects) traffic.read += traffic.written;
  return traffic;
}

}  // namespace fakeprop
