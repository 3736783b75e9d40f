// Fourier transforms: the fft_* operators, and the primitives that they are made of.
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

constexpr DtypeClass kRealInput{~kComplexDtypes, "expects a real input tensor, but got {}"};
constexpr DtypeClass kComplexInput{kComplexDtypes, "expects a complex input tensor, but got {}"};

enum class Needs { kAny, kComplex };

// The dtype that t is transformed in. Half precision is for other devices than the cpu.
ScalarType TransformDtype(const Call& call, const TensorMeta& t, Needs needs) {
  if (IsComplex(t.dtype)) return t.dtype;
  const ScalarType dtype = IsFloat(t.dtype) ? t.dtype : call.state().default_dtype;
  const bool half = dtype == ScalarType::Half && !t.device.is_cpu();
  RequireDtype(call, kFloat32Or64.Has(dtype) || half, {"takes no tensors of {}", dtype});
  return needs == Needs::kComplex ? ToComplexDtype(dtype) : dtype;
}

TensorMeta Promoted(const Call& call, const TensorMeta& t, Needs needs) {
  const ScalarType dtype = TransformDtype(call, t, needs);
  return dtype == t.dtype ? t : WithDtype(EmptyLike(t), dtype);
}

void RequirePoints(const Call& call, Dim n) {
  RequireValue(call, Ge(n, 1), {"invalid number of data points ({}) specified", n});
}

// A 0-dim tensor has no dimension to transform.
int64_t TransformDim(const Call& call, int64_t dim, const TensorMeta& t) {
  if (t.rank() == 0) FailIndex({"{}: a 0-dim tensor has no dimension {}", OpName(call), dim});
  return WrapDim(dim, t.rank());
}

// The input at these sizes: cut off, or copied and padded with zeros.
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

// Inverse transforms of real numbers end in a lazily conjugated tensor.
Output& ReturnConjugated(Call& call, TensorMeta t) {
  t.is_conj = true;
  return call.ReturnNew(std::move(t));
}

// Rule: one of the fft_* operators. `norm` says how the result is scaled. Source: norm_from_string.
template <Rule Transform>
void Normalized(Call& call) {
  RequireOneOf(call, "norm", {"forward", "backward", "ortho"}, "takes the norm forward, backward or ortho, not '{}'");
  if (const Operand self = call.In("self"); IsComplex(self->dtype)) RequireTransformDtype(call, self);
  Transform(call);
}

// ---- one dimension

struct OneDim {
  DimIds dims;
  std::optional<Dim> n;
};

OneDim OneDimFrom(const Call& call) {
  return {{TransformDim(call, call.Int("dim"), call.In("self"))}, call.OptionalDim("n")};
}

TensorMeta FittedTo(const TensorMeta& t, const OneDim& one, Dim n) { return one.n ? Fitted(t, one.dims, Dims{n}) : t; }

enum class Direction { kForward, kInverse };

template <Direction D>
void RealOneDim(Call& call, bool onesided) {
  const Operand self = call.In("self").Takes(kRealInput);
  const TensorMeta t = Promoted(call, self, Needs::kAny);
  const OneDim one = OneDimFrom(call);
  const Dim n = one.n.value_or(t.sizes[one.dims[0]]);
  RequirePoints(call, n);
  TensorMeta out = TransformReal(FittedTo(t, one, n), one.dims, onesided);
  D == Direction::kForward ? call.ReturnNew(std::move(out)) : ReturnConjugated(call, std::move(out));
}

template <Direction D>
void Fft(Call& call) {
  const Operand t = call.In("self");
  if (!IsComplex(t->dtype)) return RealOneDim<D>(call, false);
  const OneDim one = OneDimFrom(call);
  const Dim n = one.n.value_or(t->sizes[one.dims[0]]);
  RequirePoints(call, n);
  call.ReturnNew(TransformComplex(FittedTo(t, one, n), one.dims));
}

template <Direction D>
void Rfft(Call& call) {
  RealOneDim<D>(call, true);
}

void Irfft(Call& call) {
  const TensorMeta t = Promoted(call, call.In("self"), Needs::kComplex);
  const OneDim one = OneDimFrom(call);
  const Dim n = one.n.value_or(Dim(2) * (t.sizes[one.dims[0]] - 1));
  RequirePoints(call, n);
  call.ReturnNew(TransformToReal(FittedTo(t, one, FloorDiv(n, 2) + 1), one.dims, n));
}

// ---- several dimensions

struct ManyDims {
  DimIds dims;
  Dims sizes;
  bool last_given = false;  // the last size was asked for
};

// If no dimensions are given: all of them, or the last ones if there are fewer sizes.
DimIds LastDims(const Call& call, const std::optional<Dims>& s) {
  const Operand t = call.In("self");
  const int64_t count = s ? static_cast<int64_t>(s->size()) : t->rank();
  RequireValue(call, count <= t->rank(), {"got more sizes than the input {} has dimensions", t->sizes});
  DimIds dims;
  for (int64_t d = t->rank() - count; d < t->rank(); ++d) dims.push_back(d);
  return dims;
}

DimIds GivenDims(const Call& call, const std::optional<Dims>& s) {
  const Operand t = call.In("self");
  DimIds dims;
  for (int64_t dim : call.Ints("dim")) dims.push_back(TransformDim(call, dim, t));
  WrapDims(dims, t->rank());
  RequireValue(call, !s || s->size() == dims.size(), "dim and shape arguments must have the same length");
  return dims;
}

ManyDims ManyDimsFrom(const Call& call) {
  const Operand t = call.In("self");
  ManyDims many;
  const std::optional<Dims> s = call.OptionalDimList("s");
  many.dims = call.Has("dim") ? GivenDims(call, s) : LastDims(call, s);
  for (size_t i = 0; i < many.dims.size(); ++i) {
    many.last_given = s && !Known(Eq((*s)[i], -1));
    many.sizes.push_back(many.last_given ? (*s)[i] : t->sizes[many.dims[i]]);
    RequirePoints(call, many.sizes.back());
  }
  return many;
}

void RequireDims(const Call& call, const DimIds& dims) {
  RequireValue(call, !dims.empty(), "must transform at least one axis");
}

// The input in a dtype that transforms take, cut off or padded to the sizes that are asked for.
TensorMeta FittedInput(const Call& call, const ManyDims& many, Needs needs) {
  return Fitted(Promoted(call, call.In("self"), needs), many.dims, many.sizes);
}

void Fftn(Call& call) {
  const ManyDims many = ManyDimsFrom(call);
  call.ReturnNew(TransformComplex(FittedInput(call, many, Needs::kComplex), many.dims));
}

ManyDims DimsOfRealInput(const Call& call) {
  call.In("self").Takes(kRealInput);
  ManyDims many = ManyDimsFrom(call);
  RequireDims(call, many.dims);
  return many;
}

void Rfftn(Call& call) {
  const ManyDims many = DimsOfRealInput(call);
  call.ReturnNew(TransformReal(FittedInput(call, many, Needs::kAny), many.dims, true));
}

void Ihfftn(Call& call) {
  const ManyDims many = DimsOfRealInput(call);
  TensorMeta half = TransformReal(FittedInput(call, many, Needs::kAny), {many.dims.back()}, true);
  if (many.dims.size() == 1) {
    ReturnConjugated(call, std::move(half));
  } else {
    call.ReturnNew(TransformComplex(half, DimIds(many.dims.begin(), many.dims.end() - 1)));
  }
}

// The half-sided input of a transform to reals, and the last size of its result.
TensorMeta HalfSided(const Call& call, ManyDims& many, Dim& last_size) {
  RequireDims(call, many.dims);
  last_size = many.last_given ? many.sizes.back() : Dim(2) * (call.In("self")->sizes[many.dims.back()] - 1);
  RequirePoints(call, last_size);
  many.sizes.back() = FloorDiv(last_size, 2) + 1;
  return FittedInput(call, many, Needs::kComplex);
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

// ---- primitives

// The input, checked, and the dimensions that are transformed.
struct Input {
  Operand tensor;
  DimIds dims;
};

Input InputOf(const Call& call, const DtypeClass& dtypes) {
  const Operand t = call.In("self").Takes(dtypes);
  RequireTransformDtype(call, t);
  const std::vector<int64_t> dims = call.Ints("dim");
  if (!dims.empty()) t.RankAtLeast(1);
  return {t, WrapDims(dims, t->rank())};
}

// MKL takes no dimension of size 0. Source: _exec_fft in aten/src/ATen/native/mkl/SpectralOps.cpp (torch 2.13).
void RequireSignal(const Input& input) {
  if (!input.tensor->device.is_cpu()) return;
  for (int64_t d : input.dims)
    input.tensor.Require(Ne(input.tensor->sizes[d], 0), {"transforms dimension {} of {}, where there is nothing", d});
}

void C2c(Call& call) {
  const Input input = InputOf(call, kComplexInput);
  RequireSignal(input);
  call.ReturnNew(TransformComplex(input.tensor, input.dims));
}

void R2c(Call& call) {
  const Input input = InputOf(call, kFloating);
  RequireDims(call, input.dims);
  RequireSignal(input);
  call.ReturnNew(TransformReal(input.tensor, input.dims, call.Bool("onesided")));
}

// MKL takes a signal whole, or one half and the middle of it.
bool IsOfSignal(Dim size, Dim signal) { return Expect(Or(Eq(size, signal), Eq(size, FloorDiv(signal, 2) + 1))); }

void C2r(Call& call) {
  const Input input = InputOf(call, kComplexInput);
  RequireDims(call, input.dims);
  RequireSignal(input);
  const Dim from = input.tensor->sizes[input.dims.back()], to = call.DimArg("last_dim_size");
  if (input.tensor->device.is_cpu())
    RequireShape(call, IsOfSignal(from, Max(from, to)) && IsOfSignal(to, Max(from, to)),
        {"gives no {} real numbers of {} complex ones", to, from});
  call.ReturnNew(TransformToReal(input.tensor, input.dims, to));
}

// The transform of real numbers is conjugated.
void EndInViewOfReal(Call& call) {
  if (!IsComplex(call.In("self")->dtype)) EndInView(call);
}

constexpr RuleRow kRows[] = {
    {"aten::_fft_c2c", C2c, OutDtype::kAnyOnCpu | OutStrides::kContiguous},
    {"aten::_fft_r2c", R2c, OutDtype::kAnyOnCpu | OutStrides::kContiguous},
    {"aten::_fft_c2r", C2r, OutDtype::kAnyOnCpu | OutStrides::kContiguous},
    {"aten::fft_fft", Normalized<Fft<Direction::kForward>>, OutDtype::kCast | OutStrides::kContiguous},
    {"aten::fft_ifft", InOrder<Normalized<Fft<Direction::kInverse>>, EndInViewOfReal>,
        OutDtype::kCast | OutStrides::kContiguous},
    {"aten::fft_rfft", Normalized<Rfft<Direction::kForward>>, OutDtype::kCast | OutStrides::kContiguous},
    {"aten::fft_ihfft", InOrder<Normalized<Rfft<Direction::kInverse>>, EndInView>,
        OutDtype::kCast | OutStrides::kContiguous},
    {"aten::fft_irfft", Normalized<Irfft>, OutDtype::kCastReal | OutStrides::kContiguous},
    {"aten::fft_hfft", Normalized<Irfft>, OutDtype::kCastReal | OutStrides::kContiguous},
    {"aten::fft_fft2", Normalized<Fftn>, OutDtype::kCast | OutStrides::kContiguous},
    {"aten::fft_ifft2", Normalized<Fftn>, OutDtype::kCast | OutStrides::kContiguous},
    {"aten::fft_fftn", Normalized<Fftn>, OutDtype::kCast | OutStrides::kContiguous},
    {"aten::fft_ifftn", Normalized<Fftn>, OutDtype::kCast | OutStrides::kContiguous},
    {"aten::fft_rfft2", Normalized<Rfftn>, OutDtype::kCast | OutStrides::kContiguous},
    {"aten::fft_rfftn", Normalized<Rfftn>, OutDtype::kCast | OutStrides::kContiguous},
    {"aten::fft_ihfft2", Normalized<Ihfftn>, OutDtype::kCast | OutStrides::kContiguous},
    {"aten::fft_ihfftn", Normalized<Ihfftn>, OutDtype::kCast | OutStrides::kContiguous},
    {"aten::fft_irfft2", Normalized<Irfftn>, OutDtype::kCastReal | OutStrides::kContiguous},
    {"aten::fft_irfftn", Normalized<Irfftn>, OutDtype::kCastReal | OutStrides::kContiguous},
    {"aten::fft_hfft2", Normalized<Hfftn>, OutDtype::kCastReal | OutStrides::kContiguous},
    {"aten::fft_hfftn", Normalized<Hfftn>, OutDtype::kCastReal | OutStrides::kContiguous},
};

}  // namespace

RuleRows FftRules() { return kRows; }

}  // namespace fakeprop::rules
