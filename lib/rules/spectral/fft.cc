// Fourier transforms: the primitives, the fft_* family, short-time transforms.
// Source: aten/src/ATen/native/SpectralOps.cpp, torch/_refs/fft.py (torch 2.13).
#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/families.h"
#include "lib/rules/support/copy_metas.h"
#include "lib/rules/support/elementwise.h"
#include "lib/rules/support/fft_metas.h"

namespace fakeprop::rules {
namespace {

using DimIds = std::vector<int64_t>;

enum class Needs { kAny, kComplex };

// The dtype that transforms take; half precision only beside the cpu.
ScalarType TransformDtype(const Call& call, const TensorMeta& t, Needs needs) {
  if (IsComplex(t.dtype)) return t.dtype;
  const ScalarType dtype = IsFloat(t.dtype) ? t.dtype : call.state().default_dtype;
  const bool half = dtype == ScalarType::Half && !t.device.is_cpu();
  if (dtype != ScalarType::Float && dtype != ScalarType::Double && !half)
    FailDtype(call, "takes no tensors of " + std::string(DtypeName(dtype)));
  return needs == Needs::kComplex ? ToComplexDtype(dtype) : dtype;
}

TensorMeta Promoted(const Call& call, const TensorMeta& t, Needs needs) {
  const ScalarType dtype = TransformDtype(call, t, needs);
  return dtype == t.dtype ? t : WithDtype(EmptyLike(t), dtype);
}

void RequireReal(const Call& call, const TensorMeta& t) {
  if (IsComplex(t.dtype)) FailDtype(call, "expects a real input tensor, but got " + std::string(DtypeName(t.dtype)));
}

void RequireComplex(const Call& call, const TensorMeta& t) {
  if (!IsComplex(t.dtype))
    FailDtype(call, "expects a complex input tensor, but got " + std::string(DtypeName(t.dtype)));
}

void RequirePoints(const Call& call, Dim n) {
  if (!Expect(Ge(n, 1))) FailValue(call, "invalid number of data points (" + n.ToString() + ") specified");
}

// A 0-dim tensor has no dimension to transform.
int64_t TransformDim(const Call& call, int64_t dim, const TensorMeta& t) {
  if (t.rank() == 0)
    Fail(ErrorClass::kIndexOutOfRange, OpName(call) + ": a 0-dim tensor has no dimension " + std::to_string(dim));
  return WrapDim(dim, t.rank());
}

// The input cut off, or padded with zeros in a copy, to these sizes.
TensorMeta Fitted(const TensorMeta& t, const DimIds& dims, const Dims& sizes) {
  TensorMeta out = t;
  bool pads = false;
  for (size_t i = 0; i < dims.size(); ++i) {
    pads = pads || Guard(Lt(t.sizes[dims[i]], sizes[i]));
    out.sizes[dims[i]] = sizes[i];
  }
  if (pads) out.strides = StridesInFormat(out.size_span(), SuggestMemoryFormat(t));
  return out;
}

// The lazily conjugated tensor that inverse real transforms end in.
Output& ReturnConjugated(Call& call, TensorMeta t) {
  t.is_conj = true;
  return call.ReturnNew(std::move(t));
}

// Rule: one of the fft_* family, whose last argument says how results are scaled. Source: norm_from_string.
template <Rule Transform>
void Normalized(Call& call) {
  const auto norm = call.OptionalString("norm");
  if (norm && *norm != "forward" && *norm != "backward" && *norm != "ortho")
    FailValue(call, "takes the norm forward, backward or ortho, not '" + std::string(*norm) + "'");
  Transform(call);
}

// ---- one dimension: arguments n and dim

struct OneDim {
  DimIds dims;
  std::optional<Dim> n;
};

OneDim OneDimFrom(const Call& call) { return {{TransformDim(call, call.Int(2), call.Meta(0))}, call.OptionalDim(1)}; }

TensorMeta FittedTo(const TensorMeta& t, const OneDim& one, Dim n) { return one.n ? Fitted(t, one.dims, Dims{n}) : t; }

enum class Direction { kForward, kInverse };

template <Direction D>
void RealOneDim(Call& call, bool onesided) {
  RequireReal(call, call.Meta(0));
  const TensorMeta t = Promoted(call, call.Meta(0), Needs::kAny);
  const OneDim one = OneDimFrom(call);
  const Dim n = one.n.value_or(t.sizes[one.dims[0]]);
  RequirePoints(call, n);
  TensorMeta out = TransformReal(FittedTo(t, one, n), one.dims, onesided);
  D == Direction::kForward ? call.ReturnNew(std::move(out)) : ReturnConjugated(call, std::move(out));
}

template <Direction D>
void Fft(Call& call) {
  const TensorMeta& t = call.Meta(0);
  if (!IsComplex(t.dtype)) return RealOneDim<D>(call, false);
  const OneDim one = OneDimFrom(call);
  const Dim n = one.n.value_or(t.sizes[one.dims[0]]);
  RequirePoints(call, n);
  call.ReturnNew(TransformComplex(FittedTo(t, one, n), one.dims));
}

template <Direction D>
void Rfft(Call& call) {
  RealOneDim<D>(call, true);
}

void Irfft(Call& call) {
  const TensorMeta t = Promoted(call, call.Meta(0), Needs::kComplex);
  const OneDim one = OneDimFrom(call);
  const Dim n = one.n.value_or(Dim(2) * (t.sizes[one.dims[0]] - 1));
  RequirePoints(call, n);
  call.ReturnNew(TransformToReal(FittedTo(t, one, FloorDiv(n, 2) + 1), one.dims, n));
}

// ---- several dimensions: arguments s and dim

struct ManyDims {
  DimIds dims;
  Dims sizes;
  bool last_given = false;  // the last size was asked for
};

ManyDims ManyDimsFrom(const Call& call) {
  const TensorMeta& t = call.Meta(0);
  ManyDims many;
  const std::optional<Dims> s = call.OptionalDimList(1);
  if (!call.IsNone(2)) {
    for (int64_t dim : call.Ints(2)) many.dims.push_back(TransformDim(call, dim, t));
    WrapDims(many.dims, t.rank());
    if (s && s->size() != many.dims.size()) FailValue(call, "dim and shape arguments must have the same length");
  } else {
    const int64_t count = s ? static_cast<int64_t>(s->size()) : t.rank();
    if (count > t.rank())
      FailValue(call, "got more sizes than the input " + ToString(t.size_span()) + " has dimensions");
    for (int64_t d = t.rank() - count; d < t.rank(); ++d) many.dims.push_back(d);
  }
  for (size_t i = 0; i < many.dims.size(); ++i) {
    many.last_given = s && !Known(Eq((*s)[i], -1));
    many.sizes.push_back(many.last_given ? (*s)[i] : t.sizes[many.dims[i]]);
    RequirePoints(call, many.sizes.back());
  }
  return many;
}

void RequireDims(const Call& call, const ManyDims& many) {
  if (many.dims.empty()) FailValue(call, "must transform at least one axis");
}

void Fftn(Call& call) {
  const ManyDims many = ManyDimsFrom(call);
  call.ReturnNew(
      TransformComplex(Fitted(Promoted(call, call.Meta(0), Needs::kComplex), many.dims, many.sizes), many.dims));
}

void Rfftn(Call& call) {
  RequireReal(call, call.Meta(0));
  const ManyDims many = ManyDimsFrom(call);
  RequireDims(call, many);
  call.ReturnNew(
      TransformReal(Fitted(Promoted(call, call.Meta(0), Needs::kAny), many.dims, many.sizes), many.dims, true));
}

void Ihfftn(Call& call) {
  RequireReal(call, call.Meta(0));
  const ManyDims many = ManyDimsFrom(call);
  RequireDims(call, many);
  const TensorMeta t = Fitted(Promoted(call, call.Meta(0), Needs::kAny), many.dims, many.sizes);
  TensorMeta half = TransformReal(t, {many.dims.back()}, true);
  if (many.dims.size() == 1) {
    ReturnConjugated(call, std::move(half));
  } else {
    call.ReturnNew(TransformComplex(half, DimIds(many.dims.begin(), many.dims.end() - 1)));
  }
}

// The half-sided input of a transform to reals, and the last size of its result.
TensorMeta HalfSided(const Call& call, ManyDims& many, Dim& last_size) {
  RequireDims(call, many);
  last_size = many.last_given ? many.sizes.back() : Dim(2) * (call.Meta(0).sizes[many.dims.back()] - 1);
  RequirePoints(call, last_size);
  many.sizes.back() = FloorDiv(last_size, 2) + 1;
  return Fitted(Promoted(call, call.Meta(0), Needs::kComplex), many.dims, many.sizes);
}

void Irfftn(Call& call) {
  ManyDims many = ManyDimsFrom(call);
  Dim last_size;
  const TensorMeta t = HalfSided(call, many, last_size);
  call.ReturnNew(TransformToReal(t, many.dims, last_size));
}

void Hfftn(Call& call) {
  ManyDims many = ManyDimsFrom(call);
  Dim last_size;
  const TensorMeta t = HalfSided(call, many, last_size);
  const TensorMeta outer = TransformComplex(t, DimIds(many.dims.begin(), many.dims.end() - 1));
  call.ReturnNew(TransformToReal(outer, {many.dims.back()}, last_size));
}

// ---- primitives: arguments dim, normalization and one more

// MKL transforms in single and double precision.
void RequireTransformed(const Call& call, const TensorMeta& t) {
  if (call.device().is_cpu()) RequireFullFloat(call, ToRealDtype(t.dtype));
}

DimIds PrimitiveDims(const Call& call) {
  const std::vector<int64_t> dims = call.Ints(1);
  if (call.Meta(0).rank() == 0 && !dims.empty()) FailShape(call, "takes a tensor of at least 1 dimension");
  return WrapDims(dims, call.Meta(0).rank());
}

void C2c(Call& call) {
  RequireComplex(call, call.Meta(0));
  RequireTransformed(call, call.Meta(0));
  call.ReturnNew(TransformComplex(call.Meta(0), PrimitiveDims(call)));
}

void R2c(Call& call) {
  RequireFloat(call, call.Meta(0).dtype);
  RequireTransformed(call, call.Meta(0));
  const DimIds dims = PrimitiveDims(call);
  if (dims.empty()) FailValue(call, "must transform at least one axis");
  call.ReturnNew(TransformReal(call.Meta(0), dims, call.Bool(3)));
}

void C2r(Call& call) {
  RequireComplex(call, call.Meta(0));
  RequireTransformed(call, call.Meta(0));
  const DimIds dims = PrimitiveDims(call);
  if (dims.empty()) FailValue(call, "must transform at least one axis");
  call.ReturnNew(TransformToReal(call.Meta(0), dims, call.DimArg(3)));
}

constexpr RuleRow kRows[] = {
    {"aten::_fft_c2c", C2c},
    {"aten::_fft_r2c", R2c},
    {"aten::_fft_c2r", C2r},
    {"aten::fft_fft", Normalized<Fft<Direction::kForward>>},
    {"aten::fft_ifft", Normalized<Fft<Direction::kInverse>>},
    {"aten::fft_rfft", Normalized<Rfft<Direction::kForward>>},
    {"aten::fft_ihfft", Normalized<Rfft<Direction::kInverse>>},
    {"aten::fft_irfft", Normalized<Irfft>},
    {"aten::fft_hfft", Normalized<Irfft>},
    {"aten::fft_fft2", Normalized<Fftn>},
    {"aten::fft_ifft2", Normalized<Fftn>},
    {"aten::fft_fftn", Normalized<Fftn>},
    {"aten::fft_ifftn", Normalized<Fftn>},
    {"aten::fft_rfft2", Normalized<Rfftn>},
    {"aten::fft_rfftn", Normalized<Rfftn>},
    {"aten::fft_ihfft2", Normalized<Ihfftn>},
    {"aten::fft_ihfftn", Normalized<Ihfftn>},
    {"aten::fft_irfft2", Normalized<Irfftn>},
    {"aten::fft_irfftn", Normalized<Irfftn>},
    {"aten::fft_hfft2", Normalized<Hfftn>},
    {"aten::fft_hfftn", Normalized<Hfftn>},
};

}  // namespace

RuleRows FftRules() { return kRows; }

}  // namespace fakeprop::rules
