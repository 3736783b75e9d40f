#include "lib/rules/testing/family_test.h"

namespace fakeprop::testing {
namespace {

constexpr CallCase kBatchNorm[] = {
    {"batch_norm_stats(f32[2,3,4]@cuda:0, 1e-05)", "f32[3]@cuda:0, f32[3]@cuda:0"},
    {"batch_norm_stats(f16[2,3]{1,2}@cuda:0, 1e-05)", "f32[3]@cuda:0, f32[3]@cuda:0"},
    {"batch_norm_stats(f64[2,3]@cuda:0, 1e-05)", "f64[3]@cuda:0, f64[3]@cuda:0"},
    {"batch_norm_stats(f32[2]@cuda:0, 1e-05)", "!ShapeMismatch"},
    {"batch_norm_elemt(f32[2,3,4]@cuda:0, f32[3]@cuda:0, None, f32[3]@cuda:0, f32[3]@cuda:0, 1e-05)",
        "f32[2,3,4]@cuda:0"},
    {"batch_norm_elemt(f32[2,3]{1,2}@cuda:0, None, None, f32[3]@cuda:0, f32[3]@cuda:0, 1e-05)", "f32[2,3]{1,2}@cuda:0"},
    {"batch_norm_elemt(f32[2,3,4]@cuda:0, None, None, f32[4]@cuda:0, f32[3]@cuda:0, 1e-05)", "!ShapeMismatch"},
    {"batch_norm_gather_stats(f32[2,3,4]@cuda:0, f32[5,3]@cuda:0, f32[5,3]@cuda:0, None, None, 0.1, 1e-05, 8)",
        "f32[3]@cuda:0, f32[3]@cuda:0"},
    {"batch_norm_gather_stats(f32[2,3]{1,2}@cuda:0, f32[5,3]@cuda:0, f32[5,3]@cuda:0, f32[3]@cuda:0, f32[3]@cuda:0, "
     "0.1, 1e-05, 8)",
        "f32[3]@cuda:0, f32[3]@cuda:0; writes 3; writes 4"},
    {"batch_norm_gather_stats(f32[2,3]@cuda:0, f32[3]@cuda:0, f32[3]@cuda:0, None, None, 0.1, 1e-05, 8)",
        "!ShapeMismatch"},
    {"batch_norm_gather_stats_with_counts(f32[2,3,4]@cuda:0, f16[5,3]@cuda:0, f16[5,3]@cuda:0, None, None, 0.1, "
     "1e-05, f32[5]@cuda:0)",
        "f32[3]@cuda:0, f32[3]@cuda:0"},
    {"batch_norm_gather_stats_with_counts(f32[2,3]{1,2}@cuda:0, f32[5,3]@cuda:0, f32[5,3]@cuda:0, None, None, 0.1, "
     "1e-05, f32[5]@cuda:0)",
        "f32[3]@cuda:0, f32[3]@cuda:0"},
    {"batch_norm_gather_stats_with_counts(f32[2,3]@cuda:0, f32[5,3]@cuda:0, f32[5,3]@cuda:0, None, None, 0.1, 1e-05, "
     "f32[4]@cuda:0)",
        "!ShapeMismatch"},
    {"batch_norm_backward_reduce(f32[2,3,4]@cuda:0, f32[2,3,4]@cuda:0, f32[3]@cuda:0, f32[3]@cuda:0, f32[3]@cuda:0, "
     "True, True, True)",
        "f32[3]@cuda:0, f32[3]@cuda:0, f32[3]@cuda:0, f32[3]@cuda:0"},
    {"batch_norm_backward_reduce(f32[2,3]{1,2}@cuda:0, f32[2,3]{1,2}@cuda:0, f32[3]@cuda:0, f32[3]@cuda:0, None, True, "
     "False, False)",
        "f32[3]@cuda:0, f32[3]@cuda:0, None, None"},
    {"batch_norm_backward_reduce(f32[2,4]@cuda:0, f32[2,3]@cuda:0, f32[3]@cuda:0, f32[3]@cuda:0, None, True, False, "
     "False)",
        "!ShapeMismatch"},
    {"batch_norm_backward_elemt(f32[2,3,4]@cuda:0, f32[2,3,4]@cuda:0, f32[3]@cuda:0, f32[3]@cuda:0, f32[3]@cuda:0, "
     "f32[3]@cuda:0, f32[3]@cuda:0, i32[2]@cuda:0)",
        "f32[2,3,4]@cuda:0"},
    {"batch_norm_backward_elemt(f32[2,3]{1,2}@cuda:0, f32[2,3]{1,2}@cuda:0, f32[3]@cuda:0, f32[3]@cuda:0, None, "
     "f32[3]@cuda:0, f32[3]@cuda:0, i32[2]@cuda:0)",
        "f32[2,3]@cuda:0"},
    {"batch_norm_backward_elemt(f32[2,4]@cuda:0, f32[2,3]@cuda:0, f32[3]@cuda:0, f32[3]@cuda:0, None, f32[3]@cuda:0, "
     "f32[3]@cuda:0, i32[2]@cuda:0)",
        "!ShapeMismatch"},
};

constexpr CallCase kDepthwise[] = {
    {"_conv_depthwise2d(f32[2,3,8,8]@cuda:0, f32[6,1,3,3]@cuda:0, [3,3], f32[6]@cuda:0, [2,2], [1,1], [1,1])",
        "f32[2,6,4,4]@cuda:0"},
    {"_conv_depthwise2d(f32[2,3,8,8]{192,1,24,3}@cuda:0, f32[3,1,3,3]@cuda:0, [3,3], None, [1,1], [0,0], [1,1])",
        "f32[2,3,6,6]@cuda:0"},
    {"_conv_depthwise2d(f32[2,3,8,8]@cuda:0, f32[3,2,3,3]@cuda:0, [3,3], None, [1,1], [0,0], [1,1])", "!ShapeMismatch"},
    {"_conv_depthwise2d(f32[3,8,8]@cuda:0, f32[3,1,3,3]@cuda:0, [3,3], None, [1,1], [0,0], [1,1])", "!ShapeMismatch"},
    {"conv_depthwise3d(f32[2,3,4,8,8]@cuda:0, f32[3,1,3,3,3]@cuda:0, [3,3,3], None, [1,1,1], [1,1,1], [1,1,1])",
        "f32[2,3,4,8,8]@cuda:0"},
    {"conv_depthwise3d(f32[2,3,4,8,8]{768,1,192,24,3}@cuda:0, f32[3,1,3,3,3]@cuda:0, [3,3,3], None, [1,1,1], [0,0,0], "
     "[1,1,1])",
        "f32[2,3,2,6,6]@cuda:0"},
    {"conv_depthwise3d(f32[2,3,8,8]@cuda:0, f32[3,1,3,3,3]@cuda:0, [3,3,3], None, [1,1,1], [1,1,1], [1,1,1])",
        "!ShapeMismatch"},
};

constexpr CallCase kCtc[] = {
    {"_use_cudnn_ctc_loss(f32[5,2,3], i64[2,4], [5,5], [4,3], 0)", "False"},
    {"_use_cudnn_ctc_loss(f32[5,2,3]{1,5,10}@cuda:0, i32[7], [5,5], [4,3], 0)", "True"},
    {"_use_cudnn_ctc_loss(f32[5,2,3]@cuda:0, i32[7], [5,4], [4,3], 0)", "False"},
    {"_use_cudnn_ctc_loss(f32[5,2,3]@cuda:0, i32[7], [5], [4,3], 0)", "!ShapeMismatch"},
    {"_use_cudnn_ctc_loss.Tensor(f32[5,2,3]@cuda:0, i32[7], i64[2], i64[2], 0)", "True"},
    {"_use_cudnn_ctc_loss.Tensor(f32[5,2,3]{1,5,10}@cuda:0, i32[2,4], i64[2], i64[2], 0)", "False"},
    {"_use_cudnn_ctc_loss.Tensor(f32[5,2,3]@cuda:0, i32[7], i64[], i64[], 0)", "!ShapeMismatch"},
    {"_use_miopen_ctc_loss(f32[5,2,3]@cuda:0, i64[2,4]@cuda:0, [5,5], [4,3], 0)", "False"},
    {"_use_miopen_ctc_loss(f32[5,3]{1,5}@cuda:0, i64[4]@cuda:0, [5], [4], 0)", "False"},
    {"_use_miopen_ctc_loss(f32[1,5,2,3]@cuda:0, i64[2,4]@cuda:0, [5,5], [4,3], 0)", "!ShapeMismatch"},
    {"_use_miopen_ctc_loss.Tensor(f32[5,2,3]@cuda:0, i64[2,4], i64[2], i64[2], 0)", "False"},
    {"_use_miopen_ctc_loss.Tensor(f32[5,3]{1,5}@cuda:0, i64[4], i64[1], i64[1], 0)", "False"},
    {"_use_miopen_ctc_loss.Tensor(f32[1,5,2,3]@cuda:0, i64[2,4], i64[2], i64[2], 0)", "!ShapeMismatch"},
    {"_cudnn_ctc_loss(f32[5,2,3]@cuda:0, i32[7], [5,5], [4,3], 0, False, False)", "f32[2]@cuda:0, f32[5,2,3]@cuda:0"},
    {"_cudnn_ctc_loss(f32[5,2,3]{1,5,10}@cuda:0, i32[7], [5,5], [4,3], 0, True, True)",
        "f32[2]@cuda:0, f32[5,2,3]@cuda:0"},
    {"_cudnn_ctc_loss(f32[5,3]@cuda:0, i32[4], [5], [4], 0, False, False)", "!ShapeMismatch"},
    {"_cudnn_ctc_loss.Tensor(f32[5,2,3]{1,5,10}@cuda:0, i32[7], i64[2], i64[2], 0, False, False)",
        "f32[2]@cuda:0, f32[5,2,3]@cuda:0"},
    {"_cudnn_ctc_loss.Tensor(f32[5,3]@cuda:0, i32[4], i64[1], i64[1], 0, False, False)", "!ShapeMismatch"},
};

TEST(CudaKernels, BatchNorm) { CheckCalls(kBatchNorm); }
TEST(CudaKernels, Depthwise) { CheckCalls(kDepthwise); }
TEST(CudaKernels, Ctc) { CheckCalls(kCtc); }

}  // namespace
}  // namespace fakeprop::testing
