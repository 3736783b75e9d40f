// Operators of tensors that are not plain strided ones: sparse, quantized, nested, mkldnn. They refuse a strided tensor;
// for their own kind there is no rule here. And operators that one kind of device alone has.
// Source: the dispatch keys that aten/src/ATen/native/native_functions.yaml gives each (torch 2.13).
#include "lib/rules/families.h"
#include "lib/rules/results.h"

namespace fakeprop {
namespace {

enum class Kind { kSparse, kCompressed, kQuantized, kNested, kMkldnn };

constexpr std::string_view kKindNames[] = {
    "sparse tensors", "sparse tensors of a compressed layout", "quantized tensors", "nested tensors",
    "tensors of the mkldnn layout",
};

bool IsPlain(const TensorMeta& t) { return t.layout == Layout::Strided && !c10::isQIntType(t.dtype); }

[[noreturn]] void FailUnserved(const Call& call) {
  Fail(ErrorClass::kUnsupportedOperator, "no rule serves " + OpName(call));
}

template <Kind K>
void TakesKind(Call& call) {
  for (size_t i = 0; i < call.size(); ++i) {
    const Tensor* t = call.Arg(static_cast<int>(i)).TryTensor();
    if (!t) continue;
    if (!IsPlain(t->meta)) break;
    Fail(ErrorClass::kTypeError, OpName(call) + " takes " + std::string(kKindNames[static_cast<int>(K)]) + ", not " +
                                     ToString(t->meta), {t});
  }
  FailUnserved(call);
}

// Kernels for other devices than the cpu alone.
void NotOnCpu(Call& call) {
  if (call.device().is_cpu())
    Fail(ErrorClass::kDeviceMismatch, OpName(call) + " does not run on the cpu");
  FailUnserved(call);
}

// Python's tensors are resized by resize_; this is the shape of an out tensor in composites on meta tensors.
void MetaAlone(Call& call) {
  if (!call.device().is_meta())
    Fail(ErrorClass::kDeviceMismatch, OpName(call) + " runs on meta tensors alone, not on " + call.device().str());
  FailUnserved(call);
}

// A mark for the allocator, which cuda's alone heeds.
void RecordStream(Call& call) {
  if (call.device().is_cpu()) NotOnCpu(call);
}

// The gradients that are asked for; weight's and bias's come together. Source: linear_backward in
// torch/_meta_registrations.py, torch 2.13. Kernels exist for nested tensors and mps.
void LinearBackward(Call& call) {
  const TensorMeta &input = call.Meta(0), &grad = call.Meta(1);
  if (input.rank() == 0 || grad.rank() == 0) FailShape(call, "does not take 0-dim tensors");
  const std::vector<bool> wanted = call.Bools(3);
  wanted[0] ? void(ReturnContiguous(call, input.size_span(), grad.dtype)) : call.ReturnNone();
  if (wanted[1] || wanted[2]) {
    ReturnContiguous(call, Dims{grad.sizes.back(), input.sizes.back()}, grad.dtype);
    ReturnContiguous(call, Dims{grad.sizes.back()}, grad.dtype);
  } else {
    call.ReturnNone();
    call.ReturnNone();
  }
}

constexpr RuleRow kRows[] = {
    {"aten::_coalesce", TakesKind<Kind::kSparse>},
    {"aten::_dimI", TakesKind<Kind::kSparse>},
    {"aten::_dimV", TakesKind<Kind::kSparse>},
    {"aten::_indices", TakesKind<Kind::kSparse>},
    {"aten::_sparse_broadcast_to", TakesKind<Kind::kSparse>},
    {"aten::_sparse_log_softmax", TakesKind<Kind::kSparse>},
    {"aten::_sparse_log_softmax_backward_data", TakesKind<Kind::kSparse>},
    {"aten::_sparse_mask_projection", TakesKind<Kind::kSparse>},
    {"aten::_sparse_softmax", TakesKind<Kind::kSparse>},
    {"aten::_sparse_softmax_backward_data", TakesKind<Kind::kSparse>},
    {"aten::_sparse_sparse_matmul", TakesKind<Kind::kSparse>},
    {"aten::_sparse_sum_backward", TakesKind<Kind::kSparse>},
    {"aten::_values", TakesKind<Kind::kSparse>},
    {"aten::hspmm", TakesKind<Kind::kSparse>},
    {"aten::native_norm", TakesKind<Kind::kSparse>},
    {"aten::native_norm.ScalarOpt_dim_dtype", TakesKind<Kind::kSparse>},
    {"aten::_nnz", TakesKind<Kind::kSparse>},
    {"aten::_sparse_csr_prod.dim_dtype", TakesKind<Kind::kCompressed>},
    {"aten::_sparse_csr_sum.dim_dtype", TakesKind<Kind::kCompressed>},
    {"aten::_sparse_mm_reduce_impl", TakesKind<Kind::kCompressed>},
    {"aten::_sparse_mm_reduce_impl_backward", TakesKind<Kind::kCompressed>},
    {"aten::sparse_sampled_addmm", TakesKind<Kind::kCompressed>},
    {"aten::dequantize.tensors", TakesKind<Kind::kQuantized>},
    {"aten::int_repr", TakesKind<Kind::kQuantized>},
    {"aten::q_per_channel_axis", TakesKind<Kind::kQuantized>},
    {"aten::q_per_channel_scales", TakesKind<Kind::kQuantized>},
    {"aten::q_per_channel_zero_points", TakesKind<Kind::kQuantized>},
    {"aten::q_scale", TakesKind<Kind::kQuantized>},
    {"aten::q_zero_point", TakesKind<Kind::kQuantized>},
    {"aten::qscheme", TakesKind<Kind::kQuantized>},
    {"aten::quantized_batch_norm", TakesKind<Kind::kQuantized>},
    {"aten::quantized_max_pool1d", TakesKind<Kind::kQuantized>},
    {"aten::quantized_max_pool2d", TakesKind<Kind::kQuantized>},
    {"aten::quantized_max_pool3d", TakesKind<Kind::kQuantized>},
    {"aten::_nested_from_padded_and_nested_example", TakesKind<Kind::kNested>},
    {"aten::_nested_select_backward", TakesKind<Kind::kNested>},
    {"aten::_nested_sum_backward", TakesKind<Kind::kNested>},
    {"aten::_nested_tensor_size", TakesKind<Kind::kNested>},
    {"aten::_nested_tensor_softmax_with_shape", TakesKind<Kind::kNested>},
    {"aten::_nested_tensor_storage_offsets", TakesKind<Kind::kNested>},
    {"aten::_nested_tensor_strides", TakesKind<Kind::kNested>},
    {"aten::matmul_backward", TakesKind<Kind::kNested>},
    {"aten::to_padded_tensor", TakesKind<Kind::kNested>},
    {"aten::_mkldnn_reshape", TakesKind<Kind::kMkldnn>},
    {"aten::_mkldnn_transpose", TakesKind<Kind::kMkldnn>},
    {"aten::mkldnn_adaptive_avg_pool2d", TakesKind<Kind::kMkldnn>},
    {"aten::mkldnn_adaptive_avg_pool2d_backward", TakesKind<Kind::kMkldnn>},
    {"aten::mkldnn_linear", TakesKind<Kind::kMkldnn>},
    {"aten::mkldnn_linear_backward", TakesKind<Kind::kMkldnn>},
    {"aten::mkldnn_linear_backward_input", TakesKind<Kind::kMkldnn>},
    {"aten::mkldnn_linear_backward_weights", TakesKind<Kind::kMkldnn>},
    {"aten::mkldnn_max_pool2d", TakesKind<Kind::kMkldnn>},
    {"aten::mkldnn_max_pool2d_backward", TakesKind<Kind::kMkldnn>},
    {"aten::mkldnn_max_pool3d", TakesKind<Kind::kMkldnn>},
    {"aten::mkldnn_max_pool3d_backward", TakesKind<Kind::kMkldnn>},
    {"aten::mkldnn_reorder_conv2d_weight", TakesKind<Kind::kMkldnn>},
    {"aten::mkldnn_reorder_conv3d_weight", TakesKind<Kind::kMkldnn>},
    {"aten::_conv_depthwise2d", NotOnCpu},
    {"aten::_cslt_compress", NotOnCpu},
    {"aten::_cslt_sparse_mm_search", NotOnCpu},
    {"aten::_cudnn_attention_backward", NotOnCpu},
    {"aten::_cudnn_attention_forward", NotOnCpu},
    {"aten::_cudnn_ctc_loss", NotOnCpu},
    {"aten::_cudnn_ctc_loss.Tensor", NotOnCpu},
    {"aten::_cudnn_rnn_backward", NotOnCpu},
    {"aten::_cudnn_rnn_flatten_weight", NotOnCpu},
    {"aten::_lstm_mps", NotOnCpu},
    {"aten::_mixed_dtypes_linear", NotOnCpu},
    {"aten::_mps_convolution", NotOnCpu},
    {"aten::_mps_convolution_transpose", NotOnCpu},
    {"aten::_scaled_grouped_mm_v2", NotOnCpu},
    {"aten::_sparse_semi_structured_apply", NotOnCpu},
    {"aten::_sparse_semi_structured_apply_dense", NotOnCpu},
    {"aten::_sparse_semi_structured_tile", NotOnCpu},
    {"aten::_spsolve", NotOnCpu},
    {"aten::_thnn_fused_gru_cell_backward", NotOnCpu},
    {"aten::_triton_multi_head_attention", NotOnCpu},
    {"aten::_triton_scaled_dot_attention", NotOnCpu},
    {"aten::_use_cudnn_ctc_loss", NotOnCpu},
    {"aten::_use_cudnn_ctc_loss.Tensor", NotOnCpu},
    {"aten::_use_miopen_ctc_loss", NotOnCpu},
    {"aten::_use_miopen_ctc_loss.Tensor", NotOnCpu},
    {"aten::batch_norm_backward_elemt", NotOnCpu},
    {"aten::batch_norm_backward_reduce", NotOnCpu},
    {"aten::batch_norm_elemt", NotOnCpu},
    {"aten::batch_norm_gather_stats", NotOnCpu},
    {"aten::batch_norm_gather_stats_with_counts", NotOnCpu},
    {"aten::batch_norm_stats", NotOnCpu},
    {"aten::conv_depthwise3d", NotOnCpu},
    {"aten::cudnn_affine_grid_generator", NotOnCpu},
    {"aten::cudnn_affine_grid_generator_backward", NotOnCpu},
    {"aten::cudnn_convolution", NotOnCpu},
    {"aten::cudnn_convolution_add_relu", NotOnCpu},
    {"aten::cudnn_convolution_relu", NotOnCpu},
    {"aten::cudnn_convolution_transpose", NotOnCpu},
    {"aten::cudnn_grid_sampler", NotOnCpu},
    {"aten::cudnn_grid_sampler_backward", NotOnCpu},
    {"aten::lstm_mps_backward", NotOnCpu},
    {"aten::max_pool2d_backward", NotOnCpu},
    {"aten::miopen_convolution", NotOnCpu},
    {"aten::miopen_convolution_add_relu", NotOnCpu},
    {"aten::miopen_convolution_relu", NotOnCpu},
    {"aten::miopen_convolution_transpose", NotOnCpu},
    {"aten::miopen_ctc_loss", NotOnCpu},
    {"aten::miopen_ctc_loss.Tensor", NotOnCpu},
    {"aten::miopen_depthwise_convolution", NotOnCpu},
    {"aten::miopen_rnn_backward", NotOnCpu},
    {"aten::mps_convolution_backward", NotOnCpu},
    {"aten::mps_convolution_transpose_backward", NotOnCpu},
    {"aten::sparse_mask", TakesKind<Kind::kSparse>},
    {"aten::_resize_output", MetaAlone},
    {"aten::linear_backward", LinearBackward},
    {"aten::record_stream", RecordStream},
};

}  // namespace

RuleRows LayoutRules() { return kRows; }

}  // namespace fakeprop
