#include "lib/rules/derived/out_forms.h"

#include "lib/meta/dtype.h"
#include "lib/rules/support/copy_metas.h"
#include "lib/schema/schema_flags.h"

namespace fakeprop {
namespace {

OutStrides OutStridesIn(const Call& out_form, const OperatorFacts& facts) {
  return facts.out_strides_of ? facts.out_strides_of(out_form) : facts.out_strides;
}

}  // namespace

Overlap OverlapIn(const Call& form, const OperatorFacts& facts) {
  if (form.schema().IsOut() && form.schema().Has(kTagGenerated)) return Overlap::kRefused;
  return facts.overlap_of ? facts.overlap_of(form) : facts.overlap;
}

// Generated forms call the functional operator, check, and copy: what is said of kernels is not said of them.
OutDtype OutDtypeIn(const Call& out_form, const Schema& functional, const OperatorFacts& facts) {
  if (out_form.schema().Has(kTagGenerated))
    return facts.out_dtype == OutDtype::kBoolOrByte ? facts.out_dtype : OutDtype::kExact;
  const OutDtype dtype = facts.out_dtype_of ? facts.out_dtype_of(out_form) : facts.out_dtype;
  if (dtype == OutDtype::kByTag) return functional.Has(kTagPointwise) ? OutDtype::kCast : OutDtype::kExact;
  if (dtype == OutDtype::kAnyOnCpu) return out_form.device().is_cpu() ? OutDtype::kAny : OutDtype::kCast;
  return dtype;
}

bool KeepsStridesInOut(const Call& out_form, const OperatorFacts& facts, const TensorMeta& out) {
  if (out_form.schema().Has(kTagGenerated)) return false;
  if (facts.out_strides == OutStrides::kOfResultEverywhere) return true;
  // Only the cpu's kernels were there to be asked; for others it is FakeTensorMode that speaks.
  if (!out.device.is_cpu()) return false;
  const OutStrides strides = OutStridesIn(out_form, facts);
  return strides != OutStrides::kContiguous && strides != OutStrides::kAlwaysContiguous;
}

bool SetsStridesInOut(const Call& out_form, const OperatorFacts& facts, const TensorMeta& result) {
  if (out_form.schema().Has(kTagGenerated) || !out_form.device().is_cpu()) return false;
  return facts.sets_strides.At(result.rank()) || OutStridesIn(out_form, facts) == OutStrides::kAlwaysContiguous;
}

// A tensor that gets the strides of the result has no overlap any more when the kernel looks at it.
bool MayOverlapInOut(const Call& out_form, const OperatorFacts& facts, int64_t rank) {
  const Overlap overlap = OverlapIn(out_form, facts);
  const bool sets_strides = facts.sets_strides == SetsStrides() || facts.sets_strides.At(rank);
  return (overlap == Overlap::kAllowed || overlap == Overlap::kAllowedInOut) && sets_strides;
}

bool RefusesOverlapBeforeResize(const Call& out_form, const OperatorFacts& facts) {
  return OverlapIn(out_form, facts) == Overlap::kRefusedBeforeResize;
}

Dims StridesOfResized(
    const Call& call, const OperatorFacts& facts, const Output& result, const TensorMeta& m, const TensorMeta& out) {
  if (!KeepsStridesInOut(call, facts, out)) return ContiguousStrides(m.size_span());
  if (result.kind != Output::Kind::kArgument) return m.strides;
  const bool is_elementwise = facts.out_strides == OutStrides::kOfResultEverywhere;
  return is_elementwise ? rules::EmptyLike(m).strides : ContiguousStrides(m.size_span());
}

void GrowStorage(Mutation& written, Dim nbytes) {
  const TensorMeta& t = written.target->meta;
  const Dim end = t.storage_offset * Dim(static_cast<int64_t>(ItemSize(t.dtype))) + nbytes;
  written.nbytes = Max(written.nbytes.value_or(0), end);
}

}  // namespace fakeprop
