#include "lib/rules/testing/family_test.h"

namespace fakeprop::testing {
namespace {

constexpr CallCase kUpsampling[] = {
    {"upsample_nearest1d(f32[2,3,4]{12,1,3}, [8])", "f32[2,3,8]"},
    {"upsample_nearest1d(f32[2,3,4], [8,8])", "!ValueError"},
    {"upsample_nearest2d(f32[2,3,4,4]{48,1,12,3}, [8,9])", "f32[2,3,8,9]{216,1,27,3}"},
    {"upsample_nearest2d(f32[2,3,4,4]{48,1,12,3}@cuda:0, [8,8])", "f32[2,3,8,8]{192,1,24,3}@cuda:0"},
    {"upsample_nearest2d(f32[2,3,4,4], [0,8])", "!ShapeMismatch"},
    {"upsample_nearest2d(f32[3,4,4], [8,8])", "!ShapeMismatch"},
    {"upsample_nearest3d(f32[2,3,4,4,4]{192,1,48,12,3}, [8,8,8])", "f32[2,3,8,8,8]{1536,1,192,24,3}"},
    {"_upsample_nearest_exact1d(f32[2,3,4], [8])", "f32[2,3,8]"},
    {"_upsample_nearest_exact2d(f32[2,3,4,4], [8,8])", "f32[2,3,8,8]"},
    {"upsample_linear1d(f32[2,3,4]{12,1,3}, [8], False)", "f32[2,3,8]"},
    {"upsample_bilinear2d(f32[2,3,4,4]{48,1,12,3}, [8,8], True)", "f32[2,3,8,8]{192,1,24,3}"},
    {"upsample_bilinear2d(f32[2,4,4,4]{64,1,16,4}@cuda:0, [8,8], False)", "f32[2,4,8,8]@cuda:0"},
    {"upsample_trilinear3d(f32[2,3,4,4,4]{192,1,48,12,3}, [8,8,8], False)", "f32[2,3,8,8,8]{1536,1,192,24,3}"},
    {"upsample_bicubic2d(f32[2,3,4,4]{48,1,12,3}, [8,8], False)", "f32[2,3,8,8]{192,1,24,3}"},
    {"_upsample_bilinear2d_aa(f32[2,3,4,4]{48,1,12,3}, [8,8], False)", "f32[2,3,8,8]{192,1,24,3}"},
    {"upsample_nearest2d.vec(f32[2,3,4,4], None, [2.0,1.5])", "f32[2,3,8,6]"},
    {"upsample_nearest2d.vec(f32[2,3,4,4,4], None, [2.0,1.5,1.0])", "!ShapeMismatch"},
    {"upsample_nearest2d.vec(f32[2,3,4,4]{48,1,12,3}, [7,7], None)", "f32[2,3,7,7]{147,1,21,3}"},
    {"upsample_nearest2d.vec(f32[2,3,4,4], [7,7], [2.0,2.0])", "!ValueError"},
    {"upsample_nearest2d.vec(f32[2,3,4,4], None, None)", "!ValueError"},
    {"upsample_nearest3d.vec(f32[2,3,4,4,4]{192,1,48,12,3}, None, [2.0,1.5,1.0])", "f32[2,3,8,6,4]{576,1,72,12,3}"},
    {"upsample_bilinear2d.vec(f32[2,3,4,4], None, False, [2.0,2.0])", "f32[2,3,8,8]"},
    {"upsample_bicubic2d.vec(f32[2,3,4,4]{48,1,12,3}, None, False, [2.0,1.3])", "f32[2,3,8,5]{120,1,15,3}"},
    {"upsample_linear1d.vec(f32[2,3,4], None, False, [0.5])", "f32[2,3,2]"},
    {"_upsample_bicubic2d_aa.out(f32[2,3,4,4]{48,1,12,3}@cuda:0, [8,8], False, out=f32[0]@cuda:0)",
        "arg(1); 1 := f32[2,3,8,8]{192,1,24,3}@cuda:0; writes 1"},
    {"_upsample_bicubic2d_aa.vec(f32[2,3,4,4]{48,1,12,3}, [2,2], False, None)", "f32[2,3,2,2]{12,1,6,3}"},
    {"upsample_nearest2d_backward(f32[2,3,8,8]{192,1,24,3}, [8,8], [2,3,4,4])", "f32[2,3,4,4]{48,1,12,3}"},
    {"upsample_nearest2d_backward(f32[2,3,8,9], [8,8], [2,3,4,4])", "!ShapeMismatch"},
    {"upsample_nearest3d_backward(f32[2,3,4,4,4]{192,1,48,12,3}, [4,4,4], [2,3,2,2,2])", "f32[2,3,2,2,2]"},
    {"upsample_bilinear2d_backward(f32[2,3,8,8]{192,1,24,3}, [8,8], [2,3,4,4], False)", "f32[2,3,4,4]{48,1,12,3}"},
    {"upsample_bicubic2d_backward(f32[2,3,8,8]{192,1,24,3}, [8,8], [2,3,4,4], False)", "f32[2,3,4,4]"},
    {"upsample_linear1d_backward(f32[2,3,8], [8], [2,3,4], False)", "f32[2,3,4]"},
    {"upsample_trilinear3d_backward(f32[2,3,4,4,4]{192,1,48,12,3}, [4,4,4], [2,3,2,2,2], False)",
        "f32[2,3,2,2,2]{24,1,12,6,3}"},
    {"_upsample_bilinear2d_aa_backward(f32[2,3,8,8]{192,1,24,3}, [8,8], [2,3,4,4], False)", "f32[2,3,4,4]{48,1,12,3}"},
    {"unfold_backward(f64[1,1,4,3], [10], 0, 3, 2)", "!ShapeMismatch"},
    {"grid_sampler_3d(f64[1,1,2,2,2], f32[1,1,0,10,3], 0, 1, False)", "f64[1,1,1,0,10]"},
    {"grid_sampler_2d(f64[1,1,2,2], f32[1,2,10,2], 0, 1, False)", "!DtypeMismatch"},
    {"_upsample_bilinear2d_aa(f16[2,3,5,5], [5,5], False)", "f16[2,3,5,5]"},
    {"_upsample_bicubic2d_aa(f16[2,3,5,4], [5,5], False)", "!DtypeMismatch"},
    {"_upsample_lanczos2d_aa.vec(i64[2,3,5,5], [5,5], False, None)", "i64[2,3,5,5]"},
    {"col2im.out(f32[12,12], [4,5], [2,2], [1,1], [0,0], [1,1], out=f32[3,4,5]{20,0,1})",
        "arg(1); 1 := f32[3,4,5]; writes 1"},
    {"_upsample_bilinear2d_aa.out(f32[6,3,10,20], [8,20], True, 0.8, 1.0, out=f32[6,3,8,20]{0,160,20,1})",
        "!ValueError"},
};

constexpr CallCase kGrids[] = {
    {"grid_sampler(f32[2,3,4,4]{48,1,12,3}, f32[2,5,6,2], 0, 0, False)", "f32[2,3,5,6]"},
    {"grid_sampler(f32[2,3,4,4,4], f32[2,5,6,7,3], 0, 0, False)", "f32[2,3,5,6,7]"},
    {"grid_sampler(f32[2,3,4,4], f32[2,5,6,3], 0, 0, False)", "!ShapeMismatch"},
    {"grid_sampler(f32[2,3,4,4,4], f32[2,5,6,7,3], 2, 0, False)", "f32[2,3,5,6,7]"},
    {"grid_sampler_2d(f32[2,3,4,4], f32[3,5,6,2], 0, 0, False)", "!ShapeMismatch"},
    {"grid_sampler_2d(f32[2,3,4,4], f32[2,5,6,2]{60,1,5,30}, 1, 0, False)", "f32[2,3,5,6]"},
    {"grid_sampler_3d(f32[2,3,4,4,4]{192,1,48,12,3}, f32[2,5,6,7,3], 0, 0, False)", "f32[2,3,5,6,7]"},
    {"grid_sampler_3d(f32[2,3,4,4], f32[2,5,6,2], 0, 0, False)", "!ShapeMismatch"},
    {"grid_sampler_2d_backward(f32[2,3,5,6], f32[2,3,4,4]{48,1,12,3}, f32[2,5,6,2], 0, 0, False, [True,True])",
        "f32[2,3,4,4], f32[2,5,6,2]"},
    {"grid_sampler_3d_backward(f32[2,3,5,6,7], f32[2,3,4,4,4], f32[2,5,6,7,3], 0, 0, False, [False,True])",
        "None, f32[2,5,6,7,3]"},
    {"affine_grid_generator(f32[2,2,3]{6,1,2}, [2,3,4,5], False)", "f32[2,4,5,2]"},
    {"affine_grid_generator(f32[2,3,4], [2,3,4,5,6], False)", "f32[2,4,5,6,3]"},
    {"affine_grid_generator(f32[2,2,4], [2,3,4,5], False)", "!ShapeMismatch"},
    {"affine_grid_generator_backward(f32[2,4,5,2], [2,3,4,5], False)", "f32[2,2,3]{6,1,2}"},
    {"affine_grid_generator_backward(f32[2,4,4,2], [2,3,4,5], False)", "!ShapeMismatch"},
};

constexpr CallCase kSlidingBlocks[] = {
    {"im2col(f32[2,3,8,8]{192,1,24,3}, [2,2], [1,1], [0,0], [2,2])", "f32[2,12,16]"},
    {"im2col(f32[3,8,8], [3,3], [2,2], [1,1], [1,1])", "f32[27,36]"},
    {"im2col(f32[3,8,8], [9,9], [1,1], [0,0], [1,1])", "!ShapeMismatch"},
    {"im2col(f32[3,8,8], [0,2], [1,1], [0,0], [1,1])", "!ValueError"},
    {"col2im(f32[2,12,16]{192,1,12}, [8,8], [2,2], [1,1], [0,0], [2,2])", "f32[2,3,8,8]"},
    {"col2im(f32[12,16], [8,8], [2,2], [1,1], [0,0], [2,2])", "f32[3,8,8]"},
    {"col2im(f32[12,15], [8,8], [2,2], [1,1], [0,0], [2,2])", "!ShapeMismatch"},
    {"col2im(f32[2,13,16], [8,8], [2,2], [1,1], [0,0], [2,2])", "!ShapeMismatch"},
    {"unfold_backward(f32[2,3,2]{1,4,2}, [2,7], 1, 2, 2)", "f32[2,7]"},
    {"unfold_backward(f32[2,3,2], [2,7], 2, 2, 2)", "!IndexOutOfRange"},
};

TEST(Resample, Upsampling) { CheckCalls(kUpsampling); }
TEST(Resample, Grids) { CheckCalls(kGrids); }
TEST(Resample, SlidingBlocks) { CheckCalls(kSlidingBlocks); }

}  // namespace
}  // namespace fakeprop::testing
