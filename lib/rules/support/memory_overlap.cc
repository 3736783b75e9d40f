#include "lib/rules/support/memory_overlap.h"

#include <algorithm>

#include "lib/meta/dtype.h"
#include "lib/meta/value_visit.h"
#include "lib/rules/core/results.h"

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
  const auto a = BytesOf(written), b = BytesOf(read);
  const bool dense = IsNonOverlappingAndDense(written.meta) && IsNonOverlappingAndDense(read.meta);
  return a && b && (&written == &read || (dense && *a == *b));
}

bool SharesNothing(const Schema& schema, ReadsWritten reads) {
  return reads == (schema.IsOut() ? ReadsWritten::kNothingInOut : ReadsWritten::kNothingInplace) &&
         !schema.Has(kTagGenerated);
}

}  // namespace

void RequireNoPartOf(const Call& call, const Tensor& written, ReadsWritten reads) {
  const bool shares_nothing = SharesNothing(call.schema(), reads);
  if (!shares_nothing && !call.schema().Has(kTagPointwise) && reads != ReadsWritten::kItself) return;
  const auto check = [&](const Tensor& read) {
    // Kernels for out tensors leave empty operands out; those in place compare the tensors first.
    const bool is_itself = shares_nothing && !call.schema().IsOut() && &written == &read;
    if (is_itself || OverlapsInPart(written, read) || (shares_nothing && OverlapsInFull(written, read)))
      Fail(ErrorClass::kValueError,
          Format("{}: unsupported operation: some elements of the input tensor and the written-to tensor refer to a "
                 "single memory location ({} and {}). Please clone() the tensor before performing the operation",
              OpName(call), read.meta, written.meta),
          {&written, &read});
  };
  for (size_t i = 0; i < call.size(); ++i)
    if (const SchemaArgument& argument = call.schema().arguments[i]; !argument.is_write)
      ForEachTensor(call.Arg(static_cast<int>(i)), check);
}

}  // namespace fakeprop::rules
