// Views that see a tensor's elements otherwise: as another dtype, as real and imaginary parts, conjugated, negated.
// Source: aten/src/ATen/native/TensorConversions.cpp (view.dtype), ComplexHelper.h, UnaryOps.cpp (torch 2.13).
#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/families.h"
#include "lib/rules/support/view_metas.h"

namespace fakeprop::rules {
namespace {

void Self(Call& call) { call.ReturnArgument(call.TensorArg(0)); }

[[noreturn]] void FailRetype(const TensorMeta& t, ScalarType to, const char* why) {
  Fail(ErrorClass::kViewError, ToString(t) + " cannot be viewed as " + std::string(DtypeName(to)) +
                                   ", whose elements are of another size: " + why);
}

// Elements of `ratio` times their size.
TensorMeta WidenedMeta(const TensorMeta& t, ScalarType to, Dim ratio) {
  auto require = [&](Dim d, const char* why) {
    if (!Expect(Eq(Mod(d, ratio), 0))) FailRetype(t, to, why);
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

TensorMeta NarrowedElementsMeta(const TensorMeta& t, Dim ratio) {
  TensorMeta out = t;
  for (int64_t d = 0; d + 1 < t.rank(); ++d) out.strides[d] *= ratio;
  out.sizes.back() *= ratio;
  out.storage_offset *= ratio;
  return out;
}

void ViewDtype(Call& call) {
  const TensorMeta& t = call.Meta(0);
  const ScalarType to = *call.OptionalDtype(1);
  const int64_t from_size = ItemSize(t.dtype), to_size = ItemSize(to);
  if (t.is_conj || t.is_neg)
    Fail(ErrorClass::kViewError, "a conjugated or negated view has no bits to view as another dtype");
  TensorMeta out = t;
  if (from_size != to_size) {
    if (t.rank() == 0) FailRetype(t, to, "it has no dimensions");
    if (!Expect(Eq(t.strides.back(), 1))) FailRetype(t, to, "its last stride must be 1");
    out = to_size > from_size ? WidenedMeta(t, to, to_size / from_size) : NarrowedElementsMeta(t, from_size / to_size);
  }
  out.dtype = to;
  call.ReturnAlias(call.TensorArg(0), std::move(out));
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
  const TensorMeta& t = call.Meta(0);
  if (!IsComplex(t.dtype))
    Fail(ErrorClass::kDtypeMismatch, "view_as_real takes complex tensors, but got " + ToString(t));
  if (t.is_conj)
    Fail(ErrorClass::kViewError, "view_as_real takes no unresolved conjugated tensor; use resolve_conj first");
  call.ReturnView(call.TensorArg(0), AsRealMeta(t));
}

void ViewAsComplex(Call& call) {
  const TensorMeta& t = call.Meta(0);
  if (t.dtype != ScalarType::Half && t.dtype != ScalarType::Float && t.dtype != ScalarType::Double)
    Fail(ErrorClass::kDtypeMismatch,
        "view_as_complex takes float16, float32 and float64 tensors, but got " + ToString(t));
  if (t.rank() == 0 || !Expect(Eq(t.sizes.back(), 2)))
    Fail(ErrorClass::kShapeMismatch,
        "view_as_complex takes a last dimension of size 2, but got " + ToString(t.size_span()));
  bool fits = Expect(Eq(t.strides.back(), 1)) && Expect(Eq(Mod(t.storage_offset, 2), 0));
  TensorMeta out = t;
  out.sizes.pop_back();
  out.strides.pop_back();
  for (size_t d = 0; d < out.strides.size(); ++d) {
    Dim& stride = out.strides[d];
    fits = fits && (Known(Eq(out.sizes[d], 1)) || Expect(Eq(Mod(stride, 2), 0)));
    stride = FloorDiv(stride, 2);
  }
  if (!fits) {
    Fail(ErrorClass::kViewError,
        "view_as_complex takes a last stride of 1, other strides and an offset divisible by 2, but got " +
            ToString(t.stride_span()) + " + " + t.storage_offset.ToString());
  }
  out.storage_offset = FloorDiv(t.storage_offset, 2);
  out.dtype = ToComplexDtype(t.dtype);
  call.ReturnView(call.TensorArg(0), std::move(out));
}

// One part of each complex number; the imaginary part of a conjugate is a negated view.
template <int Part>
void ComplexPart(Call& call) {
  Tensor& t = call.TensorArg(0);
  TensorMeta out = SelectedMeta(AsRealMeta(t.meta), -1, Part);
  out.is_conj = false;
  if (Part == 1 && t.meta.is_conj) out.is_neg = !out.is_neg;
  call.ReturnView(t, std::move(out));
}

void Real(Call& call) { IsComplex(call.Meta(0).dtype) ? ComplexPart<0>(call) : Self(call); }

void Imag(Call& call) {
  if (!IsComplex(call.Meta(0).dtype))
    Fail(ErrorClass::kDtypeMismatch, "imag takes complex tensors, but got " + ToString(call.Meta(0)));
  ComplexPart<1>(call);
}

TensorMeta ConjugateMeta(const TensorMeta& t) {
  TensorMeta out = t;
  out.is_conj = IsComplex(t.dtype) && !t.is_conj;
  return out;
}

void ConjView(Call& call) {
  if (!IsComplex(call.Meta(0).dtype))
    Fail(ErrorClass::kDtypeMismatch, OpName(call) + " takes complex tensors, but got " + ToString(call.Meta(0)));
  call.ReturnView(call.TensorArg(0), ConjugateMeta(call.Meta(0)));
}

void Conj(Call& call) { IsComplex(call.Meta(0).dtype) ? ConjView(call) : Self(call); }

// mT, mH: the last two dimensions swapped; a 0-dim tensor stays.
template <bool Conjugates>
void MatrixTranspose(Call& call) {
  Tensor& t = call.TensorArg(0);
  if (t.meta.rank() == 1)
    Fail(ErrorClass::kShapeMismatch,
        OpName(call) + " takes matrices or batches of them, but got " + ToString(t.meta.size_span()));
  const bool conjugates = Conjugates && IsComplex(t.meta.dtype);
  if (t.meta.rank() == 0 && !conjugates) return Self(call);
  TensorMeta out = t.meta.rank() == 0 ? t.meta : Transposed(t.meta, -2, -1);
  call.ReturnView(t, conjugates ? ConjugateMeta(out) : out);
}

void MatrixH(Call& call) {
  if (call.Meta(0).rank() > 2) {
    Fail(ErrorClass::kShapeMismatch, "the conjugate transpose of a matrix takes at most 2 dimensions, but got " +
                                         ToString(call.Meta(0).size_span()) + "; use mH for batches");
  }
  MatrixTranspose<true>(call);
}

void Adjoint(Call& call) {
  if (call.Meta(0).rank() == 0) return Conj(call);
  MatrixTranspose<true>(call);
}

void NegView(Call& call) {
  TensorMeta out = call.Meta(0);
  out.is_neg = !out.is_neg;
  call.ReturnView(call.TensorArg(0), std::move(out));
}

// A copy that has applied the pending conjugation or negation; the argument where none is pending.
template <bool TensorMeta::*Bit>
void Resolve(Call& call) {
  const TensorMeta& t = call.Meta(0);
  if (!(t.*Bit)) return Self(call);
  TensorMeta out = t;
  out.strides = PreservedStrides(t);
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
