// Views that read a tensor's elements as something else: another dtype, real and imaginary parts, conjugates,
// negatives. Source: aten/src/ATen/native/TensorConversions.cpp (view.dtype), ComplexHelper.h, UnaryOps.cpp
// (torch 2.13).
#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/families.h"
#include "lib/rules/support/copy_metas.h"
#include "lib/rules/support/outputs.h"
#include "lib/rules/support/required_arguments.h"
#include "lib/rules/support/slice_metas.h"
#include "lib/rules/support/view_metas.h"

namespace fakeprop::rules {
namespace {

[[noreturn]] void FailRetype(const TensorMeta& t, ScalarType to, const char* why) {
  Fail(ErrorClass::kViewError, Format("{} cannot be viewed as {}, whose elements are of another size: {}", t, to, why));
}

// t's layout in elements that are `ratio` times as large.
TensorMeta WidenedMeta(const TensorMeta& t, ScalarType to, Dim ratio) {
  auto require = [&](Dim d, const char* why) {
    if (!Divides(ratio, d)) FailRetype(t, to, why);
  };
  require(t.sizes.back(), "its last size must be divisible by their ratio");
  require(t.storage_offset, "its storage offset must be divisible by their ratio");
  TensorMeta out = t;
  for (int64_t d = 0; d + 1 < t.rank(); ++d) {
    require(t.strides[d], "its strides must be divisible by their ratio");
    out.strides[d] = FloorDiv(t.strides[d], ratio);
  }
  out.sizes.back() = FloorDiv(t.sizes.back(), ratio);
  out.storage_offset = FloorDiv(t.storage_offset, ratio);
  return out;
}

// t's layout in elements that are `ratio` times as small.
TensorMeta NarrowedElementsMeta(const TensorMeta& t, Dim ratio) {
  TensorMeta out = t;
  for (int64_t d = 0; d + 1 < t.rank(); ++d) out.strides[d] *= ratio;
  out.sizes.back() *= ratio;
  out.storage_offset *= ratio;
  return out;
}

// t's layout in elements of another dtype's size.
TensorMeta ResizedElementsMeta(const TensorMeta& t, ScalarType to) {
  const int64_t from_size = ItemSize(t.dtype), to_size = ItemSize(to);
  if (from_size == to_size) return t;
  if (t.rank() == 0) FailRetype(t, to, "it has no dimensions");
  if (!Expect(Eq(t.strides.back(), 1))) FailRetype(t, to, "its last stride must be 1");
  return to_size > from_size ? WidenedMeta(t, to, to_size / from_size) : NarrowedElementsMeta(t, from_size / to_size);
}

// Returns true for the forms that return a copy, which apply conjugations and negations before anything else.
// Source: MathBitsFallback in aten/src/ATen/native/MathBitsFallback.h (torch 2.13).
bool IsCopied(const Call& call) { return call.form() && call.form()->schema().name.ends_with("_copy"); }

void ViewDtype(Call& call) {
  const Operand self = call.In("self");
  const ScalarType to = RequiredDtype(call);
  if (self->HasPendingBits() && !IsCopied(call))
    Fail(ErrorClass::kViewError, "a conjugated or negated view has no bits to view as another dtype");
  const TensorMeta viewed = self->HasPendingBits() ? EmptyLike(self) : *self;
  call.ReturnAlias(self.tensor(), WithDtype(ResizedElementsMeta(viewed, to), to));
}

TensorMeta AsRealMeta(const TensorMeta& t) {
  TensorMeta out = t;
  for (Dim& stride : out.strides) stride *= 2;
  out.sizes.push_back(2);
  out.strides.push_back(1);
  out.storage_offset *= 2;
  out.dtype = ToRealDtype(t.dtype);
  return out;
}

void ViewAsReal(Call& call) {
  const Operand self = call.In("self");
  RequireDtype(IsComplex(self->dtype), {"view_as_real is only supported for complex tensors, but got {}", *self});
  if (self->is_conj && !IsCopied(call))
    Fail(ErrorClass::kViewError, "view_as_real takes no unresolved conjugated tensor; use resolve_conj first");
  call.ReturnView(self.tensor(), AsRealMeta(self));
}

// t without its last dimension, which holds a real and an imaginary part.
TensorMeta AsComplexMeta(const TensorMeta& t) {
  bool fits = Expect(Eq(t.strides.back(), 1)) && Divides(2, t.storage_offset);
  TensorMeta out = t;
  out.sizes.pop_back();
  out.strides.pop_back();
  for (size_t d = 0; d < out.strides.size(); ++d) {
    Dim& stride = out.strides[d];
    fits = fits && (Known(Eq(out.sizes[d], 1)) || Divides(2, stride));
    stride = FloorDiv(stride, 2);
  }
  if (!fits)
    Fail(ErrorClass::kViewError, Format("view_as_complex: tensor must have a last dimension with stride 1, other "
                                        "strides and an offset divisible by "
                                        "2, but got {} + {}",
                                     t.strides, t.storage_offset));
  out.storage_offset = FloorDiv(t.storage_offset, 2);
  out.dtype = ToComplexDtype(t.dtype);
  return out;
}

void ViewAsComplex(Call& call) {
  const Operand self = call.In("self");
  RequireDtype((kFloat32Or64 | ScalarType::Half).Has(self->dtype),
      {"view_as_complex takes float16, float32 and float64 tensors, but got {}", *self});
  RequireShape(self->rank() != 0 && Expect(Eq(self->sizes.back(), 2)),
      {"view_as_complex: tensor must have a last dimension of size 2, but got {}", self->sizes});
  call.ReturnView(self.tensor(), AsComplexMeta(self));
}

// One part of each complex number; the imaginary part of a conjugate is a negated view.
template <int Part>
void ComplexPart(Call& call) {
  const Operand self = call.In("self");
  TensorMeta out = SelectedMeta(AsRealMeta(self), -1, Part);
  out.is_conj = false;
  if (Part == 1 && self->is_conj) out.is_neg = !out.is_neg;
  call.ReturnView(self.tensor(), std::move(out));
}

void Real(Call& call) { IsComplex(call.In("self")->dtype) ? ComplexPart<0>(call) : ReturnSelf(call); }

void Imag(Call& call) {
  const Operand self = call.In("self");
  RequireDtype(
      IsComplex(self->dtype), {"imag is not implemented for tensors with non-complex dtypes, but got {}", *self});
  ComplexPart<1>(call);
}

TensorMeta ConjugateMeta(const TensorMeta& t) {
  TensorMeta out = t;
  out.is_conj = IsComplex(t.dtype) && !t.is_conj;
  return out;
}

void ConjView(Call& call) {
  const Operand self = call.In("self");
  self.Takes(kComplexDtypes, {"takes complex tensors, but got {}", *self});
  call.ReturnView(self.tensor(), ConjugateMeta(self));
}

void Conj(Call& call) { IsComplex(call.In("self")->dtype) ? ConjView(call) : ReturnSelf(call); }

// mT, mH: the last two dimensions swapped; a 0-dim tensor stays.
template <bool Conjugates>
void MatrixTranspose(Call& call) {
  const Operand self = call.In("self");
  self.Require(self->rank() != 1, "takes matrices or batches of them, but got {}");
  const bool conjugates = Conjugates && IsComplex(self->dtype);
  if (self->rank() == 0 && !conjugates) return ReturnSelf(call);
  const TensorMeta out = self->rank() == 0 ? *self : Transposed(self, -2, -1);
  call.ReturnView(self.tensor(), conjugates ? ConjugateMeta(out) : out);
}

void MatrixH(Call& call) {
  const Operand self = call.In("self");
  if (self->rank() > 2)
    FailShape({"the conjugate transpose of a matrix takes at most 2 dimensions, but got {}; use mH for batches",
        self->sizes});
  MatrixTranspose<true>(call);
}

void Adjoint(Call& call) { call.In("self")->rank() == 0 ? Conj(call) : MatrixTranspose<true>(call); }

void NegView(Call& call) {
  const Operand self = call.In("self");
  TensorMeta out = *self;
  out.is_neg = !out.is_neg;
  call.ReturnView(self.tensor(), std::move(out));
}

// A copy that has applied the pending conjugation or negation; the argument where none is pending.
template <bool TensorMeta::*Bit>
void Resolve(Call& call) {
  const Operand self = call.In("self");
  if (!((*self).*Bit)) return ReturnSelf(call);
  TensorMeta out = *self;
  out.strides = PreservedStrides(self);
  out.storage_offset = 0;
  out.is_conj = out.is_neg = false;
  call.ReturnNew(std::move(out));
}

constexpr RuleRow kRows[] = {
    {"aten::matrix_H", MatrixH},
    {"aten::matrix_H.a", MatrixH},
    {"aten::adjoint", Adjoint},
    {"aten::mH", MatrixTranspose<true>},
    {"aten::mT", MatrixTranspose<false>},
    {"aten::mH.a", MatrixTranspose<true>},
    {"aten::mT.a", MatrixTranspose<false>},
    {"aten::view.dtype", ViewDtype},
    {"aten::view_as_real", ViewAsReal},
    {"aten::view_as_complex", ViewAsComplex},
    {"aten::real", Real},
    {"aten::imag", Imag},
    {"aten::conj", Conj},
    {"aten::_conj", ConjView},
    {"aten::_neg_view", NegView},
    {"aten::resolve_conj", Resolve<&TensorMeta::is_conj>},
    {"aten::resolve_neg", Resolve<&TensorMeta::is_neg>},
};

}  // namespace

RuleRows ReinterpretRules() { return kRows; }

}  // namespace fakeprop::rules
