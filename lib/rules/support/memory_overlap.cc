#include "lib/rules/support/memory_overlap.h"

#include <algorithm>

#include "lib/meta/dtype.h"
#include "lib/meta/value_visit.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"

namespace fakeprop::rules {
namespace {

// The first byte and the one behind the last of a dense tensor; nothing where a symbol decides.
std::optional<std::pair<int64_t, int64_t>> BytesOf(const Tensor& t) {
  const auto offset = t.meta.storage_offset.TryNumber(), count = Numel(t.meta.size_span()).TryNumber();
  if (!offset || !count || *count == 0) return std::nullopt;
  const auto size = ItemSize(t.meta.dtype);
  return std::pair(*offset * size, (*offset + *count) * size);
}

// Source: at::get_overlap_status: of tensors that are not dense nothing is known, and the same elements in the same
// order are no part.
bool OverlapsInPart(const Tensor& written, const Tensor& read) {
  if (&written == &read || written.storage != read.storage) return false;
  if (!IsNonOverlappingAndDense(written.meta) || !IsNonOverlappingAndDense(read.meta)) return false;
  const auto a = BytesOf(written), b = BytesOf(read);
  if (!a || !b) return false;
  if (*a == *b)
    return !std::ranges::equal(
        written.meta.strides, read.meta.strides, [](Dim x, Dim y) { return x.TryNumber() == y.TryNumber(); });
  return a->first < b->second && b->first < a->second;
}

bool OverlapsInFull(const Tensor& written, const Tensor& read) {
  if (written.storage != read.storage) return false;
  if (&written == &read) return true;
  const auto a = BytesOf(written), b = BytesOf(read);
  return a && b && *a == *b && IsNonOverlappingAndDense(written.meta) && IsNonOverlappingAndDense(read.meta);
}

// Returns true if the kernel may read nothing of what it writes; out= forms may read `self`, which they copy first.
bool SharesNothing(const Schema& schema, ReadsWritten reads) {
  if (schema.Has(kTagGenerated)) return false;
  return reads == ReadsWritten::kNothingInplace || (reads == ReadsWritten::kNothingInOut && schema.IsOut());
}

// gather looks at its index in another way, and may write to it.
bool MayBeWritten(const Schema& schema, const SchemaArgument& argument, ReadsWritten reads) {
  if (!schema.IsOut()) return false;
  return argument.name == (reads == ReadsWritten::kNothingInplace ? "self"
                              : schema.name == "aten::gather"     ? "index"
                                                                  : "");
}

// cat leaves vectors without elements out, and stack reads views of its tensors.
bool IsNotJoined(const Schema& schema, const SchemaArgument& argument, const Tensor& read) {
  return argument.type.is_list && IsKnownEmpty(read.meta) && (read.meta.rank() == 1 || schema.name == "aten::stack");
}

}  // namespace

void RequireNoPartOf(const Call& call, const Tensor& written, ReadsWritten reads) {
  const bool shares_nothing = SharesNothing(call.schema(), reads);
  if (!shares_nothing && !call.schema().Has(kTagPointwise) && reads != ReadsWritten::kItself) return;
  const auto check = [&](const SchemaArgument& argument, const Tensor& read) {
    // Kernels in place compare the tensors first.
    const bool is_itself = shares_nothing && !call.schema().IsOut() && &written == &read;
    const bool in_full = shares_nothing && !IsNotJoined(call.schema(), argument, read) && OverlapsInFull(written, read);
    if (is_itself || in_full || OverlapsInPart(written, read))
      Fail(ErrorClass::kValueError,
          Format("{}: unsupported operation: some elements of the input tensor and the written-to tensor refer to a "
                 "single memory location ({} and {}). Please clone() the tensor before performing the operation",
              OpName(call), read.meta, written.meta),
          {&written, &read});
  };
  for (size_t i = 0; i < call.size(); ++i) {
    const SchemaArgument& argument = call.schema().arguments[i];
    if (argument.is_write || (shares_nothing && MayBeWritten(call.schema(), argument, reads))) continue;
    ForEachTensor(call.Arg(static_cast<int>(i)), [&](const Tensor& read) { check(argument, read); });
  }
}

}  // namespace fakeprop::rules
