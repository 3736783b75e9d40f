// New tensors of a tensor's elements in other places: repeated, rolled, flipped, shuffled, on a diagonal.
// Source: aten/src/ATen/native/TensorShape.cpp, TensorTransformations.cpp, PixelShuffle.cpp, ChanelShuffle.cpp,
// Repeat.cpp, LinearAlgebra.cpp (kron) (torch 2.13).
#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/core/torch_changes.h"
#include "lib/rules/families.h"
#include "lib/rules/support/autograd_demands.h"
#include "lib/rules/support/copy_metas.h"
#include "lib/rules/support/elementwise.h"
#include "lib/rules/support/join.h"
#include "lib/rules/support/memory_overlap.h"
#include "lib/rules/support/quantized_kernels.h"
#include "lib/rules/support/reshape_metas.h"
#include "lib/rules/support/slice_metas.h"
#include "lib/rules/support/view_metas.h"

namespace fakeprop::rules {
namespace {

Operand RequireRankAtLeast(const Operand& self, int64_t rank) {
  return self.RankAtLeast(rank, {"takes a tensor of at least {} dimensions, but got {}", rank});
}

void ReturnRepeated(Call& call, const Dims& repeats) {
  const Operand self = call.In("self");
  self.Require(repeats.size() >= self->sizes.size(),
      {"got {} for {}: number of dimensions of repeat dims can not be smaller than number of dimensions of tensor",
          repeats});
  Dims sizes = repeats;
  const size_t added = repeats.size() - self->sizes.size();
  for (size_t i = 0; i < sizes.size(); ++i) {
    RequireValue(call, Ge(repeats[i], 0),
        {"takes no negative repeats, but got {}: trying to create tensor with negative dimension", repeats});
    if (i >= added) sizes[i] *= self->sizes[i - added];
  }
  ReturnContiguous(call, sizes, self->dtype);
}

void Repeat(Call& call) { ReturnRepeated(call, call.DimList("repeats")); }

void Tile(Call& call) {
  Dims repeats = call.DimList("dims");
  const int64_t missing = call.In("self")->rank() - static_cast<int64_t>(repeats.size());
  if (missing > 0) repeats.insert(repeats.begin(), missing, Dim(1));
  ReturnRepeated(call, repeats);
}

// On the cpu two parts, joined in the other order. Their layouts count, which are those of the whole where a symbol
// decides. The kernels of other devices write contiguous tensors. Source: at::native::roll, roll_cuda.
TensorMeta RolledMeta(const Call& call, const TensorMeta& t, Dim shift, int64_t dim) {
  if (!t.device.is_cpu()) return ContiguousMeta(t.sizes, t.dtype, t.device);
  const auto size = t.sizes[dim].TryNumber(), by = shift.TryNumber();
  if (!size || !by) return MetaInFormat(t.sizes, t.dtype, t.device, SuggestMemoryFormat(t));
  const int64_t start = ((*size - *by) % *size + *size) % *size;
  return CatMeta(call, {NarrowedMeta(t, dim, start, *size - start), NarrowedMeta(t, dim, 0, start)}, dim);
}

void Roll(Call& call) {
  const Operand self = call.In("self");
  const Dims shifts = call.DimList("shifts");
  const std::vector<int64_t> dims = call.Ints("dims");
  RequireValue(call, !shifts.empty(), "takes at least one shift");
  RequireValue(call, dims.size() == shifts.size() || (dims.empty() && shifts.size() == 1),
      {"rolls each dimension by its shift: shifts and dimensions must align. shifts: {}, dims:{}", shifts.size(),
          dims.size()});
  if (IsEmpty(self)) return void(call.ReturnNew(EmptyLike(self)));
  RequireIndex(call, dims.empty() || self->rank() > 0, "takes no dims for a 0-dim tensor");
  for (int64_t dim : dims) WrapDim(dim, self->rank());
  TensorMeta rolled = self;
  if (dims.empty()) rolled = MetaInFormat(self->sizes, self->dtype, call.device(), MemoryFormat::Contiguous);
  for (size_t i = 0; i < dims.size(); ++i) rolled = RolledMeta(call, rolled, shifts[i], WrapDim(dims[i], self->rank()));
  call.ReturnNew(std::move(rolled));
}

// The dtypes of the kernel for the cpu that turns single elements around ("flip_cpu").
constexpr DtypeClass kFlipped{
    kIntegralDtypes | kHalfDtypes | kFloat32Or64 | Dtypes{ScalarType::ComplexFloat, ScalarType::ComplexDouble},
    "has no kernel for {} on the cpu"};

// The dimension of more than one element whose elements are closest to each other; -1 for a single number.
int64_t InnermostDim(const TensorMeta& t) {
  int64_t inner = -1;
  for (int64_t d = 0; d < t.rank(); ++d)
    if (Guard(Gt(t.sizes[d], 1)) && (inner < 0 || Guard(Lt(t.strides[d], t.strides[inner])))) inner = d;
  return inner;
}

// Whole rows are moved as bytes, whatever their dtype is. Source: at::native::flip, flip_kernel (IndexKernel.cpp).
void RequireFlipKernel(
    const Call& call, const Operand& self, const TensorMeta& flipped, const std::vector<int64_t>& dims) {
  DtypeClass taken = kFlipped;
  if (!Has(call, kUnsignedFlips)) taken.dtypes = taken.dtypes - kBarebonesUnsignedDtypes;
  if (!self->device.is_cpu() || IsQuantized(self) || taken.dtypes.Has(self->dtype)) return;
  if (self->rank() == 0 || IsKnownEmpty(self)) return;
  const auto turns = [&](int64_t d) { return Guard(Gt(self->sizes[d], 1)) && Guard(Ne(self->strides[d], 0)); };
  if (std::ranges::none_of(dims, turns)) return;
  const int64_t inner = InnermostDim(flipped);
  if (std::ranges::find(dims, inner) != dims.end() || !Guard(Eq(self->strides[inner], 1))) self.Takes(taken);
}

TensorMeta FlippedIn(const Call& call, const Operand& self, const std::vector<int64_t>& dims) {
  TensorMeta flipped = IsQuantized(self) ? SuggestedMeta(self, self->dtype) : NewLike(self);
  RequireFlipKernel(call, self, flipped, dims);
  return flipped;
}

void Flip(Call& call) {
  const Operand self = call.In("self");
  call.ReturnNew(FlippedIn(call, self, WrapDims(call.Ints("dims"), self->rank())));
}

// fliplr and flipud.
template <int kDim>
void FlipAxis(Call& call) {
  call.ReturnNew(FlippedIn(call, RequireRankAtLeast(call.In("self"), kDim + 1), {kDim}));
}

// An odd number of turns transposes a flipped copy. No turn gives a contiguous clone.
void Rot90(Call& call) {
  const Operand self = call.In("self");
  const std::vector<int64_t> dims = call.Ints("dims");
  RequireValue(
      call, dims.size() == 2, {"rotates a plane: expected total rotation dims == 2, but got dims = {}", dims.size()});
  RequireRankAtLeast(self, 2);
  const int64_t a = WrapDim(dims[0], self->rank()), b = WrapDim(dims[1], self->rank());
  RequireValue(call, a != b, {"takes two different dims, but got {} twice", a});
  const int64_t turns = ((call.Int("k") % 4) + 4) % 4;
  if (turns == 0) return void(ReturnContiguous(call, self));
  if (turns == 2) return void(call.ReturnNew(FlippedIn(call, self, {a, b})));
  call.ReturnNew(Transposed(FlippedIn(call, self, {turns == 1 ? b : a}), a, b));
}

// Each factor gets a dimension of size 1 beside each of its own. In their product each pair is then viewed as one.
TensorMeta KronFactor(const TensorMeta& t, int64_t rank, int place) {
  Dims sizes(2 * rank, Dim(1));
  for (int64_t i = 0; i < t.rank(); ++i) sizes[2 * (i + rank - t.rank()) + place] = t.sizes[i];
  return ViewedMeta(t, sizes);
}

// The products of all elements, where each dimension of the result is still a pair.
TensorMeta KronProduct(const Call& call) {
  const Operand self = call.In("self"), other = call.In("other");
  const int64_t rank = std::max(self->rank(), other->rank());
  const TensorMeta a = KronFactor(self, rank, 0), b = KronFactor(other, rank, 1);
  if (other->device != self->device) FailAs(call, ErrorClass::kDeviceMismatch, "takes tensors of one device");
  const TensorMeta* factors[] = {&a, &b};
  return ElementwiseMeta(factors, PromoteTypes(a.dtype, b.dtype), call.device());
}

Dims PairedSizes(const TensorMeta& product) {
  Dims sizes;
  for (int64_t i = 0; i < product.rank(); i += 2) sizes.push_back(product.sizes[i] * product.sizes[i + 1]);
  return sizes;
}

void Kron(Call& call) {
  const TensorMeta product = KronProduct(call);
  call.ReturnNew(ViewedMeta(product, PairedSizes(product)));
}

// Here the out tensor is viewed, not the product.
void KronOut(Call& call) {
  const TensorMeta product = KronProduct(call);
  const Operand out = call.In("out");
  RequireCast(call, product.dtype, out->dtype);
  if (out->device != product.device)
    FailAs(call, ErrorClass::kDeviceMismatch,
        {"has its result on {}, the out tensor on {}", product.device, out->device}, {&out.tensor()});
  const Dims sizes = PairedSizes(product);
  if (GuardSame(out->size_span(), sizes)) {
    ViewedMeta(out, product.size_span());
    RequireUnshared(call, out);
  }
  WriteOfSizes(call, out.tensor(), sizes);
  RequireNoPartOf(call, out.tensor(), ReadsWritten::kItself);
}

// ---- shuffles of channels and pixels

Dim ShuffleFactor(const Call& call, ArgumentName name) {
  const Dim factor = call.DimArg(name);
  RequireValue(call, Gt(factor, 0), {"takes a positive factor, got {}", factor});
  return factor;
}

void RequireDivisible(const Call& call, Dim size, Dim by) {
  RequireShape(call, Divides(by, size),
      {"takes sizes that its factor divides, but got {} for {} in {}", size, by, call.In("self")->sizes});
}

// Source: at::native::pixel_shuffle_cpu, pixel_unshuffle_cpu; for other devices the Python functions.
MemoryFormat ShuffledFormat(const Call& call, const TensorMeta& t) {
  const MemoryFormat format = SuggestMemoryFormat(t);
  if (format == MemoryFormat::ChannelsLast3d && call.OnCpu())
    FailValue(
        call, "takes no channels_last_3d tensor: unsupported memory format. Supports only ChannelsLast, Contiguous");
  return format;
}

void PixelShuffle(Call& call) {
  const Operand self = RequireRankAtLeast(call.In("self"), 3);
  const Dim factor = ShuffleFactor(call, "upscale_factor");
  const size_t channels = self->sizes.size() - 3;
  RequireDivisible(call, self->sizes[channels], factor * factor);
  Dims sizes = self->sizes;
  sizes[channels] = FloorDiv(sizes[channels], factor * factor);
  sizes[channels + 1] *= factor;
  sizes[channels + 2] *= factor;
  const bool keeps = self->device.is_cpu() && !IsQuantized(self);
  const MemoryFormat format = keeps ? ShuffledFormat(call, self) : MemoryFormat::Contiguous;
  call.ReturnNew(MetaInFormat(sizes, self->dtype, self->device, format));
}

void PixelUnshuffle(Call& call) {
  const Operand self = RequireRankAtLeast(call.In("self"), 3);
  const Dim factor = ShuffleFactor(call, "downscale_factor");
  const size_t channels = self->sizes.size() - 3;
  Dims sizes = self->sizes;
  sizes[channels] *= factor * factor;
  for (size_t d : {channels + 1, channels + 2}) {
    RequireDivisible(call, sizes[d], factor);
    sizes[d] = FloorDiv(sizes[d], factor);
  }
  // The cpu's kernel copies an empty tensor as it is.
  if (call.OnCpu() && IsKnownEmpty(self)) sizes = self->sizes;
  const MemoryFormat format = IsQuantized(self) ? MemoryFormat::Contiguous : ShuffledFormat(call, self);
  call.ReturnNew(MetaInFormat(sizes, self->dtype, self->device, format));
}

// Whether the channels stay where they are, so that the result is the tensor itself for devices without a kernel.
// Source: torch/_refs/nn/functional: channel_shuffle (2.13); at::native::math_channel_shuffle, where no copy is made of
// a contiguous tensor.
bool ShufflesNothing(const Operand& self, const Dim& groups, bool is_whole) {
  if (self->device.is_cpu() || !(Guard(Eq(groups, 1)) || Guard(Eq(groups, self->sizes[1])))) return false;
  return is_whole || IsContiguous(self);
}

// The cpu kernel keeps channels_last; torch/_refs does not. For quantized tensors the composite has a kernel of its
// own, for one dtype.
void ChannelShuffle(Call& call) {
  const Operand self = RequireRankAtLeast(call.In("self"), 3);
  const bool is_whole = OpName(call) == "aten::channel_shuffle";
  if (is_whole && IsQuantized(self)) self.Takes(ScalarType::QUInt8, "takes quantized tensors of quint8, not {tensor}");
  const Dim groups = ShuffleFactor(call, "groups");
  RequireDivisible(call, self->sizes[1], groups);
  // Conjugate and negative bits are applied first, which copies.
  const bool has_bits = self->HasPendingBits();
  const bool stays = !has_bits && ShufflesNothing(self, groups, is_whole);
  if (stays && !is_whole) return void(call.ReturnView(self.tensor(), self));
  if (stays || (!has_bits && IsEmpty(self))) return void(ReturnFollowedAlias(call, self.tensor(), self));
  const bool keeps = self->device.is_cpu() && (is_whole || !IsQuantized(self));
  const MemoryFormat format = keeps ? SuggestMemoryFormat(self) : MemoryFormat::Contiguous;
  call.ReturnNew(MetaInFormat(self->size_span(), self->dtype, self->device, format));
}

// ---- diagonals

// How many rows and columns an offset adds.
Dim Absolute(Dim offset) { return Guard(Lt(offset, 0)) ? -offset : offset; }

void DiagEmbed(Call& call) {
  const Operand self = call.In("self");
  const int64_t rank = self->rank() + 1;
  const int64_t a = WrapDim(call.Int("dim1"), rank), b = WrapDim(call.Int("dim2"), rank);
  RequireValue(call, a != b, {"takes two different dimensions, but got {} twice", a});
  self.RankAtLeast(1, "takes at least 1 dimension");
  const Dim size = self->sizes.back() + Absolute(call.DimArg("offset"));
  Dims sizes(self->sizes.begin(), self->sizes.end() - 1);
  sizes.insert(sizes.begin() + std::min(a, b), size);
  sizes.insert(sizes.begin() + std::max(a, b), size);
  ReturnContiguous(call, sizes, self->dtype);
}

// A square matrix with a diagonal of so many elements.
void ReturnDiagonalMatrix(Call& call, Dim length, Dim offset) {
  const Dim size = length + Absolute(offset);
  ReturnContiguous(call, Dims{size, size}, call.In("self")->dtype);
}

void DiagFlat(Call& call) { ReturnDiagonalMatrix(call, Numel(call.In("self")->size_span()), call.DimArg("offset")); }

// A vector on a diagonal, or a matrix's diagonal as a vector.
void Diag(Call& call) {
  const Operand self = call.In("self");
  if (self->rank() == 1) return ReturnDiagonalMatrix(call, self->sizes[0], call.DimArg("diagonal"));
  self.Rank(2, "got {}: supports 1D or 2D tensors");
  ReturnContiguous(call, DiagonalMeta(self, call.DimArg("diagonal"), 0, 1).size_span(), self->dtype);
}

void Vander(Call& call) {
  const Operand x = call.In("x").Rank(1, "takes a 1-dim tensor, but got {}");
  const Dim columns = call.OptionalDim("N").value_or(x->sizes[0]);
  RequireValue(call, Ge(columns, 0), {"takes no negative N, got {}", columns});
  ReturnContiguous(call, Dims{x->sizes[0], columns}, IsIntegral(x->dtype) ? ScalarType::Long : x->dtype);
}

constexpr RuleRow kRows[] = {
    {"aten::repeat", Repeat},
    {"aten::tile", Tile},
    {"aten::roll", Roll},
    {"aten::flip", Flip},
    {"aten::fliplr", FlipAxis<1>},
    {"aten::flipud", FlipAxis<0>},
    {"aten::rot90", Rot90},
    {"aten::kron", InOrder<RequireDifferentiable<"self", "other">, Kron>, Devices::kAny},
    {"aten::kron.out", KronOut, Devices::kAny},
    {"aten::pixel_shuffle", PixelShuffle},
    {"aten::pixel_unshuffle", PixelUnshuffle},
    {"aten::channel_shuffle", ChannelShuffle},
    {"aten::native_channel_shuffle", ChannelShuffle},
    {"aten::diag_embed", DiagEmbed},
    {"aten::diagflat", DiagFlat},
    {"aten::diag", Diag},
    {"aten::vander", Vander},
};

}  // namespace

RuleRows RearrangeRules() { return kRows; }

}  // namespace fakeprop::rules
