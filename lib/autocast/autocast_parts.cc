// Which composite operators autocast changes inside.
#include <algorithm>

#include "lib/autocast/autocast.h"

namespace fakeprop {
namespace {

// Composites whose parts are on no list of autocast, seen by running each under PyTorch's autocast for cpu and cuda, in
// float32 and bfloat16: nothing is cast. What only rearranges its input has no row.
constexpr std::string_view kPlain[] = {"aten::_assert_tensor_metadata", "aten::absolute", "aten::adaptive_avg_pool1d",
    "aten::adaptive_avg_pool2d", "aten::alpha_dropout", "aten::argsort", "aten::argsort.stable", "aten::avg_pool1d",
    "aten::clip", "aten::clip.Tensor", "aten::divide.Scalar", "aten::divide.Tensor", "aten::dropout",
    "aten::embedding_bag", "aten::feature_dropout", "aten::floor_divide", "aten::instance_norm", "aten::isclose",
    "aten::isfinite", "aten::max.other", "aten::max_pool1d", "aten::max_pool2d", "aten::min.other",
    "aten::multiply.Scalar", "aten::multiply.Tensor", "aten::nanmean", "aten::negative", "aten::pad",
    "aten::pixel_shuffle", "aten::pixel_unshuffle", "aten::relu6", "aten::repeat_interleave.self_int", "aten::selu",
    "aten::silu", "aten::std", "aten::std.dim", "aten::subtract.Scalar", "aten::subtract.Tensor",
    "aten::take_along_dim", "aten::tile", "aten::true_divide.Scalar", "aten::true_divide.Tensor", "aten::type_as",
    "aten::var", "aten::var.dim", "aten::where.Scalar", "aten::where.ScalarOther", "aten::where.ScalarSelf"};

// The same on cpu alone: cuda has them on its list, or parts of them.
constexpr std::string_view kPlainOnCpu[] = {"aten::batch_norm", "aten::cosine_similarity", "aten::group_norm",
    "aten::layer_norm", "aten::log_softmax.int", "aten::softmax.int", "aten::square", "aten::upsample_bicubic2d.vec",
    "aten::upsample_bilinear2d.vec", "aten::upsample_linear1d.vec", "aten::upsample_nearest1d.vec",
    "aten::upsample_nearest2d.vec"};

}  // namespace

bool MayHaveListedParts(const Schema& schema, const ExecutionState& state) {
  if (!schema.Has(kHasCompositeImplicit) || schema.returns.empty()) return false;
  if (std::ranges::any_of(schema.returns, [](const SchemaReturn& r) { return !r.alias_set.empty(); })) return false;
  if (std::ranges::binary_search(kPlain, schema.full_name)) return false;
  return state.cuda_autocast.enabled || !std::ranges::binary_search(kPlainOnCpu, schema.full_name);
}

}  // namespace fakeprop
