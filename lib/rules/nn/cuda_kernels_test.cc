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

constexpr CallCase kConvolutions[] = {
    {"cudnn_convolution(f32[2,4,8,8]@cuda:0, f32[6,2,3,3]@cuda:0, [1,1], [2,2], [1,1], 2, False, False, True)",
        "f32[2,6,4,4]@cuda:0"},
    {"cudnn_convolution(f32[2,4,8,8]{256,1,32,4}@cuda:0, f32[6,4,3,3]@cuda:0, [0,0], [1,1], [1,1], 1, False, False, "
     "True)",
        "f32[2,6,6,6]{216,1,36,6}@cuda:0"},
    {"cudnn_convolution(f64[2,4,8,8]{256,1,32,4}@cuda:0, f64[6,4,3,3]@cuda:0, [0,0], [1,1], [1,1], 1, False, False, "
     "True)",
        "f64[2,6,6,6]@cuda:0"},
    {"cudnn_convolution(f32[2,4,5,8,8]@cuda:0, f32[6,4,3,3,3]{108,1,36,12,4}@cuda:0, [0,0,0], [1,1,1], [1,1,1], 1, "
     "False, False, True)",
        "f32[2,6,3,6,6]{648,1,216,36,6}@cuda:0"},
    {"cudnn_convolution(f32[2,4,8,8]@cuda:0, f32[6,3,3,3]@cuda:0, [0,0], [1,1], [1,1], 1, False, False, True)",
        "!ShapeMismatch"},
    {"cudnn_convolution(f32[2,4,8,8], f32[6,4,3,3], [0,0], [1,1], [1,1], 1, False, False, True)", "!DeviceMismatch"},
    {"cudnn_convolution_relu(f16[2,4,8,8]{256,1,32,4}@cuda:0, f16[6,4,3,3]@cuda:0, f16[6]@cuda:0, [1,1], [0,0], [1,1], "
     "1)",
        "f16[2,6,6,6]{216,1,36,6}@cuda:0"},
    {"cudnn_convolution_relu(f32[2,4,5,8,8]@cuda:0, f32[6,4,3,3,3]@cuda:0, None, [1,1,1], [0,0,0], [1,1,1], 1)",
        "f32[2,6,3,6,6]@cuda:0"},
    {"cudnn_convolution_relu(f32[2,4,8,8]@cuda:0, f32[6,4,3,3]@cuda:0, f32[5]@cuda:0, [1,1], [0,0], [1,1], 1)",
        "!ShapeMismatch"},
    {"cudnn_convolution_add_relu(f32[2,4,8,8]{256,1,32,4}@cuda:0, f32[6,4,3,3]@cuda:0, f32[2,6,6,6]@cuda:0, 2, "
     "f32[6]@cuda:0, [1,1], [0,0], [1,1], 1)",
        "f32[2,6,6,6]{216,1,36,6}@cuda:0"},
    {"cudnn_convolution_add_relu(f32[2,4,5,8,8]@cuda:0, f32[6,4,3,3,3]@cuda:0, f32[2,6,3,6,6]@cuda:0, None, None, "
     "[1,1,1], [0,0,0], [1,1,1], 1)",
        "f32[2,6,3,6,6]@cuda:0"},
    {"cudnn_convolution_add_relu(f32[2,4,8,8]@cuda:0, f32[6,4,3,3]@cuda:0, f32[2,6,5,5]@cuda:0, None, None, [1,1], "
     "[0,0], [1,1], 1)",
        "!ShapeMismatch"},
    {"cudnn_convolution_transpose(f32[2,4,8,8]@cuda:0, f32[4,3,3,3]@cuda:0, [1,1], [1,1], [2,2], [1,1], 2, False, "
     "False, True)",
        "f32[2,6,16,16]@cuda:0"},
    {"cudnn_convolution_transpose(f32[2,4,8,8]{256,1,32,4}@cuda:0, f32[4,6,3,3]@cuda:0, [0,0], [0,0], [1,1], [1,1], 1, "
     "False, False, True)",
        "f32[2,6,10,10]{600,1,60,6}@cuda:0"},
    {"cudnn_convolution_transpose(f32[2,4,8]@cuda:0, f32[4,3,3,3]@cuda:0, [1,1], [1,1], [2,2], [1,1], 2, False, False, "
     "True)",
        "!ShapeMismatch"},
    {"miopen_convolution(f32[2,4,8,8]{256,1,32,4}@cuda:0, f32[6,4,3,3]@cuda:0, f32[6]@cuda:0, [0,0], [1,1], [1,1], 1, "
     "False, False)",
        "f32[2,6,6,6]@cuda:0"},
    {"miopen_convolution(f32[2,4,5,8,8]@cuda:0, f32[6,4,3,3,3]@cuda:0, None, [0,0,0], [1,1,1], [1,1,1], 1, False, "
     "False)",
        "f32[2,6,3,6,6]@cuda:0"},
    {"miopen_convolution(f32[2,4,8,8]@cuda:0, f32[6,4,9,9]@cuda:0, None, [0,0], [1,1], [1,1], 1, False, False)",
        "!ShapeMismatch"},
    {"miopen_convolution_relu(f32[2,4,8,8]{256,1,32,4}@cuda:0, f32[6,4,3,3]@cuda:0, f32[6]@cuda:0, [1,1], [0,0], "
     "[1,1], 1)",
        "f32[2,6,6,6]@cuda:0"},
    {"miopen_convolution_relu(f32[4,8,8]@cuda:0, f32[6,4,3,3]@cuda:0, None, [1,1], [0,0], [1,1], 1)", "!ShapeMismatch"},
    {"miopen_convolution_add_relu(f32[2,4,8,8]{256,1,32,4}@cuda:0, f32[6,4,3,3]@cuda:0, f32[2,6,6,6]@cuda:0, 1, "
     "f32[6]@cuda:0, [1,1], [0,0], [1,1], 1)",
        "f32[2,6,6,6]@cuda:0"},
    {"miopen_convolution_add_relu(f32[4,8,8]@cuda:0, f32[6,4,3,3]@cuda:0, f32[6,6,6]@cuda:0, 1, None, [1,1], [0,0], "
     "[1,1], 1)",
        "!ShapeMismatch"},
    {"miopen_convolution_transpose(f32[2,4,8,8]{256,1,32,4}@cuda:0, f32[4,6,3,3]@cuda:0, f32[6]@cuda:0, [0,0], [0,0], "
     "[1,1], [1,1], 1, False, False)",
        "f32[2,6,10,10]@cuda:0"},
    {"miopen_convolution_transpose(f32[4,8,8]@cuda:0, f32[4,6,3,3]@cuda:0, None, [0,0], [0,0], [1,1], [1,1], 1, False, "
     "False)",
        "!ShapeMismatch"},
    {"miopen_depthwise_convolution(f32[2,4,8,8]{256,1,32,4}@cuda:0, f32[8,1,3,3]@cuda:0, None, [0,0], [1,1], [1,1], 4, "
     "False, False)",
        "f32[2,8,6,6]@cuda:0"},
    {"miopen_depthwise_convolution(f32[4,8,8]@cuda:0, f32[8,1,3,3]@cuda:0, None, [0,0], [1,1], [1,1], 4, False, "
     "False)",
        "!ShapeMismatch"},
    {"_mps_convolution(f32[2,4,8,8]{256,1,32,4}@mps:0, f32[6,4,3,3]@mps:0, f32[6]@mps:0, [0,0], [1,1], [1,1], 1)",
        "f32[2,6,6,6]{216,1,36,6}@mps:0"},
    {"_mps_convolution(f32[2,4,5,8,8]{1280,1,256,32,4}@mps:0, f32[6,4,3,3,3]@mps:0, None, [0,0,0], [1,1,1], [1,1,1], "
     "1)",
        "f32[2,6,3,6,6]@mps:0"},
    {"_mps_convolution(f32[2,4,8,8]@mps:0, f32[6,3,3,3]@mps:0, None, [0,0], [1,1], [1,1], 1)", "!ShapeMismatch"},
    {"_mps_convolution(i64[2,4,8,8]@mps:0, i64[6,4,3,3]@mps:0, None, [0,0], [1,1], [1,1], 1)", "!DtypeMismatch"},
    {"_mps_convolution_transpose(f32[2,4,8,8]{256,1,32,4}@mps:0, f32[4,6,3,3]@mps:0, [0,0], [0,0], [1,1], [1,1], 1)",
        "f32[2,6,10,10]@mps:0"},
    {"_mps_convolution_transpose(f32[4,8,8]@mps:0, f32[4,6,3,3]@mps:0, [0,0], [0,0], [1,1], [1,1], 1)",
        "!ShapeMismatch"},
    {"mps_convolution_backward(f32[2,4,8,8]{256,1,32,4}@mps:0, f32[2,6,6,6]{216,1,36,6}@mps:0, f32[6,4,3,3]@mps:0, "
     "[0,0], [1,1], [1,1], 1, [True,True,True])",
        "f32[2,4,8,8]@mps:0, f32[6,4,3,3]@mps:0, f32[6]@mps:0"},
    {"mps_convolution_backward(f32[2,4,5,8,8]@mps:0, f32[2,6,3,6,6]@mps:0, f32[6,4,3,3,3]@mps:0, [0,0,0], [1,1,1], "
     "[1,1,1], 1, [False,True,False])",
        "None, f32[6,4,3,3,3]@mps:0, None"},
    {"mps_convolution_backward(f32[2,4,8,8]@mps:0, f32[2,6,5,6]@mps:0, f32[6,4,3,3]@mps:0, [0,0], [1,1], [1,1], 1, "
     "[True,True,True])",
        "!ShapeMismatch"},
    {"mps_convolution_transpose_backward(f32[2,4,8,8]@mps:0, f32[2,6,10,10]{600,1,60,6}@mps:0, f32[4,6,3,3]@mps:0, "
     "[0,0], [0,0], [1,1], [1,1], 1, [True,True])",
        "f32[2,4,8,8]{256,1,32,4}@mps:0, f32[4,6,3,3]@mps:0"},
    {"mps_convolution_transpose_backward(f32[4,8,8]@mps:0, f32[2,6,10,10]@mps:0, f32[4,6,3,3]@mps:0, [0,0], [0,0], "
     "[1,1], [1,1], 1, [True,True])",
        "!ShapeMismatch"},
};

constexpr CallCase kOthers[] = {
    {"cudnn_grid_sampler(f32[2,3,4,5]{60,1,15,3}@cuda:0, f32[2,6,7,2]@cuda:0)", "f32[2,3,6,7]@cuda:0"},
    {"cudnn_grid_sampler(f32[2,3,4,5]@cuda:0, f32[2,6,7,3]@cuda:0)", "!ShapeMismatch"},
    {"cudnn_grid_sampler(f32[3,4,5]@cuda:0, f32[6,7,2]@cuda:0)", "!ShapeMismatch"},
    {"cudnn_grid_sampler_backward(f32[2,3,4,5]{60,1,15,3}@cuda:0, f32[2,6,7,2]@cuda:0, f32[2,3,6,7]@cuda:0)",
        "f32[2,3,4,5]@cuda:0, f32[2,6,7,2]@cuda:0"},
    {"cudnn_grid_sampler_backward(f32[3,4,5]@cuda:0, f32[6,7,2]@cuda:0, f32[3,6,7]@cuda:0)", "!ShapeMismatch"},
    {"cudnn_affine_grid_generator(f32[2,2,3]@cuda:0, 2, 3, 4, 5)", "f32[2,4,5,2]@cuda:0"},
    {"cudnn_affine_grid_generator(f32[2,2,3]{1,2,4}@cuda:0, 2, 3, 4, 5)", "!ShapeMismatch"},
    {"cudnn_affine_grid_generator(f32[2,3]@cuda:0, 2, 3, 4, 5)", "!ShapeMismatch"},
    {"cudnn_affine_grid_generator_backward(f32[2,4,5,2]@cuda:0, 2, 3, 4, 5)", "f32[2,2,3]@cuda:0"},
    {"cudnn_affine_grid_generator_backward(f32[2,4,5,2]{1,2,8,40}@cuda:0, 2, 3, 4, 5)", "!ShapeMismatch"},
    {"cudnn_affine_grid_generator_backward(f32[2,20,2]@cuda:0, 2, 3, 4, 5)", "!ShapeMismatch"},
    {"max_pool2d_backward(f32[2,3,4,4]@mps:0, f32[2,3,8,8]{192,1,24,3}@mps:0, [2,2])",
        "f32[2,3,8,8]{192,1,24,3}@mps:0"},
    {"max_pool2d_backward(f32[2,3,4,4]@mps:0, f32[2,3,8,8]{192,64,1,8}@mps:0, [2,2])", "f32[2,3,8,8]@mps:0"},
    {"max_pool2d_backward(f32[0,3,4,4]@mps:0, f32[0,3,8,8]{192,1,24,3}@mps:0, [2,2])", "f32[0,3,8,8]@mps:0"},
    {"max_pool2d_backward(f32[3,4,4]@mps:0, f32[3,8,8]@mps:0, [2,2])", "f32[3,8,8]@mps:0"},
    {"max_pool2d_backward(f32[2,3,4]@mps:0, f32[2,3,8,8]@mps:0, [2,2])", "!ShapeMismatch"},
    {"_mixed_dtypes_linear(f16[5,64]@cuda:0, u8[64,128]@cuda:0, f16[128]@cuda:0)", "f16[5,128]@cuda:0"},
    {"_mixed_dtypes_linear(bf16[2,5,64]{1,128,2}@cuda:0, u8[64,64]@cuda:0, bf16[128]@cuda:0, bias=bf16[128]@cuda:0, "
     "activation=\"relu\")",
        "bf16[2,5,128]@cuda:0"},
    {"_mixed_dtypes_linear(f16[64]@cuda:0, u8[64,128]@cuda:0, f16[128]@cuda:0)", "f16[128]@cuda:0"},
    {"_mixed_dtypes_linear(f16[5,64]@cuda:0, u8[64,100]@cuda:0, f16[128]@cuda:0)", "!ShapeMismatch"},
    {"_mixed_dtypes_linear(f16[5,60]@cuda:0, u8[60,128]@cuda:0, f16[128]@cuda:0)", "!ShapeMismatch"},
    {"_mixed_dtypes_linear(f16[5,64]@cuda:0, u8[64,100]@cuda:0, f16[100]@cuda:0)", "!ShapeMismatch"},
    {"_mixed_dtypes_linear(f16[5,64]{1,5}@cuda:0, u8[64,128]@cuda:0, f16[128]@cuda:0)", "!ShapeMismatch"},
    {"_mixed_dtypes_linear(f16[5,64]@cuda:0, u8[64,128]{1,64}@cuda:0, f16[128]@cuda:0)", "!ShapeMismatch"},
    {"_mixed_dtypes_linear(f16[5,64]@cuda:0, u8[64,128]@cuda:0, f16[128]@cuda:0, activation=\"relu\")", "!ValueError"},
    {"_mixed_dtypes_linear(f16[5,64]@cuda:0, u8[64,128]@cuda:0, f16[128]@cuda:0, bias=f16[128]@cuda:0, "
     "activation=\"gelu\")",
        "!ValueError"},
    {"_mixed_dtypes_linear(f32[5,64]@cuda:0, u8[64,128]@cuda:0, f32[128]@cuda:0)", "!DtypeMismatch"},
};

constexpr CallCase kCtc[] = {
    {"miopen_ctc_loss(f32[5,2,3]{1,5,10}@cuda:0, i32[7], [5,5], [4,3], 0, False, False)",
        "f32[2]@cuda:0, f32[5,2,3]@cuda:0"},
    {"miopen_ctc_loss(f32[5,3]@cuda:0, i32[4], [5], [4], 0, False, False)", "!ShapeMismatch"},
    {"miopen_ctc_loss.Tensor(f32[5,2,3]{1,5,10}@cuda:0, i32[7], i64[2], i64[2], 0, False, False)",
        "f32[2]@cuda:0, f32[5,2,3]@cuda:0"},
    {"miopen_ctc_loss.Tensor(f32[5,3]@cuda:0, i32[4], i64[1], i64[1], 0, False, False)", "!ShapeMismatch"},
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
TEST(CudaKernels, Convolutions) { CheckCalls(kConvolutions); }
TEST(CudaKernels, Others) { CheckCalls(kOthers); }
TEST(CudaKernels, Ctc) { CheckCalls(kCtc); }

}  // namespace
}  // namespace fakeprop::testing
