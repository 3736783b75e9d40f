// Resampling of images and volumes: upsampling, grids, sliding blocks.
// Source: torch/_meta_registrations.py upsample_common_check, check_grid_sampler_common;
// torch/_decomp/decompositions.py upsample_compute_output_size, _upsample_linear, im2col, col2im;
// aten/src/ATen/native/UpSample*.cpp (torch 2.13).
#include <cmath>

#include <algorithm>

#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/core/torch_changes.h"
#include "lib/rules/core/torch_words.h"
#include "lib/rules/families.h"
#include "lib/rules/support/copy_metas.h"
#include "lib/rules/support/normalization_metas.h"
#include "lib/rules/support/quantized_kernels.h"
#include "lib/rules/support/view_metas.h"
#include "lib/symbolic/shape_env.h"

namespace fakeprop::rules {
namespace {

// Which results keep the input's layout. On cuda some do so only with enough channels.
enum class Keeps { kNever, kAlways, kFrom16Channels };

MemoryFormat FormatFor(const TensorMeta& like, Keeps keeps) {
  const bool few = keeps == Keeps::kFrom16Channels && like.device.is_cuda() && Guard(Lt(like.sizes[1], 16));
  return keeps == Keeps::kNever || few ? MemoryFormat::Contiguous : SuggestMemoryFormat(like);
}

// Batch and channels of `sizes` with new spatial sizes.
Dims Resized(const Call& call, DimSpan sizes, const Dims& spatial) {
  RequireShape(call, sizes.size() == spatial.size() + 2,
      {"got an input of shape {}: it is expected input_size equals to {}, but got size {}", sizes, spatial.size() + 2,
          sizes.size()});
  for (DimSpan part : {sizes.subspan(2), DimSpan(spatial)}) {
    for (Dim size : part)
      RequireShape(
          call, Gt(size, 0), {"input and output sizes should be greater than 0, but got {} and {}", sizes, spatial});
  }
  Dims out = {sizes[0], sizes[1]};
  out.append(spatial.begin(), spatial.end());
  return out;
}

void ReturnUpsampled(Call& call, const TensorMeta& input, const Dims& output_size, Keeps keeps) {
  const Dims sizes = Resized(call, input.size_span(), output_size);
  RequireShape(call, Gt(input.sizes[1], 0), {"expected an input with channels, but got {}", input.sizes});
  call.ReturnNew(MetaInFormat(sizes, input.dtype, input.device, FormatFor(input, keeps)));
}

template <int Spatial, Keeps K>
void Upsample(Call& call) {
  const Dims output_size = call.DimList("output_size");
  RequireValue(call, output_size.size() == Spatial,
      {"got the output_size {}: it is expected output_size equals to {}, but got size {}", output_size, Spatial,
          output_size.size()});
  ReturnUpsampled(call, call.In("self"), output_size, K);
}

// A whole factor multiplies integers. Other factors multiply floats, and the product is cut to an integer.
Dim Scaled(Dim size, double factor) {
  if (std::trunc(factor) == factor) return size * Dim(static_cast<int64_t>(factor));
  if (size.IsSymbolic()) {
    Sym by = size.Expression()->env->Constant(SymNumber::Of(factor));
    return Dim::Of(RoundWith(SymOp::kTruncToInt, FloatArithmetic(SymOp::kFloatMul, ToFloat(size.Expression()), by)));
  }
  return static_cast<int64_t>(static_cast<double>(size.Specialize()) * factor);
}

// Overloads that take a size or a factor for each dimension.
template <int64_t Dimensions, Keeps K>
void UpsampleVec(Call& call) {
  const Operand input = call.In("input").Rank(Dimensions + 2);
  RequireValue(call, call.Has("output_size") != call.Has("scale_factors"),
      "must specify exactly one of output_size and scale_factors");
  if (call.Has("output_size")) return ReturnUpsampled(call, input, call.DimList("output_size"), K);
  const std::vector<double> scale = call.Floats("scale_factors");
  input.Require(std::ssize(scale) == Dimensions, "expected a scale factor for each spatial dimension of {}");
  Dims output_size;
  for (size_t i = 0; i < scale.size(); ++i) output_size.push_back(Scaled(input->sizes[i + 2], scale[i]));
  ReturnUpsampled(call, input, output_size, K);
}

template <Keeps K>
void UpsampleBackward(Call& call) {
  const Operand grad = call.In("grad_output");
  const Dims input_size = call.DimList("input_size");
  const Dims expected = Resized(call, input_size, call.DimList("output_size"));
  grad.Sizes(expected, {"expected grad_output to have the shape of the output {}, but got {}", expected});
  call.ReturnNew(MetaInFormat(input_size, grad->dtype, grad->device, FormatFor(grad, K)));
}

// ---- grids

constexpr int64_t kBicubic = 2;

// A rank of 0 stands for 4 or 5.
void CheckGrid(const Call& call, const Operand& input, const Operand& grid, int64_t rank) {
  const auto require = [&](bool holds, const char* what) {
    grid.Require(holds, {"{}, but got input with sizes {} and grid with sizes {}", what, input->sizes});
  };
  const bool has_rank = rank > 0 ? input->rank() == rank : input->rank() == 4 || input->rank() == 5;
  require(has_rank && input->rank() == grid->rank(),
      "expected 4-d or 5-d input and grid with the same number of dimensions");
  require(Expect(Eq(input->sizes[0], grid->sizes[0])), "expected grid and input to have same batch size");
  require(Expect(Eq(grid->sizes.back(), input->rank() - 2)),
      "expected a grid whose last size is the number of spatial dimensions");
  for (Dim size : input->size_span().subspan(2))
    require(Expect(Gt(size, 0)), "expected input to have non-empty spatial dimensions");
  RequireValue(call, input->rank() == 4 || call.Int("interpolation_mode") != kBicubic || Has(call, kBicubicVolumes),
      "bicubic interpolation only supports 4-d input");
}

template <int Rank>
void GridSampler(Call& call) {
  const Operand input = call.In("input"), grid = call.In("grid");
  CheckGrid(call, input, grid, Rank);
  Dims sizes = {input->sizes[0], input->sizes[1]};
  sizes.append(grid->sizes.begin() + 1, grid->sizes.end() - 1);
  // The kernels look at the dtypes where they have something to write.
  const bool is_quantized = input->dtype == ScalarType::QUInt8 && grid->dtype == ScalarType::Float;
  if (!is_quantized && !IsEmpty(sizes)) input.SameDtypeAs(grid);
  ReturnContiguous(call, sizes, input->dtype);
}

template <int Rank>
void GridSamplerBackward(Call& call) {
  const Operand grad = call.In("grad_output"), input = call.In("input"), grid = call.In("grid");
  CheckGrid(call, input, grid, Rank);
  grad.RankAtLeast(Rank);
  if (Has(call, kGridGradientChecked)) {
    Dims sizes = grid->sizes;
    sizes.back() = input->sizes[1];
    std::rotate(sizes.begin() + 1, sizes.end() - 1, sizes.end());
    grad.Sizes(sizes, {"expected a gradient of shape {}, but got {}", sizes});
  }
  grad.SameDtypeAs(input);
  input.Takes(kFloating);
  const bool wants_input = !call.Has("output_mask") || call.Bools("output_mask")[0];
  ReturnWanted(call, wants_input, EmptyLike(input, MemoryFormat::Contiguous));
  call.ReturnNew(EmptyLike(grid, MemoryFormat::Contiguous));
}

// The sizes of the output that a grid is for.
Dims SizesOfOutput(const Call& call) {
  const Dims size = call.DimList("size");
  RequireValue(
      call, size.size() == 4 || size.size() == 5, {"affine_grid_generator takes 4-d and 5-d sizes, but got {}", size});
  return size;
}

int64_t SpatialOf(const Dims& size) { return static_cast<int64_t>(size.size()) - 2; }

// A grid has a coordinate for each spatial dimension of the output, at each of its places.
Dims AffineGridSizes(const Dims& size) {
  Dims sizes = {size[0]};
  sizes.append(size.begin() + 2, size.end());
  sizes.push_back(SpatialOf(size));
  return sizes;
}

// theta is a matrix for homogeneous coordinates.
void AffineGrid(Call& call) {
  const Operand theta = call.In("theta");
  const Dims size = SizesOfOutput(call);
  theta.Takes(kNotBool, "does not take bool tensors");
  const Dims expected = {size[0], SpatialOf(size), SpatialOf(size) + 1};
  theta.Sizes(expected, {"expected theta of shape {}, but got {}", expected});
  ReturnContiguous(call, AffineGridSizes(size), theta->dtype);
}

// The transpose of a product of matrices.
void AffineGridBackward(Call& call) {
  const Operand grad = call.In("grad");
  const Dims size = SizesOfOutput(call), expected = AffineGridSizes(size);
  grad.Sizes(expected, {"expected a gradient of shape {}, but got {}", expected});
  const Dims transposed = {size[0], SpatialOf(size) + 1, SpatialOf(size)};
  call.ReturnNew(Transposed(ContiguousMeta(transposed, grad->dtype, grad->device), 1, 2));
}

// ---- sliding blocks

struct Blocks {
  Dims kernel, dilation, padding, stride;

  Dim Numel() const { return kernel[0] * kernel[1]; }
};

// Two numbers of at least `least`. A single number stands for both; a list of one does not.
Dims BlockList(const Call& call, ArgumentName name, int64_t least) {
  Dims list = call.DimList(name);
  if (!call.Arg(name).TryList()) list.push_back(list.front());
  RequireValue(call, list.size() == 2, {"sliding blocks have two dimensions, but got {}", list});
  for (Dim d : list) RequireValue(call, Ge(d, least), {"a parameter should be greater than zero, but got {}", list});
  return list;
}

Blocks BlocksOf(const Call& call) {
  return {BlockList(call, "kernel_size", 1), BlockList(call, "dilation", 1), BlockList(call, "padding", 0),
      BlockList(call, "stride", 1)};
}

// How many blocks fit along both dimensions.
Dim NumBlocks(const Call& call, DimSpan image, const Blocks& b) {
  Dim product = 1;
  for (int i = 0; i < 2; ++i) {
    const Dim n = FloorDiv(image[i] + Dim(2) * b.padding[i] - b.dilation[i] * (b.kernel[i] - 1) - 1, b.stride[i]) + 1;
    RequireShape(call, Gt(n, 0), {"no sliding block of {} fits into the spatial size {}", b.kernel, image});
    product *= n;
  }
  return product;
}

// Only the batch may be empty.
void CheckBatch(const Call& call, const TensorMeta& t, int64_t unbatched) {
  bool ok = t.rank() == unbatched || t.rank() == unbatched + 1;
  for (int64_t d = t.rank() - unbatched; ok && d < t.rank(); ++d) ok = Expect(Ne(t.sizes[d], 0));
  RequireShape(call, ok, {"expected non-zero dimensions, {} or with a batch one more, but got {}", unbatched, t.sizes});
}

void Im2col(Call& call) {
  const Operand input = call.In("self");
  const Blocks b = BlocksOf(call);
  CheckBatch(call, input, 3);
  Dims sizes(input->sizes.begin(), input->sizes.end() - 3);
  sizes.push_back(input->sizes[input->rank() - 3] * b.Numel());
  sizes.push_back(NumBlocks(call, input->size_span().subspan(input->rank() - 2), b));
  ReturnContiguous(call, sizes, input->dtype);
}

void Col2im(Call& call) {
  const Operand input = call.In("self");
  const Dims image = call.DimList("output_size");
  RequireValue(call, image.size() == 2, {"takes an output_size of two dimensions, not {}", image});
  const Blocks b = BlocksOf(call);
  CheckBatch(call, input, 2);
  for (Dim d : image) RequireValue(call, Gt(d, 0), {"output_size should be greater than zero, but got {}", image});
  const Dim rows = input->sizes[input->rank() - 2];
  RequireShape(call, Divides(b.Numel(), rows) && Expect(Eq(input->sizes.back(), NumBlocks(call, image, b))),
      {"an input of {} does not hold the blocks of {} of an image {}", input->sizes, b.kernel, image});
  Dims sizes(input->sizes.begin(), input->sizes.end() - 2);
  sizes.push_back(FloorDiv(rows, b.Numel()));
  sizes.append(image.begin(), image.end());
  ReturnContiguous(call, sizes, input->dtype);
}

// The kernels for the cpu read the out tensor as the input's dtype, and run where there are elements.
OutDtype OutDtypeOfColumns(const Call& out_form) {
  if (!out_form.device().is_cpu()) return OutDtype::kCast;
  return IsKnownEmpty(out_form.In("self")) ? OutDtype::kAny : OutDtype::kExact;
}

void UnfoldBackward(Call& call) {
  const Operand grad = call.In("grad_in");
  const Dim step = call.DimArg("step");
  RequireValue(call, Gt(step, 0), {"step is {} but must be > 0", step});
  const Dims sizes = call.DimList("input_sizes");
  const auto rank = static_cast<int64_t>(sizes.size());
  if (rank) WrapDim(call.Int("dim"), rank);
  // The gradient has one dimension more: the last one holds the elements of each window.
  RequireShape(call, !rank || grad->rank() == rank + 1,
      {"a gradient of {} does not come from windows of a tensor of {}", grad->sizes, sizes});
  ReturnContiguous(call, sizes, grad->dtype);
}

using enum Keeps;

// The cpu's kernel with antialiasing filters the dimensions that change.
void RequireFilter(const Call& call) {
  const Operand input = call.In(call.Declares("self") ? ArgumentName("self") : ArgumentName("input"));
  if (!call.OnCpu() || GuardSameOrFalse(call.effects().outputs[0].meta.size_span(), input->size_span())) return;
  RequireCompiled(call, "compute_index_ranges_weights", input->dtype, ~(kFloat32Or64 | ScalarType::Byte));
}

template <Rule R>
constexpr Rule kFiltered = InOrder<R, RequireFilter>;

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
    {"aten::_upsample_bilinear2d_aa", kFiltered<Upsample<2, kAlways>>, OutStrides::kOfResultEverywhere},
    {"aten::_upsample_bicubic2d_aa", kFiltered<Upsample<2, kAlways>>, OutStrides::kOfResultEverywhere},
    {"aten::_upsample_lanczos2d_aa", kFiltered<Upsample<2, kAlways>>, OutStrides::kOfResultEverywhere},
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
    {"aten::_upsample_bilinear2d_aa.vec", kFiltered<UpsampleVec<2, kAlways>>},
    {"aten::_upsample_bicubic2d_aa.vec", kFiltered<UpsampleVec<2, kAlways>>},
    {"aten::_upsample_lanczos2d_aa.vec", kFiltered<UpsampleVec<2, kAlways>>},
    {"aten::upsample_nearest1d_backward", UpsampleBackward<kNever>},
    {"aten::upsample_nearest2d_backward", UpsampleBackward<kAlways>},
    {"aten::upsample_nearest3d_backward", UpsampleBackward<kNever>},
    {"aten::_upsample_nearest_exact1d_backward", UpsampleBackward<kNever>},
    {"aten::_upsample_nearest_exact2d_backward", UpsampleBackward<kAlways>},
    {"aten::_upsample_nearest_exact3d_backward", UpsampleBackward<kNever>},
    {"aten::upsample_linear1d_backward", UpsampleBackward<kNever>},
    {"aten::upsample_bilinear2d_backward", UpsampleBackward<kAlways>},
    {"aten::upsample_trilinear3d_backward", UpsampleBackward<kAlways>},
    {"aten::upsample_bicubic2d_backward", UpsampleBackward<kNever>, Overlap::kAllowedInOut},
    {"aten::_upsample_bilinear2d_aa_backward", UpsampleBackward<kAlways>},
    {"aten::_upsample_bicubic2d_aa_backward", UpsampleBackward<kNever>},
    {"aten::_upsample_lanczos2d_aa_backward", UpsampleBackward<kAlways>},
    {"aten::grid_sampler", GridSampler<0>},
    {"aten::grid_sampler_2d", GridSampler<4>},
    {"aten::_grid_sampler_2d_cpu_fallback", GridSampler<4>},
    {"aten::grid_sampler_3d", GridSampler<5>},
    {"aten::grid_sampler_2d_backward", GridSamplerBackward<4>},
    {"aten::grid_sampler_3d_backward", GridSamplerBackward<5>},
    {"aten::_grid_sampler_2d_cpu_fallback_backward", GridSamplerBackward<4>},
    {"aten::affine_grid_generator", AffineGrid},
    {"aten::affine_grid_generator_backward", AffineGridBackward},
    {"aten::im2col", Im2col, OutDtypeOfColumns | Overlap::kAllowedInOut | SetsStrides{2, 2}},
    {"aten::col2im", Col2im, OutDtypeOfColumns | Overlap::kAllowedInOut | SetsStrides{3, 3}},
    {"aten::unfold_backward", UnfoldBackward},
};

}  // namespace

RuleRows ResampleRules() { return kRows; }

}  // namespace fakeprop::rules
