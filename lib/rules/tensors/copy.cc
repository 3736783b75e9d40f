// Copies and conversions: clone, contiguous, to, copy; filling a tensor.
// Source: aten/src/ATen/native/TensorConversions.cpp, Copy.cpp, TensorFactories.cpp (clone), Fill.cpp;
// _to_copy in torch/_decomp/decompositions.py (torch 2.13).
#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/families.h"
#include "lib/rules/support/copy_metas.h"
#include "lib/rules/support/memory_overlap.h"
#include "lib/rules/support/quantized_kernels.h"
#include "lib/rules/support/slice_metas.h"

namespace fakeprop::rules {
namespace {

MemoryFormat FormatOr(const Call& call, MemoryFormat otherwise) {
  return call.OptionalMemoryFormat("memory_format").value_or(otherwise);
}

void Clone(Call& call) {
  const Operand self = call.In("self");
  const MemoryFormat preserved = IsQuantized(self) ? MemoryFormat::Contiguous : MemoryFormat::Preserve;
  const MemoryFormat format = FormatOr(call, MemoryFormat::Preserve);
  call.ReturnNew(EmptyLike(self, format == MemoryFormat::Preserve ? preserved : format));
}

// The data is copied on the first write: the layout in memory stays. Source: lazy_clone of c10/core/impl/COW.h.
void LazyClone(Call& call) { call.ReturnNew(*call.In("self")); }

void Contiguous(Call& call) {
  const Operand self = call.In("self");
  const MemoryFormat format = FormatOr(call, MemoryFormat::Contiguous);
  if (IsContiguousIn(self, format)) return void(call.ReturnArgument(self.tensor()));
  RequireValue(call, format != MemoryFormat::Preserve, "takes no preserve_format");
  call.ReturnNew(EmptyLike(self, format));
}

void ContiguousCopy(Call& call) {
  const Operand self = call.In("self");
  call.ReturnNew(ContiguousMeta(self->size_span(), self->dtype, self->device));
}

// What a conversion changes, as its arguments or another tensor say.
struct Conversion {
  std::optional<ScalarType> dtype;
  std::optional<Device> device;
  std::optional<Layout> layout;
  MemoryFormat format = MemoryFormat::Preserve;
  bool has_format = false;
};

void ReadLike(Conversion& c, const TensorMeta& other) {
  c.dtype = other.dtype;
  c.device = other.device;
  c.layout = other.layout;
}

Conversion ReadConversion(const Call& call) {
  Conversion c;
  c.dtype = TryDtype(call);
  if (call.Has("device")) c.device = call.OptionalDevice("device");
  if (call.Has("layout")) c.layout = call.OptionalLayout("layout");
  c.has_format = call.Has("memory_format");
  if (c.has_format) c.format = *call.OptionalMemoryFormat("memory_format");
  if (call.Flag("pin_memory")) FailAs(call, ErrorClass::kUnsupportedOperator, "with pin_memory is not supported");
  if (call.Declares("other")) ReadLike(c, call.In("other"));
  if (c.layout && *c.layout != Layout::Strided)
    FailAs(call, ErrorClass::kUnsupportedOperator, "to a layout other than strided is not supported");
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

void RequireQuantizedResult(const Call& call, const Conversion& c) {
  if (c.dtype && IsQuantized(call.In("self")) && !kQuantizedTypes.Has(*c.dtype))
    FailDtype(
        call, {"takes a quantized tensor to a quantized dtype, not to {}: `dequantize` gives a plain one", *c.dtype});
}

void ToCopy(Call& call) {
  const Operand self = call.In("self");
  const Conversion c = ReadConversion(call);
  RequireQuantizedResult(call, c);
  const bool is_plain = IsQuantized(self) && c.format == MemoryFormat::Preserve;
  call.ReturnNew(ConvertedMeta(is_plain ? ContiguousMeta(self->size_span(), self->dtype, self->device) : *self, c));
}

enum class Copies { kAlways, kWhereNeeded };

// The argument itself where nothing would change. Source: to_will_alias.
void Convert(Call& call, const Conversion& c, Copies copies) {
  const Operand self = call.In("self");
  const bool changes = (c.dtype && *c.dtype != self->dtype) || (c.device && *c.device != self->device) ||
                       (c.format != MemoryFormat::Preserve && c.format != SuggestMemoryFormat(self));
  if (!changes && copies == Copies::kWhereNeeded) return void(call.ReturnArgument(self.tensor()));
  RequireQuantizedResult(call, c);
  call.ReturnNew(ConvertedMeta(self, c));
}

void To(Call& call) {
  const Conversion c = ReadConversion(call);
  const bool copies = call.Flag("copy");
  Convert(call, c, copies ? Copies::kAlways : Copies::kWhereNeeded);
}

template <ScalarType dtype>
void Cast(Call& call) {
  Conversion c = ReadConversion(call);
  c.dtype = dtype;
  Convert(call, c, Copies::kWhereNeeded);
}

bool AutocastHolds(const Call& call) {
  const Device device = call.In("self")->device;
  return (device.is_cuda() && call.Bool("cuda_enabled")) || (device.is_cpu() && call.Bool("cpu_enabled"));
}

void AutocastToReduced(Call& call) {
  const Operand self = call.In("self");
  Conversion c;
  if (AutocastHolds(call) && self->dtype == ScalarType::Float)
    c.dtype = call.OptionalDtype(self->device.is_cuda() ? ArgumentName("cuda_dtype") : "cpu_dtype");
  Convert(call, c, Copies::kWhereNeeded);
}

void AutocastToFull(Call& call) {
  const ScalarType dtype = call.In("self")->dtype;
  Conversion c;
  if (AutocastHolds(call) && IsHalf(dtype)) c.dtype = ScalarType::Float;
  Convert(call, c, Copies::kWhereNeeded);
}

// ---- copies over a tensor. The functional forms keep its strides and offset, unless its elements overlap.

// Conjugate and negative bits are resolved first, in a packed copy.
bool KeepsLayout(const TensorMeta& self) { return !HasInternalOverlap(self) && !self.is_conj && !self.is_neg; }

// Source: at::native::clone_preserve_strides.
Output& ReturnOverwritten(Call& call, const TensorMeta& self) {
  return call.ReturnNew(KeepsLayout(self) ? self : EmptyLike(self));
}

// In the words of TensorIterator, which copies.
[[noreturn]] void FailCopy(const Call& call, const TensorMeta& self, const TensorMeta& src) {
  const Dims shape = BroadcastSizes(self.size_span(), src.size_span());
  FailShape(call,
      {"copies {} into it: output with shape {} doesn't match the broadcast shape {}", src.sizes, self.sizes, shape});
}

void Copy(Call& call) {
  const Operand self = call.In("self"), src = call.In("src");
  if (!CanExpandTo(src->size_span(), self->size_span())) FailCopy(call, self, src);
  if (IsQuantized(src) && !IsQuantized(self))
    FailDtype(call, {"copies no quantized tensor to a plain one: `dequantize` gives a plain one"});
  Output& copy = ReturnOverwritten(call, self);
  if (KeepsLayout(self)) copy.nbytes = self.tensor().storage->nbytes;  // the whole of it is copied
}

// The parts of a tensor that *_scatter and *_backward name by the same arguments.
using PartOf = TensorMeta (*)(const Call&, const TensorMeta&);

TensorMeta SlicedPart(const Call& call, const TensorMeta& whole) {
  return SlicedMeta(whole, call.Int("dim"), call.OptionalDim("start"), call.OptionalDim("end"), call.DimArg("step"));
}

TensorMeta SelectedPart(const Call& call, const TensorMeta& whole) {
  return SelectedMeta(whole, call.Int("dim"), call.DimArg("index"));
}

TensorMeta DiagonalPart(const Call& call, const TensorMeta& whole) {
  return DiagonalMeta(whole, call.DimArg("offset"), call.Int("dim1"), call.Int("dim2"));
}

// The source must have the sizes of the part that it is written to.
void ReturnScattered(Call& call, const TensorMeta& self, const TensorMeta& part) {
  const Operand src = call.In("src");
  src.Sizes(part.size_span(),
      {"writes to a part: expected src to have a size equal to the slice of self. src size = {}, slice size = {}",
          src->sizes, part.sizes});
  ReturnOverwritten(call, self);
}

template <PartOf Part>
void Scatter(Call& call) {
  const Operand self = call.In("self");
  ReturnScattered(call, self, Part(call, self));
}

// A tensor whose elements share memory is copied as dense before. Source: clone_preserve_strides.
TensorMeta StridedPart(const Call& call, const Operand& self) {
  const Dims sizes = call.DimList("size"), strides = call.DimList("stride");
  const std::optional<Dim> offset = call.OptionalDim("storage_offset");
  if (!HasInternalOverlap(self)) return StridedMeta(self.tensor(), sizes, strides, offset);
  const TensorMeta copy = EmptyLike(self);
  TensorMeta part = WindowMeta(copy, sizes, strides, offset);
  self.Require(
      Le(StorageNbytes(part), StorageNbytes(copy)), {"writes to {}, which lies outside of a copy of {tensor}", part});
  return part;
}

void AsStridedScatter(Call& call) {
  const Operand self = call.In("self");
  ReturnScattered(call, self, StridedPart(call, self));
}

// ---- gradients of parts: zeros of the whole's sizes, with the part's gradient in its place

TensorMeta WholeMeta(const TensorMeta& grad, const Dims& sizes) {
  RequireNonNegative(sizes);
  return ContiguousMeta(sizes, grad.dtype, grad.device);
}

template <PartOf Part>
void PartBackward(Call& call) {
  const Operand grad = call.In("grad_output");
  const TensorMeta whole = WholeMeta(grad, call.DimList("input_sizes"));
  const TensorMeta part = Part(call, whole);
  grad.BroadcastsTo(part.sizes, {"has a gradient of {} for a part of {}", grad->sizes, part.sizes});
  call.ReturnNew(whole);
}

void TraceBackward(Call& call) {
  const Operand grad = call.In("grad");
  const TensorMeta whole = WholeMeta(grad, call.DimList("sizes"));
  RequireShape(call, whole.rank() == 2, {"takes the sizes of a matrix, but got {}", whole.sizes});
  grad.Rank(0);
  call.ReturnNew(whole);
}

void RequireFillValue(const Call& call) {
  const Operand value =
      call.TryIn("value").Rank(0, "takes a 0-dim value, but got {}: only supports 0-dimension value tensor");
  if (!value && call.Number("value").Is<std::complex<double>>() && !IsComplex(call.In("self")->dtype))
    FailDtype(call, "cannot store a complex value in a tensor that is not complex");
}

void Zero(Call& call) {
  const Operand self = call.In("self");
  call.ReturnNew(IsQuantized(self) ? SuggestedMeta(self, self->dtype) : EmptyLike(self));
}

void Fill(Call& call) {
  RequireFillValue(call);
  Zero(call);
}

// All elements get one value, so that overlapping ones are allowed here, unlike in other writes.
void ZeroInplace(Call& call) {
  Tensor& self = call.In("self").tensor();
  call.Write(self);
  call.ReturnArgument(self);
}

// A tensor is copied, which does not know that all elements get one value.
void FillInplace(Call& call) {
  RequireFillValue(call);
  const Operand value = call.TryIn("value"), self = call.In("self");
  if (value && call.OnCpu()) RequireUnshared(call, self);
  ZeroInplace(call);
}

void FillDiagonal(Call& call) {
  const Operand self = call.In("self").RankAtLeast(2, "takes at least 2 dimensions, but got {}");
  for (Dim size : self->sizes)
    RequireShape(
        call, self->rank() == 2 || Expect(Eq(size, self->sizes[0])), "takes more than 2 dimensions only of one size");
  ZeroInplace(call);
}

constexpr RuleRow kRows[] = {
    {"aten::clone", Clone, Elements::kKept},
    {"aten::_lazy_clone", LazyClone},
    {"aten::contiguous", Contiguous, Elements::kKept},
    {"aten::lift_fresh_copy", ContiguousCopy, Elements::kKept},
    {"aten::_to_copy", ToCopy, Elements::kKept},
    {"aten::to.dtype", To, Elements::kKept | Grad::kFollowedByDtype},
    {"aten::to.dtype_layout", To, Elements::kKept | Grad::kFollowedByDtype},
    {"aten::to.device", To, Elements::kKept | Grad::kFollowedByDtype},
    {"aten::to.other", To, Devices::kAny | MathBits::kTaken | Grad::kFollowedByDtype},
    {"aten::type_as", To, Devices::kAny | MathBits::kTaken | Grad::kFollowedByDtype},
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

    {"aten::copy", Copy, Devices::kAny | OutDevice::kAny | MetaKernel::kOnSeveralDevices | Reads::kNotWritten},
    {"aten::copy_", kNoRule,
        Devices::kAny | Grad::kFollowedByDtype | MetaKernel::kOnSeveralDevices | Composite::kOnMetaTensors |
            ReadsWritten::kItself | MathBits::kTaken | Reads::kNotWritten},
    {"aten::slice_scatter", Scatter<SlicedPart>, Devices::kAny | OutDevice::kAny},
    {"aten::select_scatter", Scatter<SelectedPart>},
    {"aten::diagonal_scatter", Scatter<DiagonalPart>, Devices::kAny},
    {"aten::as_strided_scatter", AsStridedScatter},
    {"aten::slice_backward", PartBackward<SlicedPart>},
    {"aten::select_backward", PartBackward<SelectedPart>},
    {"aten::diagonal_backward", PartBackward<DiagonalPart>},
    {"aten::trace_backward", TraceBackward},
    {"aten::zero", Zero, Reads::kNotWritten},
    {"aten::zero_", ZeroInplace, Reads::kNotWritten},
    {"aten::fill.Scalar", Fill, Reads::kNotWritten},
    {"aten::fill.Tensor", Fill, Reads::kNotWritten},
    {"aten::fill_.Scalar", FillInplace, Reads::kNotWritten},
    {"aten::fill_.Tensor", FillInplace, Reads::kNotWritten},
    {"aten::fill_diagonal_", FillDiagonal},
};

}  // namespace

RuleRows CopyRules() { return kRows; }

}  // namespace fakeprop::rules
