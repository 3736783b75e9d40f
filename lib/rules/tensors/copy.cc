// Copies and conversions: clone, contiguous, to, copy; filling a tensor.
// Source: aten/src/ATen/native/TensorConversions.cpp, Copy.cpp, TensorFactories.cpp (clone), Fill.cpp;
// _to_copy in torch/_decomp/decompositions.py (torch 2.13).
#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/families.h"
#include "lib/rules/support/view_metas.h"

namespace fakeprop::rules {
namespace {

void Clone(Call& call) {
  call.ReturnNew(EmptyLike(call.Meta(0), call.OptionalMemoryFormat(1).value_or(MemoryFormat::Preserve)));
}

// The data is copied on the first write: the layout in memory stays. Source: lazy_clone of c10/core/impl/COW.h.
void LazyClone(Call& call) { call.ReturnNew(call.Meta(0)); }

void Contiguous(Call& call) {
  const MemoryFormat format = call.OptionalMemoryFormat(1).value_or(MemoryFormat::Contiguous);
  if (IsContiguousIn(call.Meta(0), format)) return void(call.ReturnArgument(call.TensorArg(0)));
  if (format == MemoryFormat::Preserve) FailValue(call, "takes no preserve_format");
  call.ReturnNew(EmptyLike(call.Meta(0), format));
}

void ContiguousCopy(Call& call) {
  const TensorMeta& t = call.Meta(0);
  call.ReturnNew(ContiguousMeta(t.size_span(), t.dtype, t.device));
}

// What a conversion is asked for, by the names of its arguments or after another tensor.
struct Conversion {
  std::optional<ScalarType> dtype;
  std::optional<Device> device;
  std::optional<Layout> layout;
  MemoryFormat format = MemoryFormat::Preserve;
  bool has_format = false;
};

Conversion ReadConversion(const Call& call) {
  Conversion c;
  const Schema& schema = call.schema();
  if (int i = schema.FindArgument("dtype"); i >= 0) c.dtype = call.OptionalDtype(i);
  if (int i = schema.FindArgument("device"); i >= 0) c.device = call.OptionalDevice(i);
  if (int i = schema.FindArgument("layout"); i >= 0) c.layout = call.OptionalLayout(i);
  if (int i = schema.FindArgument("memory_format"); i >= 0 && !call.IsNone(i)) {
    c.format = *call.OptionalMemoryFormat(i);
    c.has_format = true;
  }
  if (int i = schema.FindArgument("pin_memory"); i >= 0 && call.OptionalBool(i).value_or(false))
    Fail(ErrorClass::kUnsupportedOperator, OpName(call) + " with pin_memory is not supported");
  if (int i = schema.FindArgument("other"); i >= 0) {
    const TensorMeta& other = call.Meta(i);
    c.dtype = other.dtype;
    c.device = other.device;
    c.layout = other.layout;
  }
  if (c.layout && *c.layout != Layout::Strided)
    Fail(ErrorClass::kUnsupportedOperator, OpName(call) + " to a layout other than strided is not supported");
  return c;
}

TensorMeta ConvertedMeta(const TensorMeta& t, const Conversion& c) {
  TensorMeta out = EmptyLike(t, c.format);
  // device_put keeps strides that a copy on one device would pack.
  if (c.device && *c.device != t.device && !c.dtype && !c.has_format) out.strides = t.strides;
  out.dtype = c.dtype.value_or(t.dtype);
  out.device = c.device.value_or(t.device);
  return out;
}

void ToCopy(Call& call) { call.ReturnNew(ConvertedMeta(call.Meta(0), ReadConversion(call))); }

// The argument itself where nothing would change. Source: to_will_alias.
void Convert(Call& call, const Conversion& c, bool copies) {
  const TensorMeta& t = call.Meta(0);
  const bool changes = (c.dtype && *c.dtype != t.dtype) || (c.device && *c.device != t.device) ||
                       (c.format != MemoryFormat::Preserve && c.format != SuggestMemoryFormat(t));
  if (!changes && !copies) return void(call.ReturnArgument(call.TensorArg(0)));
  call.ReturnNew(ConvertedMeta(t, c));
}

void To(Call& call) {
  const int copy = call.schema().FindArgument("copy");
  Convert(call, ReadConversion(call), copy >= 0 && call.Bool(copy));
}

template <ScalarType dtype>
void Cast(Call& call) {
  Conversion c = ReadConversion(call);
  c.dtype = dtype;
  Convert(call, c, false);
}

bool AutocastHolds(const Call& call) {
  const Device device = call.Meta(0).device;
  return (device.is_cuda() && call.Bool(1)) || (device.is_cpu() && call.Bool(2));
}

void AutocastToReduced(Call& call) {
  Conversion c;
  if (AutocastHolds(call) && call.Meta(0).dtype == ScalarType::Float)
    c.dtype = call.OptionalDtype(call.Meta(0).device.is_cuda() ? 3 : 4);
  Convert(call, c, false);
}

void AutocastToFull(Call& call) {
  const ScalarType dtype = call.Meta(0).dtype;
  Conversion c;
  if (AutocastHolds(call) && IsHalf(dtype)) c.dtype = ScalarType::Float;
  Convert(call, c, false);
}

// ---- copies over a tensor. The functional forms keep its strides and offset, unless its elements overlap.

// Source: at::native::clone_preserve_strides.
Output& ReturnOverwritten(Call& call) {
  const TensorMeta& t = call.Meta(0);
  if (HasInternalOverlap(t)) return call.ReturnNew(EmptyLike(t));
  TensorMeta out = t;
  out.is_conj = out.is_neg = false;
  return call.ReturnNew(std::move(out));
}

void RequireSourceFits(const Call& call, const TensorMeta& target, DimSpan source) {
  if (CanExpandTo(source, target.size_span())) return;
  FailShape(call, "cannot broadcast a source of shape " + ToString(source) + " to " + ToString(target.size_span()));
}

void Copy(Call& call) {
  RequireSourceFits(call, call.Meta(0), call.Meta(1).size_span());
  Output& copy = ReturnOverwritten(call);
  if (!HasInternalOverlap(call.Meta(0))) copy.nbytes = call.TensorArg(0).storage->nbytes;  // the whole of it is copied
}

// The part of a tensor that a *_scatter writes to must have the source's sizes.
void Scatter(Call& call, const TensorMeta& part) {
  const TensorMeta& source = call.Meta(1);
  bool fits = source.rank() == part.rank();
  for (int64_t d = 0; fits && d < part.rank(); ++d) fits = Expect(Eq(source.sizes[d], part.sizes[d]));
  if (!fits)
    FailShape(
        call, "writes a source of " + ToString(source.size_span()) + " to a part of " + ToString(part.size_span()));
  ReturnOverwritten(call);
}

void SliceScatter(Call& call) {
  Scatter(call, SlicedMeta(call.Meta(0), call.Int(2), call.OptionalDim(3), call.OptionalDim(4), call.DimArg(5)));
}

void SelectScatter(Call& call) { Scatter(call, SelectedMeta(call.Meta(0), call.Int(2), call.DimArg(3))); }

void DiagonalScatter(Call& call) {
  Scatter(call, DiagonalMeta(call.Meta(0), call.DimArg(2), call.Int(3), call.Int(4)));
}

void AsStridedScatter(Call& call) {
  Scatter(call, StridedMeta(call.TensorArg(0), call.DimList(2), call.DimList(3), call.OptionalDim(4)));
}

// ---- gradients of parts: zeros of the whole's sizes, with the part's gradient in its place

TensorMeta WholeMeta(const Call& call) {
  const Dims sizes = call.DimList(1);
  RequireNonNegative(sizes);
  return ContiguousMeta(sizes, call.Meta(0).dtype, call.Meta(0).device);
}

void ReturnWhole(Call& call, TensorMeta whole, const TensorMeta& part) {
  if (!CanExpandTo(call.Meta(0).size_span(), part.size_span()))
    FailShape(call,
        "has a gradient of " + ToString(call.Meta(0).size_span()) + " for a part of " + ToString(part.size_span()));
  call.ReturnNew(std::move(whole));
}

void SliceBackward(Call& call) {
  const TensorMeta whole = WholeMeta(call);
  ReturnWhole(call, whole, SlicedMeta(whole, call.Int(2), call.OptionalDim(3), call.OptionalDim(4), call.DimArg(5)));
}

void SelectBackward(Call& call) {
  const TensorMeta whole = WholeMeta(call);
  ReturnWhole(call, whole, SelectedMeta(whole, call.Int(2), call.DimArg(3)));
}

void DiagonalBackward(Call& call) {
  const TensorMeta whole = WholeMeta(call);
  ReturnWhole(call, whole, DiagonalMeta(whole, call.DimArg(2), call.Int(3), call.Int(4)));
}

void TraceBackward(Call& call) {
  const TensorMeta whole = WholeMeta(call);
  if (whole.rank() != 2) FailShape(call, "takes the sizes of a matrix, but got " + ToString(whole.size_span()));
  if (call.Meta(0).rank() != 0) FailShape(call, "takes a 0-dim gradient, but got " + ToString(call.Meta(0)));
  call.ReturnNew(whole);
}

void RequireFillValue(const Call& call) {
  const Tensor* value = call.Arg(1).TryTensor();
  if (value && value->meta.rank() != 0)
    FailShape(call, "takes a 0-dim value, but got " + ToString(value->meta.size_span()));
  if (!value && call.Number(1).Is<std::complex<double>>() && !IsComplex(call.Meta(0).dtype))
    FailDtype(call, "cannot store a complex value in a tensor that is not complex");
}

void Zero(Call& call) { call.ReturnNew(EmptyLike(call.Meta(0))); }

void Fill(Call& call) {
  RequireFillValue(call);
  Zero(call);
}

// Overlapping elements all become the same: unlike other writes, these may.
void ZeroInplace(Call& call) {
  call.Write(call.TensorArg(0));
  call.ReturnArgument(call.TensorArg(0));
}

void FillInplace(Call& call) {
  RequireFillValue(call);
  ZeroInplace(call);
}

void FillDiagonal(Call& call) {
  const TensorMeta& t = call.Meta(0);
  if (t.rank() < 2) FailShape(call, "takes at least 2 dimensions, but got " + ToString(t.size_span()));
  for (Dim size : t.sizes)
    if (t.rank() > 2 && !Expect(Eq(size, t.sizes[0]))) FailShape(call, "takes more than 2 dimensions only of one size");
  ZeroInplace(call);
}

constexpr RuleRow kRows[] = {
    {"aten::clone", Clone},
    {"aten::_lazy_clone", LazyClone},
    {"aten::contiguous", Contiguous},
    {"aten::lift_fresh_copy", ContiguousCopy},
    {"aten::_to_copy", ToCopy},
    {"aten::to.dtype", To},
    {"aten::to.dtype_layout", To},
    {"aten::to.device", To},
    {"aten::to.other", To, Devices::kAny},
    {"aten::type_as", To, Devices::kAny},
    {"aten::chalf", Cast<ScalarType::ComplexHalf>},
    {"aten::_cast_Byte", Cast<ScalarType::Byte>},
    {"aten::_cast_Char", Cast<ScalarType::Char>},
    {"aten::_cast_Double", Cast<ScalarType::Double>},
    {"aten::_cast_Float", Cast<ScalarType::Float>},
    {"aten::_cast_Int", Cast<ScalarType::Int>},
    {"aten::_cast_Long", Cast<ScalarType::Long>},
    {"aten::_cast_Short", Cast<ScalarType::Short>},
    {"aten::_cast_Half", Cast<ScalarType::Half>},
    {"aten::_autocast_to_reduced_precision", AutocastToReduced},
    {"aten::_autocast_to_full_precision", AutocastToFull},

    {"aten::copy", Copy, Devices::kAny},
    {"aten::slice_scatter", SliceScatter, Devices::kAny},
    {"aten::select_scatter", SelectScatter},
    {"aten::diagonal_scatter", DiagonalScatter, Devices::kAny},
    {"aten::as_strided_scatter", AsStridedScatter},
    {"aten::slice_backward", SliceBackward},
    {"aten::select_backward", SelectBackward},
    {"aten::diagonal_backward", DiagonalBackward},
    {"aten::trace_backward", TraceBackward},
    {"aten::zero", Zero},
    {"aten::zero_", ZeroInplace},
    {"aten::fill.Scalar", Fill},
    {"aten::fill.Tensor", Fill},
    {"aten::fill_.Scalar", FillInplace},
    {"aten::fill_.Tensor", FillInplace},
    {"aten::fill_diagonal_", FillDiagonal},
};

}  // namespace

RuleRows CopyRules() { return kRows; }

}  // namespace fakeprop::rules
