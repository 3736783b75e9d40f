// Resampling of images and volumes: upsampling, grids, sliding blocks.
// Source: torch/_meta_registrations.py upsample_common_check, check_grid_sampler_common;
// torch/_decomp/decompositions.py upsample_compute_output_size, _upsample_linear, im2col, col2im;
// aten/src/ATen/native/UpSample*.cpp (torch 2.13).
#include <cmath>

#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/families.h"
#include "lib/rules/support/view_metas.h"
#include "lib/symbolic/shape_env.h"

namespace fakeprop::rules {
namespace {

// Which results keep the layout of the input; on cuda some only where there are enough channels.
enum class Keeps { kNever, kAlways, kFrom16Channels };

MemoryFormat FormatFor(const TensorMeta& like, Keeps keeps) {
  const bool few = keeps == Keeps::kFrom16Channels && like.device.is_cuda() && Guard(Lt(like.sizes[1], 16));
  return keeps == Keeps::kNever || few ? MemoryFormat::Contiguous : SuggestMemoryFormat(like);
}

// Batch and channels of `sizes` with new spatial sizes.
Dims Resized(const Call& call, DimSpan sizes, const Dims& spatial) {
  if (sizes.size() != spatial.size() + 2) {
    FailShape(
        call, "expected an input of " + std::to_string(spatial.size() + 2) + " dimensions, but got " + ToString(sizes));
  }
  for (DimSpan part : {sizes.subspan(2), DimSpan(spatial)}) {
    for (Dim size : part)
      if (!Expect(Gt(size, 0)))
        FailShape(call, "input and output sizes should be greater than 0, but got " + ToString(sizes) + " and " +
                            ToString(spatial));
  }
  Dims out = {sizes[0], sizes[1]};
  out.append(spatial.begin(), spatial.end());
  return out;
}

void ReturnUpsampled(Call& call, const Dims& output_size, Keeps keeps) {
  const TensorMeta& input = call.Meta(0);
  const Dims sizes = Resized(call, input.size_span(), output_size);
  if (!Expect(Gt(input.sizes[1], 0)))
    FailShape(call, "expected an input with channels, but got " + ToString(input.size_span()));
  call.ReturnNew(MetaInFormat(sizes, input.dtype, input.device, FormatFor(input, keeps)));
}

template <int Spatial, Keeps K>
void Upsample(Call& call) {
  const Dims output_size = call.DimList(1);
  if (output_size.size() != Spatial)
    FailValue(
        call, "expected an output_size of " + std::to_string(Spatial) + " elements, but got " + ToString(output_size));
  ReturnUpsampled(call, output_size, K);
}

// A whole factor multiplies; another one goes by floats.
Dim Scaled(Dim size, double factor) {
  if (std::trunc(factor) == factor) return size * Dim(static_cast<int64_t>(factor));
  if (size.IsSymbolic()) {
    Sym by = size.Expression()->env->Constant(SymNumber::Of(factor));
    return Dim::Of(RoundWith(SymOp::kTruncToInt, FloatArithmetic(SymOp::kFloatMul, ToFloat(size.Expression()), by)));
  }
  return static_cast<int64_t>(static_cast<double>(size.Specialize()) * factor);
}

// Overloads that take a size or a factor for each dimension; the factors are the last argument.
template <int64_t Dimensions, Keeps K>
void UpsampleVec(Call& call) {
  const int factors = static_cast<int>(call.size()) - 1;
  const TensorMeta& input = call.Meta(0);
  RequireRank(call, 0, Dimensions + 2);
  if (call.IsNone(1) == call.IsNone(factors))
    FailValue(call, "must specify exactly one of output_size and scale_factors");
  if (!call.IsNone(1)) return ReturnUpsampled(call, call.DimList(1), K);
  const std::vector<double> scale = call.Floats(factors);
  if (static_cast<int64_t>(scale.size()) != Dimensions)
    FailShape(call, "expected a scale factor for each spatial dimension of " + ToString(input.size_span()));
  Dims output_size;
  for (size_t i = 0; i < scale.size(); ++i) output_size.push_back(Scaled(input.sizes[i + 2], scale[i]));
  ReturnUpsampled(call, output_size, K);
}

template <Keeps K>
void UpsampleBackward(Call& call) {
  const TensorMeta& grad = call.Meta(0);
  const Dims input_size = call.DimList(2);
  const Dims expected = Resized(call, input_size, call.DimList(1));
  if (grad.rank() != static_cast<int64_t>(expected.size()) || !ExpectSame(grad.size_span(), expected)) {
    FailShape(call, "expected grad_output to have the shape of the output " + ToString(expected) + ", but got " +
                        ToString(grad.size_span()));
  }
  call.ReturnNew(MetaInFormat(input_size, grad.dtype, grad.device, FormatFor(grad, K)));
}

constexpr int64_t kBicubic = 2;

// Arguments `first` and the next are input and grid.
void CheckGrid(const Call& call, int first, int64_t rank) {
  const TensorMeta &input = call.Meta(first), &grid = call.Meta(first + 1);
  const auto fail = [&](const std::string& what) {
    FailShape(
        call, what + ", but got input " + ToString(input.size_span()) + " and grid " + ToString(grid.size_span()));
  };
  if (input.rank() != grid.rank() || input.rank() < 4 || input.rank() > 5 || (rank > 0 && input.rank() != rank))
    fail("expected 4-d or 5-d input and grid with the same number of dimensions");
  if (!Expect(Eq(input.sizes[0], grid.sizes[0]))) fail("expected grid and input to have the same batch size");
  if (!Expect(Eq(grid.sizes.back(), input.rank() - 2)))
    fail("expected a grid whose last size is the number of spatial dimensions");
  for (Dim size : input.size_span().subspan(2))
    if (!Expect(Gt(size, 0))) fail("expected input to have non-empty spatial dimensions");
  if (input.rank() == 5 && call.Int(first + 2) == kBicubic)
    FailValue(call, "bicubic interpolation only supports 4-d input");
}

template <int Rank>
void GridSampler(Call& call) {
  CheckGrid(call, 0, Rank);
  const TensorMeta &input = call.Meta(0), &grid = call.Meta(1);
  RequireSameDtype(call, 0, 1);
  Dims sizes = {input.sizes[0], input.sizes[1]};
  sizes.append(grid.sizes.begin() + 1, grid.sizes.end() - 1);
  ReturnContiguous(call, sizes, input.dtype);
}

template <int Rank>
void GridSamplerBackward(Call& call) {
  CheckGrid(call, 1, Rank);
  if (call.Meta(0).rank() < Rank) RequireRank(call, 0, Rank);
  RequireSameDtype(call, 0, 1);
  RequireFloat(call, call.Meta(1).dtype);
  if (call.Bools(6)[0]) {
    call.ReturnNew(EmptyLike(call.Meta(1), MemoryFormat::Contiguous));
  } else {
    call.ReturnNone();
  }
  call.ReturnNew(EmptyLike(call.Meta(2), MemoryFormat::Contiguous));
}

// theta maps the homogeneous coordinates of an output of these sizes.
Dims AffineSizes(const Call& call) {
  const Dims size = call.DimList(1);
  if (size.size() != 4 && size.size() != 5)
    FailValue(call, "affine_grid_generator takes 4-d and 5-d sizes, but got " + ToString(size));
  return size;
}

void AffineGrid(Call& call) {
  const TensorMeta& theta = call.Meta(0);
  const Dims size = AffineSizes(call);
  const int64_t spatial = static_cast<int64_t>(size.size()) - 2;
  if (theta.dtype == ScalarType::Bool) FailDtype(call, "does not take bool tensors");
  if (!ExpectSame(theta.size_span(), Dims{size[0], spatial, spatial + 1}))
    FailShape(call, "expected theta of shape " + ToString(Dims{size[0], spatial, spatial + 1}) + ", but got " +
                        ToString(theta.size_span()));
  Dims sizes = {size[0]};
  sizes.append(size.begin() + 2, size.end());
  sizes.push_back(spatial);
  ReturnContiguous(call, sizes, theta.dtype);
}

// The transpose of a product of matrices.
void AffineGridBackward(Call& call) {
  const TensorMeta& grad = call.Meta(0);
  const Dims size = AffineSizes(call);
  const int64_t spatial = static_cast<int64_t>(size.size()) - 2;
  Dims expected = {size[0]};
  expected.append(size.begin() + 2, size.end());
  expected.push_back(spatial);
  if (!ExpectSame(grad.size_span(), expected))
    FailShape(call, "expected a gradient of shape " + ToString(expected) + ", but got " + ToString(grad.size_span()));
  call.ReturnNew(Transposed(ContiguousMeta(Dims{size[0], spatial + 1, spatial}, grad.dtype, grad.device), 1, 2));
}

struct Blocks {
  Dims kernel, dilation, padding, stride;
};

Blocks BlocksFrom(const Call& call, int first) {
  Blocks b = {call.DimList(first), call.DimList(first + 1), call.DimList(first + 2), call.DimList(first + 3)};
  int position = first;
  for (Dims* list : {&b.kernel, &b.dilation, &b.padding, &b.stride}) {
    // One number counts for both, a list of one does not.
    if (!call.Arg(position++).TryList()) list->push_back(list->front());
    if (list->size() != 2) FailValue(call, "sliding blocks have two dimensions, but got " + ToString(*list));
    for (Dim d : *list)
      if (!Expect(Ge(d, list == &b.padding ? 0 : 1)))
        FailValue(call, "a parameter should be greater than zero, but got " + ToString(*list));
  }
  return b;
}

// How many blocks fit along both dimensions.
Dim NumBlocks(const Call& call, DimSpan image, const Blocks& b) {
  Dim product = 1;
  for (int i = 0; i < 2; ++i) {
    const Dim n = FloorDiv(image[i] + Dim(2) * b.padding[i] - b.dilation[i] * (b.kernel[i] - 1) - 1, b.stride[i]) + 1;
    if (!Expect(Gt(n, 0)))
      FailShape(call, "no sliding block of " + ToString(b.kernel) + " fits into the spatial size " + ToString(image));
    product *= n;
  }
  return product;
}

// Only the batch may be empty.
void CheckBatch(const Call& call, const TensorMeta& t, int64_t unbatched) {
  bool ok = t.rank() == unbatched || t.rank() == unbatched + 1;
  for (int64_t d = t.rank() - unbatched; ok && d < t.rank(); ++d) ok = Expect(Ne(t.sizes[d], 0));
  if (!ok)
    FailShape(call, "expected non-zero dimensions, " + std::to_string(unbatched) +
                        " or with a batch one more, but got " + ToString(t.size_span()));
}

void Im2col(Call& call) {
  const TensorMeta& input = call.Meta(0);
  const Blocks b = BlocksFrom(call, 1);
  CheckBatch(call, input, 3);
  Dims sizes(input.sizes.begin(), input.sizes.end() - 3);
  sizes.push_back(input.sizes[input.rank() - 3] * b.kernel[0] * b.kernel[1]);
  sizes.push_back(NumBlocks(call, input.size_span().subspan(input.rank() - 2), b));
  ReturnContiguous(call, sizes, input.dtype);
}

void Col2im(Call& call) {
  const TensorMeta& input = call.Meta(0);
  const Dims image = call.DimList(1);
  if (image.size() != 2) FailValue(call, "takes an output_size of two dimensions, not " + ToString(image));
  const Blocks b = BlocksFrom(call, 2);
  CheckBatch(call, input, 2);
  for (Dim d : image)
    if (!Expect(Gt(d, 0))) FailValue(call, "output_size should be greater than zero, but got " + ToString(image));
  const Dim block = b.kernel[0] * b.kernel[1], rows = input.sizes[input.rank() - 2];
  if (!Expect(Eq(Mod(rows, block), 0)) || !Expect(Eq(input.sizes.back(), NumBlocks(call, image, b))))
    FailShape(call, "an input of " + ToString(input.size_span()) + " does not hold the blocks of " +
                        ToString(b.kernel) + " of an image " + ToString(image));
  Dims sizes(input.sizes.begin(), input.sizes.end() - 2);
  sizes.push_back(FloorDiv(rows, block));
  sizes.append(image.begin(), image.end());
  ReturnContiguous(call, sizes, input.dtype);
}

void UnfoldBackward(Call& call) {
  const TensorMeta& grad = call.Meta(0);
  if (!Expect(Gt(call.DimArg(4), 0))) FailValue(call, "step is " + call.DimArg(4).ToString() + " but must be > 0");
  const Dims sizes = call.DimList(1);
  const auto rank = static_cast<int64_t>(sizes.size());
  if (rank) WrapDim(call.Int(2), rank);
  // Windows stand in one more dimension, the last, whose elements are added into the input's.
  if (rank && grad.rank() != rank + 1)
    FailShape(call, "a gradient of " + ToString(grad.size_span()) + " does not come from windows of a tensor of " +
                        ToString(DimSpan(sizes)));
  ReturnContiguous(call, sizes, grad.dtype);
}

using enum Keeps;

constexpr RuleRow kRows[] = {
    {"aten::upsample_nearest1d", Upsample<1, kNever>},
    {"aten::upsample_nearest2d", Upsample<2, kAlways>},
    {"aten::upsample_nearest3d", Upsample<3, kAlways>},
    {"aten::_upsample_nearest_exact1d", Upsample<1, kNever>},
    {"aten::_upsample_nearest_exact2d", Upsample<2, kAlways>},
    {"aten::_upsample_nearest_exact3d", Upsample<3, kAlways>},
    {"aten::upsample_linear1d", Upsample<1, kNever>},
    {"aten::upsample_bilinear2d", Upsample<2, kFrom16Channels>},
    {"aten::upsample_trilinear3d", Upsample<3, kFrom16Channels>},
    {"aten::upsample_bicubic2d", Upsample<2, kAlways>},
    {"aten::_upsample_bilinear2d_aa", Upsample<2, kAlways>},
    {"aten::_upsample_bicubic2d_aa", Upsample<2, kAlways>},
    {"aten::_upsample_lanczos2d_aa", Upsample<2, kAlways>},
    {"aten::upsample_nearest1d.vec", UpsampleVec<1, kNever>},
    {"aten::upsample_nearest2d.vec", UpsampleVec<2, kAlways>},
    {"aten::upsample_nearest3d.vec", UpsampleVec<3, kAlways>},
    {"aten::_upsample_nearest_exact1d.vec", UpsampleVec<1, kNever>},
    {"aten::_upsample_nearest_exact2d.vec", UpsampleVec<2, kAlways>},
    {"aten::_upsample_nearest_exact3d.vec", UpsampleVec<3, kAlways>},
    {"aten::upsample_linear1d.vec", UpsampleVec<1, kNever>},
    {"aten::upsample_bilinear2d.vec", UpsampleVec<2, kFrom16Channels>},
    {"aten::upsample_trilinear3d.vec", UpsampleVec<3, kFrom16Channels>},
    {"aten::upsample_bicubic2d.vec", UpsampleVec<2, kAlways>},
    {"aten::_upsample_bilinear2d_aa.vec", UpsampleVec<2, kAlways>},
    {"aten::_upsample_bicubic2d_aa.vec", UpsampleVec<2, kAlways>},
    {"aten::_upsample_lanczos2d_aa.vec", UpsampleVec<2, kAlways>},
    {"aten::upsample_nearest1d_backward", UpsampleBackward<kNever>},
    {"aten::upsample_nearest2d_backward", UpsampleBackward<kAlways>},
    {"aten::upsample_nearest3d_backward", UpsampleBackward<kNever>},
    {"aten::_upsample_nearest_exact1d_backward", UpsampleBackward<kNever>},
    {"aten::_upsample_nearest_exact2d_backward", UpsampleBackward<kAlways>},
    {"aten::_upsample_nearest_exact3d_backward", UpsampleBackward<kNever>},
    {"aten::upsample_linear1d_backward", UpsampleBackward<kNever>},
    {"aten::upsample_bilinear2d_backward", UpsampleBackward<kAlways>},
    {"aten::upsample_trilinear3d_backward", UpsampleBackward<kAlways>},
    {"aten::upsample_bicubic2d_backward", UpsampleBackward<kNever>},
    {"aten::_upsample_bilinear2d_aa_backward", UpsampleBackward<kAlways>},
    {"aten::_upsample_bicubic2d_aa_backward", UpsampleBackward<kNever>},
    {"aten::_upsample_lanczos2d_aa_backward", UpsampleBackward<kAlways>},
    {"aten::grid_sampler", GridSampler<0>},
    {"aten::grid_sampler_2d", GridSampler<4>},
    {"aten::_grid_sampler_2d_cpu_fallback", GridSampler<4>},
    {"aten::grid_sampler_3d", GridSampler<5>},
    {"aten::grid_sampler_2d_backward", GridSamplerBackward<4>},
    {"aten::grid_sampler_3d_backward", GridSamplerBackward<5>},
    {"aten::affine_grid_generator", AffineGrid},
    {"aten::affine_grid_generator_backward", AffineGridBackward},
    {"aten::im2col", Im2col},
    {"aten::col2im", Col2im},
    {"aten::unfold_backward", UnfoldBackward},
};

}  // namespace

RuleRows ResampleRules() { return kRows; }

}  // namespace fakeprop::rules
