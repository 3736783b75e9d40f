#include "lib/cost/traffic.h"

#include <unordered_set>

#include "lib/meta/value_visit.h"
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

// The tensors of a call by what it does with the arguments in which they stand.
struct TensorsByUse {
  explicit TensorsByUse(const CountedCall& call) {
    for (const SchemaArgument& argument : call.schema().arguments)
      if (const Value* value = call.Find(argument.name))
        ForEachTensor(*value, [&](const Tensor& t) { (argument.is_write ? written : others).insert(&t); });
  }

  std::unordered_set<const Tensor*> written, others;
};

// An out= form only writes the tensors that it returns.
bool IsRead(const CountedCall& call, Reads reads, const TensorsByUse& tensors, const Tensor* t) {
  if (reads == Reads::kNotWritten) return !tensors.written.contains(t);
  return !call.schema().IsOut() || tensors.others.contains(t);
}

Dim WrittenBytes(const CountedCall& call, const TensorsByUse& tensors) {
  Dim written = 0;
  std::unordered_set<const Storage*> known;
  for (const Tensor* t : call.tensors()) {
    if (tensors.written.contains(t)) written += BytesOf(*t);
    known.insert(t->storage);
  }
  for (const Tensor* t : call.results())
    if (!known.contains(t->storage)) written += BytesOf(*t);
  return written;
}

}  // namespace

Traffic CountTraffic(const CountedCall& call) {
  Traffic traffic;
  if (call.schema().Has(kTagInplaceView)) return traffic;
  const TensorsByUse tensors(call);
  traffic.written = WrittenBytes(call, tensors);
  const Reads reads = FindFacts(call.schema()).reads;
  if (reads == Reads::kMetadata) return traffic;
  const bool writes = traffic.written.TryNumber() != 0;
  if (!writes && !call.results().empty()) {
    // Only views, unless the result is no tensor at all (item).
    return traffic;
  }
  const bool selects = reads == Reads::kSelected;
  const Tensor* source = selects ? call.TensorAt(0) : nullptr;
  for (const Tensor* t : call.tensors())
    if (t != source && IsRead(call, reads, tensors, t)) traffic.read += BytesOf(*t);
  if (selects) traffic.read += traffic.written;
  return traffic;
}

}  // namespace fakeprop
