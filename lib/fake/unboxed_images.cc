// Unboxed kernels of layers and losses. Most of these operators take lists.
#include "lib/fake/unboxed_kernel.h"

#include <ATen/ops/_adaptive_avg_pool2d_ops.h>
#include <ATen/ops/_adaptive_avg_pool3d_ops.h>
#include <ATen/ops/_slow_conv2d_forward_ops.h>
#include <ATen/ops/_upsample_bicubic2d_aa_backward_ops.h>
#include <ATen/ops/_upsample_bicubic2d_aa_ops.h>
#include <ATen/ops/_upsample_bilinear2d_aa_backward_ops.h>
#include <ATen/ops/_upsample_bilinear2d_aa_ops.h>
#include <ATen/ops/_upsample_nearest_exact1d_backward_ops.h>
#include <ATen/ops/_upsample_nearest_exact1d_ops.h>
#include <ATen/ops/_upsample_nearest_exact2d_backward_ops.h>
#include <ATen/ops/_upsample_nearest_exact2d_ops.h>
#include <ATen/ops/_upsample_nearest_exact3d_backward_ops.h>
#include <ATen/ops/_upsample_nearest_exact3d_ops.h>
#include <ATen/ops/adaptive_max_pool2d_ops.h>
#include <ATen/ops/adaptive_max_pool3d_ops.h>
#include <ATen/ops/avg_pool2d_backward_ops.h>
#include <ATen/ops/avg_pool2d_ops.h>
#include <ATen/ops/avg_pool3d_backward_ops.h>
#include <ATen/ops/avg_pool3d_ops.h>
#include <ATen/ops/constant_pad_nd_ops.h>
#include <ATen/ops/convolution_backward_ops.h>
#include <ATen/ops/convolution_ops.h>
#include <ATen/ops/fractional_max_pool2d_backward_ops.h>
#include <ATen/ops/fractional_max_pool2d_ops.h>
#include <ATen/ops/fractional_max_pool3d_ops.h>
#include <ATen/ops/max_pool2d_with_indices_backward_ops.h>
#include <ATen/ops/max_pool2d_with_indices_ops.h>
#include <ATen/ops/max_pool3d_with_indices_backward_ops.h>
#include <ATen/ops/max_pool3d_with_indices_ops.h>
#include <ATen/ops/native_batch_norm_ops.h>
#include <ATen/ops/native_group_norm_ops.h>
#include <ATen/ops/native_layer_norm_backward_ops.h>
#include <ATen/ops/native_layer_norm_ops.h>
#include <ATen/ops/nll_loss_backward_ops.h>
#include <ATen/ops/nll_loss_forward_ops.h>
#include <ATen/ops/reflection_pad1d_backward_ops.h>
#include <ATen/ops/reflection_pad1d_ops.h>
#include <ATen/ops/reflection_pad2d_backward_ops.h>
#include <ATen/ops/reflection_pad2d_ops.h>
#include <ATen/ops/reflection_pad3d_backward_ops.h>
#include <ATen/ops/reflection_pad3d_ops.h>
#include <ATen/ops/replication_pad1d_backward_ops.h>
#include <ATen/ops/replication_pad1d_ops.h>
#include <ATen/ops/replication_pad2d_backward_ops.h>
#include <ATen/ops/replication_pad2d_ops.h>
#include <ATen/ops/replication_pad3d_backward_ops.h>
#include <ATen/ops/replication_pad3d_ops.h>
#include <ATen/ops/slow_conv_transpose2d_ops.h>
#include <ATen/ops/upsample_bicubic2d_backward_ops.h>
#include <ATen/ops/upsample_bicubic2d_ops.h>
#include <ATen/ops/upsample_bilinear2d_backward_ops.h>
#include <ATen/ops/upsample_bilinear2d_ops.h>
#include <ATen/ops/upsample_linear1d_backward_ops.h>
#include <ATen/ops/upsample_linear1d_ops.h>
#include <ATen/ops/upsample_nearest1d_backward_ops.h>
#include <ATen/ops/upsample_nearest1d_ops.h>
#include <ATen/ops/upsample_nearest2d_backward_ops.h>
#include <ATen/ops/upsample_nearest2d_ops.h>
#include <ATen/ops/upsample_nearest3d_backward_ops.h>
#include <ATen/ops/upsample_nearest3d_ops.h>
#include <ATen/ops/upsample_trilinear3d_backward_ops.h>
#include <ATen/ops/upsample_trilinear3d_ops.h>

namespace fakeprop::fake {

namespace {

using ImageKernels = UnboxedKernels<at::_ops::_adaptive_avg_pool2d, at::_ops::_adaptive_avg_pool3d,
    at::_ops::_slow_conv2d_forward, at::_ops::_upsample_bicubic2d_aa, at::_ops::_upsample_bicubic2d_aa_backward,
    at::_ops::_upsample_bicubic2d_aa_backward_grad_input, at::_ops::_upsample_bicubic2d_aa_out,
    at::_ops::_upsample_bilinear2d_aa, at::_ops::_upsample_bilinear2d_aa_backward,
    at::_ops::_upsample_bilinear2d_aa_backward_grad_input, at::_ops::_upsample_bilinear2d_aa_out,
    at::_ops::_upsample_nearest_exact1d, at::_ops::_upsample_nearest_exact1d_backward,
    at::_ops::_upsample_nearest_exact1d_backward_grad_input, at::_ops::_upsample_nearest_exact2d,
    at::_ops::_upsample_nearest_exact2d_backward, at::_ops::_upsample_nearest_exact2d_backward_grad_input,
    at::_ops::_upsample_nearest_exact3d, at::_ops::_upsample_nearest_exact3d_backward,
    at::_ops::_upsample_nearest_exact3d_backward_grad_input, at::_ops::_upsample_nearest_exact3d_out,
    at::_ops::adaptive_max_pool2d, at::_ops::adaptive_max_pool2d_out, at::_ops::adaptive_max_pool3d,
    at::_ops::adaptive_max_pool3d_out, at::_ops::avg_pool2d, at::_ops::avg_pool2d_backward,
    at::_ops::avg_pool2d_backward_grad_input, at::_ops::avg_pool2d_out, at::_ops::avg_pool3d,
    at::_ops::avg_pool3d_backward, at::_ops::avg_pool3d_backward_grad_input, at::_ops::avg_pool3d_out,
    at::_ops::constant_pad_nd, at::_ops::convolution, at::_ops::convolution_backward, at::_ops::fractional_max_pool2d,
    at::_ops::fractional_max_pool2d_backward, at::_ops::fractional_max_pool2d_backward_grad_input,
    at::_ops::fractional_max_pool2d_output, at::_ops::fractional_max_pool3d, at::_ops::fractional_max_pool3d_output,
    at::_ops::max_pool2d_with_indices, at::_ops::max_pool2d_with_indices_backward,
    at::_ops::max_pool2d_with_indices_backward_grad_input, at::_ops::max_pool2d_with_indices_out,
    at::_ops::max_pool3d_with_indices, at::_ops::max_pool3d_with_indices_backward,
    at::_ops::max_pool3d_with_indices_backward_grad_input, at::_ops::max_pool3d_with_indices_out,
    at::_ops::native_batch_norm, at::_ops::native_group_norm, at::_ops::native_layer_norm,
    at::_ops::native_layer_norm_backward, at::_ops::nll_loss_backward, at::_ops::nll_loss_backward_grad_input,
    at::_ops::nll_loss_forward, at::_ops::nll_loss_forward_output, at::_ops::reflection_pad1d,
    at::_ops::reflection_pad1d_backward, at::_ops::reflection_pad1d_out, at::_ops::reflection_pad2d,
    at::_ops::reflection_pad2d_backward, at::_ops::reflection_pad3d, at::_ops::reflection_pad3d_backward,
    at::_ops::reflection_pad3d_backward_grad_input, at::_ops::reflection_pad3d_out, at::_ops::replication_pad1d,
    at::_ops::replication_pad1d_backward, at::_ops::replication_pad1d_out, at::_ops::replication_pad2d,
    at::_ops::replication_pad2d_backward, at::_ops::replication_pad2d_out, at::_ops::replication_pad3d,
    at::_ops::replication_pad3d_backward, at::_ops::replication_pad3d_out, at::_ops::slow_conv_transpose2d,
    at::_ops::upsample_bicubic2d, at::_ops::upsample_bicubic2d_out, at::_ops::upsample_bicubic2d_backward,
    at::_ops::upsample_bicubic2d_backward_grad_input, at::_ops::upsample_bilinear2d,
    at::_ops::upsample_bilinear2d_backward, at::_ops::upsample_bilinear2d_backward_grad_input,
    at::_ops::upsample_bilinear2d_out, at::_ops::upsample_linear1d, at::_ops::upsample_linear1d_backward,
    at::_ops::upsample_linear1d_backward_grad_input, at::_ops::upsample_nearest1d,
    at::_ops::upsample_nearest1d_backward, at::_ops::upsample_nearest1d_backward_grad_input,
    at::_ops::upsample_nearest2d, at::_ops::upsample_nearest2d_backward,
    at::_ops::upsample_nearest2d_backward_grad_input, at::_ops::upsample_nearest2d_out, at::_ops::upsample_nearest3d,
    at::_ops::upsample_nearest3d_backward, at::_ops::upsample_nearest3d_backward_grad_input,
    at::_ops::upsample_nearest3d_out, at::_ops::upsample_trilinear3d, at::_ops::upsample_trilinear3d_backward,
    at::_ops::upsample_trilinear3d_backward_grad_input, at::_ops::upsample_trilinear3d_out>;

}  // namespace

void RegisterUnboxedKernelsForImages() { ImageKernels::Register(); }

}  // namespace fakeprop::fake
