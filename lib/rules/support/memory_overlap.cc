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

bool ComparesViews(const OperatorFacts& facts) {
  return facts.compares == Compares::kViews || facts.compares == Compares::kViewsAndExpandedSelf;
}

bool ExpandsSelf(const OperatorFacts& facts) {
  return facts.compares == Compares::kExpandedSelf || facts.compares == Compares::kViewsAndExpandedSelf;
}

Dims StridesToCompare(const OperatorFacts& facts, const TensorMeta& t) {
  if (!ComparesViews(facts)) return t.strides;
  Dims strides;
  for (size_t d = 0; d < t.sizes.size(); ++d)
    if (!GuardOrFalse(Eq(t.sizes[d], 1))) strides.push_back(t.strides[d]);
  return strides;
}

// Source: at::get_overlap_status: of tensors that are not dense nothing is known, and the same elements in the same
// order are no part.
bool OverlapsInPart(const OperatorFacts& facts, const Seen& written, const Seen& read) {
  if (&written.tensor == &read.tensor || written.tensor.storage != read.tensor.storage) return false;
  if (!IsNonOverlappingAndDense(written.meta) || !IsNonOverlappingAndDense(read.meta)) return false;
  const auto a = BytesOf(written.meta), b = BytesOf(read.meta);
  if (!a || !b) return false;
  if (*a == *b)
    return !std::ranges::equal(StridesToCompare(facts, written.meta), StridesToCompare(facts, read.meta),
        [](Dim x, Dim y) { return x.TryNumber() == y.TryNumber(); });
  return a->first < b->second && b->first < a->second;
}

bool OverlapsInFull(const Seen& written, const Seen& read) {
  if (written.tensor.storage != read.tensor.storage) return false;
  if (&written.tensor == &read.tensor) return true;
  const auto a = BytesOf(written.meta), b = BytesOf(read.meta);
  return a && b && *a == *b && IsNonOverlappingAndDense(written.meta) && IsNonOverlappingAndDense(read.meta);
}

// Returns true if the kernel may read nothing of what it writes, but perhaps what IsCopied names.
bool SharesNothing(const Schema& schema, ReadsWritten reads) {
  if (schema.Has(kTagGenerated)) return false;
  const bool in_out = reads == ReadsWritten::kNothingInOut || reads == ReadsWritten::kIndexInOut;
  return reads == ReadsWritten::kNothingInplace || (in_out && schema.IsOut());
}

// Returns true for an argument that the out= form copies first, or looks at as at such a copy: it may be written to.
bool IsCopied(const Schema& schema, const SchemaArgument& argument, ReadsWritten reads) {
  if (!schema.IsOut()) return false;
  return (reads == ReadsWritten::kNothingInplace && argument.name == "self") ||
         (reads == ReadsWritten::kIndexInOut && argument.name == "index");
}

// cat leaves vectors without elements out; views of tensors without elements overlap with nothing.
bool IsNotJoined(const OperatorFacts& facts, const SchemaArgument& argument, const Tensor& read) {
  return argument.type.is_list && IsKnownEmpty(read.meta) && (read.meta.rank() == 1 || ComparesViews(facts));
}

bool IsExpanded(
    const OperatorFacts& facts, const SchemaArgument& argument, const TensorMeta& written, const TensorMeta& read) {
  return ExpandsSelf(facts) && argument.name == "self" &&
         !GuardOrFalse(Eq(Numel(written.size_span()), Numel(read.size_span())));
}

// What the call has made of the tensor so far.
const TensorMeta& SeenMeta(const Call& call, const Tensor& written) {
  for (const Mutation& mutation : call.effects().mutations)
    if (mutation.target == &written && mutation.meta) return *mutation.meta;
  return written.meta;
}

bool IsCompared(const Call& call, const OperatorFacts& facts, const Tensor& written) {
  if (facts.compares != Compares::kValues || !call.Has("values")) return true;
  return &call.In("values").tensor() == &written;
}

}  // namespace

bool IsResolved(const OperatorFacts& facts, const TensorMeta& t) {
  const MathBits taken = facts.math_bits;
  return (t.is_conj && taken == MathBits::kResolved) || (t.is_neg && taken != MathBits::kTaken);
}

void RequireNoPartOf(const Call& call, const Tensor& written, const OperatorFacts& facts) {
  const Schema& schema = call.schema();
  const ReadsWritten reads = facts.reads_written;
  const bool shares_nothing = SharesNothing(schema, reads), itself = reads == ReadsWritten::kItself;
  const bool by_self = reads == ReadsWritten::kSelfAsItself && !schema.Has(kTagGenerated);
  const bool by_tag = reads == ReadsWritten::kByTag && schema.Has(kTagPointwise);
  if (!shares_nothing && !itself && !by_self && !by_tag) return;
  if (IsResolved(facts, written.meta) || !IsCompared(call, facts, written)) return;
  const TensorMeta& meta = SeenMeta(call, written);
  const auto check = [&](const SchemaArgument& argument, const Tensor& read) {
    if (IsResolved(facts, read.meta) || IsExpanded(facts, argument, meta, read.meta)) return;
    const bool may_share = !shares_nothing || IsCopied(schema, argument, reads);
    // Kernels in place compare the tensors first.
    const bool is_itself = !may_share && !schema.IsOut() && &written == &read;
    const Seen w{written, meta}, r{read, read.meta};
    const bool in_full = !may_share && !IsNotJoined(facts, argument, read) && OverlapsInFull(w, r);
    if (is_itself || in_full || OverlapsInPart(facts, w, r))
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

void RequireUnshared(const Call& call, const Tensor& written) {
  if (!HasInternalOverlap(written.meta)) return;
  Fail(ErrorClass::kValueError,
      Format("{}: unsupported operation: more than one element of the written-to tensor refers to a single memory "
             "location ({}). Please clone() the tensor before performing the operation",
          OpName(call), written.meta),
      {&written});
}

void WriteUnshared(Call& call, const Operand& out, const Dims& sizes, const OperatorFacts& facts) {
  if (GuardSameOrFalse(out->size_span(), sizes)) RequireUnshared(call, out);
  WriteOfSizes(call, out.tensor(), sizes);
  RequireNoPartOf(call, out.tensor(), facts);
}

}  // namespace fakeprop::rules
