#include "lib/rules/support/memory_overlap.h"

#include <algorithm>

#include "lib/meta/dtype.h"
#include "lib/meta/value_visit.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"

namespace fakeprop::rules {
namespace {

// A tensor as a kernel sees it: an out tensor may have another size by then.
struct Seen {
  const Tensor& tensor;
  const TensorMeta& meta;
};

// The first byte and the one behind the last of a dense tensor; nothing where a symbol decides.
std::optional<std::pair<int64_t, int64_t>> BytesOf(const TensorMeta& t) {
  const auto offset = t.storage_offset.TryNumber(), count = Numel(t.size_span()).TryNumber();
  if (!offset || !count || *count == 0) return std::nullopt;
  const auto size = ItemSize(t.dtype);
  return std::pair(*offset * size, (*offset + *count) * size);
}

// outer, addr and binary_cross_entropy view their tensors with more or fewer dimensions of size 1.
bool IteratesOverViews(const Schema& schema) {
  return schema.name == "aten::outer" || schema.name == "aten::ger" || schema.name == "aten::addr" ||
         schema.name == "aten::binary_cross_entropy";
}

Dims StridesToCompare(const Schema& schema, const TensorMeta& t) {
  if (!IteratesOverViews(schema)) return t.strides;
  Dims strides;
  for (size_t d = 0; d < t.sizes.size(); ++d)
    if (!GuardOrFalse(Eq(t.sizes[d], 1))) strides.push_back(t.strides[d]);
  return strides;
}

// Source: at::get_overlap_status: of tensors that are not dense nothing is known, and the same elements in the same
// order are no part.
bool OverlapsInPart(const Schema& schema, const Seen& written, const Seen& read) {
  if (&written.tensor == &read.tensor || written.tensor.storage != read.tensor.storage) return false;
  if (!IsNonOverlappingAndDense(written.meta) || !IsNonOverlappingAndDense(read.meta)) return false;
  const auto a = BytesOf(written.meta), b = BytesOf(read.meta);
  if (!a || !b) return false;
  if (*a == *b)
    return !std::ranges::equal(StridesToCompare(schema, written.meta), StridesToCompare(schema, read.meta),
        [](Dim x, Dim y) { return x.TryNumber() == y.TryNumber(); });
  return a->first < b->second && b->first < a->second;
}

bool OverlapsInFull(const Seen& written, const Seen& read) {
  if (written.tensor.storage != read.tensor.storage) return false;
  if (&written.tensor == &read.tensor) return true;
  const auto a = BytesOf(written.meta), b = BytesOf(read.meta);
  return a && b && *a == *b && IsNonOverlappingAndDense(written.meta) && IsNonOverlappingAndDense(read.meta);
}

// Returns true if the kernel may read nothing of what it writes; out= forms may read `self`, which they copy first.
bool SharesNothing(const Schema& schema, ReadsWritten reads) {
  if (schema.Has(kTagGenerated)) return false;
  return reads == ReadsWritten::kNothingInplace || (reads == ReadsWritten::kNothingInOut && schema.IsOut());
}

// gather looks at its index in another way: as at what an out= form copies first, which may be written to itself.
bool IsCopied(const Schema& schema, const SchemaArgument& argument, ReadsWritten reads) {
  if (!schema.IsOut()) return false;
  return argument.name == (reads == ReadsWritten::kNothingInplace ? "self"
                              : schema.name == "aten::gather"     ? "index"
                                                                  : "");
}

// cat leaves vectors without elements out, and stack reads views of its tensors.
bool IsNotJoined(const Schema& schema, const SchemaArgument& argument, const Tensor& read) {
  return argument.type.is_list && IsKnownEmpty(read.meta) && (read.meta.rank() == 1 || schema.name == "aten::stack");
}

// Returns true if the kernel gets a copy that has applied the bits of a conjugated or negated view, and writes the
// tensor itself later. Source: MathBitFallback in aten/src/ATen/native, and what ConjugateFallback.cpp lets through.
bool IsResolved(const Schema& schema, const Tensor& t) {
  if (schema.name == "aten::copy_") return false;
  const bool takes_conjugated = schema.name.starts_with("aten::addmm") || schema.name.starts_with("aten::baddbmm");
  return t.meta.is_neg || (t.meta.is_conj && !takes_conjugated);
}

// `self` is expanded to the sum's sizes before these copy or read it, after which it is not dense.
bool IsExpanded(const Schema& schema, const SchemaArgument& argument, const TensorMeta& written, const TensorMeta& read,
    ReadsWritten reads) {
  if (argument.name != "self" || (reads != ReadsWritten::kSelfAsItself && schema.name != "aten::addr")) return false;
  return schema.name != "aten::ldexp" && !GuardOrFalse(Eq(Numel(written.size_span()), Numel(read.size_span())));
}

// What the call has made of the tensor so far.
const TensorMeta& SeenMeta(const Call& call, const Tensor& written) {
  for (const Mutation& mutation : call.effects().mutations)
    if (mutation.target == &written && mutation.meta) return *mutation.meta;
  return written.meta;
}

// sort and kthvalue look whether their values, not their indices, are what they read.
bool LooksAt(const Call& call, const Tensor& written) {
  const std::string_view name = call.schema().name;
  const bool values_alone = name == "aten::sort" || name == "aten::kthvalue";
  return !values_alone || !call.Has("values") || &call.In("values").tensor() == &written;
}

}  // namespace

void RequireNoPartOf(const Call& call, const Tensor& written, ReadsWritten reads) {
  const Schema& schema = call.schema();
  const bool shares_nothing = SharesNothing(schema, reads), itself = reads == ReadsWritten::kItself;
  const bool by_self = reads == ReadsWritten::kSelfAsItself && !schema.Has(kTagGenerated);
  const bool by_tag = reads == ReadsWritten::kByTag && schema.Has(kTagPointwise);
  if (!shares_nothing && !itself && !by_self && !by_tag) return;
  if (IsResolved(schema, written) || !LooksAt(call, written)) return;
  const TensorMeta& meta = SeenMeta(call, written);
  const auto check = [&](const SchemaArgument& argument, const Tensor& read) {
    if (IsResolved(schema, read) || IsExpanded(schema, argument, meta, read.meta, reads)) return;
    const bool may_share = !shares_nothing || IsCopied(schema, argument, reads);
    // Kernels in place compare the tensors first.
    const bool is_itself = !may_share && !schema.IsOut() && &written == &read;
    const Seen w{written, meta}, r{read, read.meta};
    const bool in_full = !may_share && !IsNotJoined(schema, argument, read) && OverlapsInFull(w, r);
    if (is_itself || in_full || OverlapsInPart(schema, w, r))
      Fail(ErrorClass::kValueError,
          Format("{}: unsupported operation: some elements of the input tensor and the written-to tensor refer to a "
                 "single memory location ({} and {}). Please clone() the tensor before performing the operation",
              OpName(call), read.meta, meta),
          {&written, &read});
  };
  for (size_t i = 0; i < call.size(); ++i) {
    const SchemaArgument& argument = schema.arguments[i];
    if (argument.is_write || (by_self && argument.name != "self")) continue;
    ForEachTensor(call.Arg(static_cast<int>(i)), [&](const Tensor& read) { check(argument, read); });
  }
}

}  // namespace fakeprop::rules
