// New tensors of a tensor's elements in other places: repeated, rolled, flipped, shuffled, on a diagonal.
// Source: aten/src/ATen/native/TensorShape.cpp, TensorTransformations.cpp, PixelShuffle.cpp, ChanelShuffle.cpp,
// Repeat.cpp, LinearAlgebra.cpp (kron) (torch 2.13).
#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/families.h"
#include "lib/rules/support/elementwise.h"
#include "lib/rules/support/view_metas.h"

namespace fakeprop::rules {
namespace {

void ReturnRepeated(Call& call, DimSpan repeats) {
  const TensorMeta& t = call.Meta(0);
  if (repeats.size() < t.sizes.size())
    FailShape(call,
        "takes at least as many repeats as dimensions, got " + ToString(repeats) + " for " + ToString(t.size_span()));
  Dims sizes(repeats.begin(), repeats.end());
  const size_t added = repeats.size() - t.sizes.size();
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (!Expect(Ge(repeats[i], 0))) FailValue(call, "takes no negative repeats, got " + ToString(repeats));
    if (i >= added) sizes[i] *= t.sizes[i - added];
  }
  ReturnContiguous(call, sizes, t.dtype);
}

void Repeat(Call& call) { ReturnRepeated(call, call.DimList(1)); }

void Tile(Call& call) {
  Dims repeats = call.DimList(1);
  const int64_t missing = call.Meta(0).rank() - static_cast<int64_t>(repeats.size());
  if (missing > 0) repeats.insert(repeats.begin(), missing, Dim(1));
  ReturnRepeated(call, repeats);
}

void Roll(Call& call) {
  const TensorMeta& t = call.Meta(0);
  const Dims shifts = call.DimList(1);
  const auto dims = call.Ints(2);
  if (shifts.empty()) FailValue(call, "takes at least one shift");
  if (IsEmpty(t)) return void(call.ReturnNew(EmptyLike(t)));
  if (dims.size() != shifts.size() && !(dims.empty() && shifts.size() == 1))
    FailValue(call,
        "takes as many shifts as dims, got " + std::to_string(shifts.size()) + " and " + std::to_string(dims.size()));
  if (!dims.empty() && t.rank() == 0)
    Fail(ErrorClass::kIndexOutOfRange, OpName(call) + " takes no dims for a 0-dim tensor");
  for (int64_t dim : dims) WrapDim(dim, t.rank());
  ReturnContiguous(call, t.size_span(), t.dtype);
}

void Flip(Call& call) {
  WrapDims(call.Ints(1), call.Meta(0).rank());
  call.ReturnNew(EmptyLike(call.Meta(0)));
}

// fliplr and flipud.
template <int Rank>
void FlipAxis(Call& call) {
  RequireDimensions(call, Rank);
  call.ReturnNew(EmptyLike(call.Meta(0)));
}

// Turned once or thrice, a flipped copy is transposed; turned by nothing, it is a contiguous clone.
void Rot90(Call& call) {
  const TensorMeta& t = call.Meta(0);
  const auto dims = call.Ints(2);
  if (dims.size() != 2) FailValue(call, "takes 2 dims, but got " + std::to_string(dims.size()));
  RequireDimensions(call, 2);
  const int64_t a = WrapDim(dims[0], t.rank()), b = WrapDim(dims[1], t.rank());
  if (a == b) FailValue(call, "takes two different dims, but got " + std::to_string(a) + " twice");
  const int64_t turns = ((call.Int(1) % 4) + 4) % 4;
  if (turns == 0) return void(ReturnContiguous(call, t.size_span(), t.dtype));
  const TensorMeta flipped = EmptyLike(t);
  call.ReturnNew(turns == 2 ? flipped : Transposed(flipped, a, b));
}

// Each factor gets a dimension of 1 for each of the other's; their product is viewed with the pairs joined.
TensorMeta KronFactor(const TensorMeta& t, int64_t rank, int place) {
  Dims sizes(2 * rank, Dim(1));
  for (int64_t i = 0; i < t.rank(); ++i) sizes[2 * (i + rank - t.rank()) + place] = t.sizes[i];
  return ViewedMeta(t, sizes);
}

// The products of all elements, with each dimension of the result as two.
TensorMeta KronProduct(const Call& call) {
  const int64_t rank = std::max(call.Meta(0).rank(), call.Meta(1).rank());
  const TensorMeta a = KronFactor(call.Meta(0), rank, 0), b = KronFactor(call.Meta(1), rank, 1);
  if (a.device != b.device) Fail(ErrorClass::kDeviceMismatch, OpName(call) + " takes tensors of one device");
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

// The out tensor is what is viewed here, not the product.
void KronOut(Call& call) {
  const TensorMeta product = KronProduct(call);
  Tensor& out = call.TensorArg(2);
  if (!CanCast(product.dtype, out.meta.dtype))
    FailDtype(
        call, "gives " + std::string(DtypeName(product.dtype)) + ", which " + ToString(out.meta) + " does not hold");
  if (out.meta.device != product.device)
    Fail(ErrorClass::kDeviceMismatch,
        OpName(call) + ": the result is on " + product.device.str() + ", the out tensor on " + out.meta.device.str(),
        {&out});
  const Dims sizes = PairedSizes(product);
  if (GuardSame(out.meta.size_span(), sizes)) {
    ViewedMeta(out.meta, product.size_span());
    if (HasInternalOverlap(out.meta)) FailValue(call, "can't write to a tensor whose elements share memory");
  }
  WriteOfSizes(call, out, sizes);
}

// ---- shuffles of channels and pixels

Dim ShuffleFactor(const Call& call) {
  const Dim factor = call.DimArg(1);
  if (!Expect(Gt(factor, 0))) FailValue(call, "takes a positive factor, got " + factor.ToString());
  return factor;
}

void RequireDivisible(const Call& call, Dim size, Dim by) {
  if (Expect(Eq(Mod(size, by), 0))) return;
  FailShape(call, "takes sizes that its factor divides, but got " + size.ToString() + " for " + by.ToString() + " in " +
                      ToString(call.Meta(0).size_span()));
}

void PixelShuffle(Call& call) {
  RequireDimensions(call, 3);
  const TensorMeta& t = call.Meta(0);
  const Dim factor = ShuffleFactor(call);
  const size_t channels = t.sizes.size() - 3;
  RequireDivisible(call, t.sizes[channels], factor * factor);
  Dims sizes = t.sizes;
  sizes[channels] = FloorDiv(sizes[channels], factor * factor);
  sizes[channels + 1] *= factor;
  sizes[channels + 2] *= factor;
  call.ReturnNew(MetaInFormat(sizes, t.dtype, t.device, SuggestMemoryFormat(t)));
}

void PixelUnshuffle(Call& call) {
  RequireDimensions(call, 3);
  const TensorMeta& t = call.Meta(0);
  const Dim factor = ShuffleFactor(call);
  const size_t channels = t.sizes.size() - 3;
  Dims sizes = t.sizes;
  sizes[channels] *= factor * factor;
  for (size_t d : {channels + 1, channels + 2}) {
    RequireDivisible(call, sizes[d], factor);
    sizes[d] = FloorDiv(sizes[d], factor);
  }
  call.ReturnNew(MetaInFormat(sizes, t.dtype, t.device, SuggestMemoryFormat(t)));
}

// The cpu kernel keeps channels_last, which torch/_refs does not.
void ChannelShuffle(Call& call) {
  const TensorMeta& t = call.Meta(0);
  RequireDimensions(call, 3);
  RequireDivisible(call, t.sizes[1], ShuffleFactor(call));
  if (IsEmpty(t)) return void(ReturnFollowedAlias(call, call.TensorArg(0), t));
  const MemoryFormat format = t.device.is_cpu() ? SuggestMemoryFormat(t) : MemoryFormat::Contiguous;
  call.ReturnNew(MetaInFormat(t.size_span(), t.dtype, t.device, format));
}

// ---- diagonals

Dim Absolute(Dim offset) { return Guard(Lt(offset, 0)) ? -offset : offset; }

void DiagEmbed(Call& call) {
  const TensorMeta& t = call.Meta(0);
  const int64_t rank = t.rank() + 1;
  const int64_t a = WrapDim(call.Int(2), rank), b = WrapDim(call.Int(3), rank);
  if (a == b) FailValue(call, "takes two different dimensions, but got " + std::to_string(a) + " twice");
  if (t.rank() == 0) FailShape(call, "takes at least 1 dimension");
  const Dim size = t.sizes.back() + Absolute(call.DimArg(1));
  Dims sizes(t.sizes.begin(), t.sizes.end() - 1);
  sizes.insert(sizes.begin() + std::min(a, b), size);
  sizes.insert(sizes.begin() + std::max(a, b), size);
  ReturnContiguous(call, sizes, t.dtype);
}

void ReturnDiagonalMatrix(Call& call, Dim size) {
  size += Absolute(call.DimArg(1));
  ReturnContiguous(call, Dims{size, size}, call.Meta(0).dtype);
}

void DiagFlat(Call& call) { ReturnDiagonalMatrix(call, Numel(call.Meta(0).size_span())); }

// A vector on a diagonal, or a matrix's diagonal as a vector.
void Diag(Call& call) {
  const TensorMeta& t = call.Meta(0);
  if (t.rank() == 1) return ReturnDiagonalMatrix(call, t.sizes[0]);
  if (t.rank() != 2) FailShape(call, "takes 1 or 2 dimensions, but got " + ToString(t.size_span()));
  ReturnContiguous(call, DiagonalMeta(t, call.DimArg(1), 0, 1).size_span(), t.dtype);
}

void Vander(Call& call) {
  const TensorMeta& x = call.Meta(0);
  if (x.rank() != 1) FailShape(call, "takes a 1-dim tensor, but got " + ToString(x.size_span()));
  const Dim columns = call.OptionalDim(1).value_or(x.sizes[0]);
  if (!Expect(Ge(columns, 0))) FailValue(call, "takes no negative N, got " + columns.ToString());
  ReturnContiguous(call, Dims{x.sizes[0], columns}, IsIntegral(x.dtype) ? ScalarType::Long : x.dtype);
}

constexpr RuleRow kRows[] = {
    {"aten::repeat", Repeat},
    {"aten::tile", Tile},
    {"aten::roll", Roll},
    {"aten::flip", Flip},
    {"aten::fliplr", FlipAxis<2>},
    {"aten::flipud", FlipAxis<1>},
    {"aten::rot90", Rot90},
    {"aten::kron", Kron, Devices::kAny},
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
