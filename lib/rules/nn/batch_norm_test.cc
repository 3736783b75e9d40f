#include "lib/rules/testing/family_test.h"

namespace fakeprop::testing {
namespace {

constexpr CallCase kForward[] = {
    {"instance_norm(f32[3,2,4], f32[2], bf16[2], None, None, True, 0.1, 1e-05, False)", "!DtypeMismatch"},
    {"instance_norm(bf16[3,2,4], f32[2], f32[2], None, None, True, 0.1, 1e-05, False)", "bf16[3,2,4]"},
    {"_native_batch_norm_legit.no_stats(f32[2,1,3], f32[6], None, True, 0.1, 1e-05)", "f32[2,1,3], f32[1], f32[1]"},
    {"_native_batch_norm_legit.no_stats(f32[2,1,3], f32[6]{0}, None, True, 0.1, 1e-05)", "f32[2,6,3], f32[1], f32[1]"},
    {"_batch_norm_no_update(f32[2,1,3], f32[6], f32[6], f32[6], f32[6]{0}, 0.1, 1e-05)",
        "f32[2,6,3], f32[0], f32[0], u8[0]"},
    {"_native_batch_norm_legit.no_stats_out(f32[2,1,3], f32[6]{0}, None, True, 0.1, 1e-05, out=f32[0], "
     "save_mean=f32[0], save_invstd=f32[0])",
        "arg(2), arg(3), arg(4); 2 := f32[2,6,3]; writes 2; 3 := f32[1]; writes 3; 4 := f32[1]; writes 4"},
    {"_native_batch_norm_legit.out(f32[1,2,3], None, None, f32[2], f32[2], True, 0.5, 1e-05, out=f32[1,2,3]{6,3,0}, "
     "save_mean=f32[2], save_invstd=f32[2])",
        "!ValueError"},
    {"native_batch_norm(f16[2,3,4], f32[3], f32[3], f32[3], f32[3], True, 0.1, 1e-05)",
        "f16[2,3,4], f32[3], f32[3]; writes 3; writes 4"},
    {"_batch_norm_no_update(f16[2,3,4], f32[3], f32[3], f32[3], f32[3], 0.1, 1e-05)",
        "f16[2,3,4], f32[0], f32[0], u8[0]"},
    {"batch_norm(f32[2,3,4]{12,1,3}, f16[3], f16[3], f32[3], f32[3], True, 0.1, 1e-05, False)", "!DtypeMismatch"},
    {"_native_batch_norm_legit(f32[0,3,4], f32[3], f32[3], f32[3], f32[3], True, 0.1, 1e-05)", "!ShapeMismatch"},
    {"native_batch_norm(f32[6,16,8]{128,1,16}, None, None, None, None, True, 0.1, 1e-05)",
        "f32[6,16,8], f32[16], f32[16]"},
    {"native_batch_norm(f32[2,3,1,1]{3,1,3,3}, None, None, None, None, True, 0.1, 1e-05)",
        "f32[2,3,1,1], f32[3], f32[3]"},
    {"native_batch_norm(f32[2,3,1,1]{3,1,3,3}, f32[3]{2}, None, None, None, True, 0.1, 1e-05)",
        "f32[2,3,1,1]{3,1,3,3}, f32[3], f32[3]"},
    {"_native_batch_norm_legit.no_stats(f32[0,3,4]@cuda:0, f32[3]@cuda:0, f32[3]@cuda:0, True, 0.1, 1e-05)",
        "f32[0,3,4]@cuda:0, f32[3]@cuda:0, f32[3]@cuda:0"},
    {"batch_norm(f32[2,3,4,5]{60,1,15,3}, f32[3], f32[3], f32[3], f32[3], True, 0.1, 1e-05, True)",
        "f32[2,3,4,5]{60,1,15,3}; writes 3; writes 4"},
    {"batch_norm_update_stats(bf16[2,3,4], f32[3], f32[3], 0.1)", "f32[3], f32[3]; writes 1; writes 2"},
    {"batch_norm_update_stats(f64[2,3,4], f32[3], f32[3], 0.1)", "!DtypeMismatch"},
    {"batch_norm_update_stats.out(f32[2,1,4], f32[3], f32[3], 0.1, out0=f32[3], out1=f32[3])",
        "arg(3), arg(4); writes 1; writes 2; 3 := f32[1]; writes 3; 4 := f32[1]; writes 4"},
    {"batch_norm(f32[2,3], None, None, f32[3], f32[3], False, 0.1, 1e-05, True)", "f32[2,3]"},
    {"batch_norm(f32[2,3,4], None, None, None, None, True, 0.1, 1e-05, True)", "f32[2,3,4]"},
    {"batch_norm(f32[0,3,4], f32[3], f32[3], f32[3], f32[3], True, 0.1, 1e-05, True)", "f32[0,3,4]"},
    {"batch_norm(f32[2,3,4], None, None, None, None, False, 0.1, 1e-05, True)", "!ValueError"},
    {"batch_norm(f32[2,3,4], f32[4], None, f32[3], f32[3], True, 0.1, 1e-05, True)", "!ShapeMismatch"},
    {"batch_norm(f32[2,3,4], None, None, f32[2], f32[3], True, 0.1, 1e-05, True)", "!ShapeMismatch"},
    {"batch_norm(i64[2,3,4], None, None, f32[3], f32[3], True, 0.1, 1e-05, True)", "!DtypeMismatch"},
    {"_batch_norm_impl_index(bf16[2,3,4], f32[3], f32[3], f32[3], f32[3], True, 0.1, 1e-05, True)",
        "bf16[2,3,4], f32[3], f32[3], u8[0], 0; writes 3; writes 4"},
    {"_batch_norm_impl_index(f32[0,3,4], f32[3], f32[3], f32[3], f32[3], True, 0.1, 1e-05, True)",
        "f32[0,3,4], f64[3], f64[3], u8[0], 0"},
    {"native_batch_norm(f32[2,3,4]{12,1,3}, f32[3], f32[3], f32[3], f32[3], True, 0.1, 1e-05)",
        "f32[2,3,4], f32[3], f32[3]; writes 3; writes 4"},
    {"native_batch_norm(f32[2,3,4], f32[3], f32[3], f32[3], f32[3], False, 0.1, 1e-05)", "f32[2,3,4], f32[0], f32[0]"},
    {"native_batch_norm(f16[2,3,4]@cuda:0, f32[3]@cuda:0, f32[3]@cuda:0, f32[3]@cuda:0, f32[3]@cuda:0, False, 0.1, "
     "1e-05)",
        "f16[2,3,4]@cuda:0, f32[3]@cuda:0, f32[3]@cuda:0"},
    {"native_batch_norm(f32[3], None, None, f32[3], f32[3], True, 0.1, 1e-05)", "!ShapeMismatch"},
    {"_native_batch_norm_legit(f32[2,3,4], f32[3], f32[3], f32[3], f32[3], True, 0.1, 1e-05)",
        "f32[2,3,4], f32[3], f32[3]; writes 3; writes 4"},
    {"_native_batch_norm_legit.no_stats(f32[2,3,4,5]{60,1,15,3}, f32[3], f32[3], True, 0.1, 1e-05)",
        "f32[2,3,4,5]{60,1,15,3}, f32[3], f32[3]"},
    {"_native_batch_norm_legit.out(f32[2,3,4], f32[3], f32[3], f32[3], f32[3], True, 0.1, 1e-05, out=f32[0], "
     "save_mean=f32[0], save_invstd=f32[0])",
        "arg(5), arg(6), arg(7); writes 3; writes 4; 5 := f32[2,3,4]; writes 5; 6 := f32[3]; writes 6; 7 := f32[3]; "
        "writes 7"},
    {"_native_batch_norm_legit_no_training(f32[2,3,4], f32[3], f32[3], f32[3], f32[3], 0.1, 1e-05)",
        "f32[2,3,4], f32[0], f32[0]"},
    // The kernel reads the first three.
    {"_native_batch_norm_legit_no_training(f32[2,3,4], f32[3], f32[3], f32[3], f32[4], 0.1, 1e-05)", "!ShapeMismatch"},
    {"_native_batch_norm_legit_functional(f32[2,3,4], f32[3], f32[3], f32[3], f32[3], True, 0.1, 1e-05)",
        "f32[2,3,4], f32[3], f32[3], f32[3], f32[3]"},
    {"_batch_norm_with_update(f32[2,3,4], f32[3], f32[3], f32[3], f32[3], 0.1, 1e-05)",
        "f32[2,3,4], f32[3], f32[3], u8[0]; writes 3; writes 4"},
    {"_batch_norm_with_update_functional(f32[2,3,4], f32[3], f32[3], f32[3], f32[3], 0.1, 1e-05)",
        "f32[2,3,4], f32[3], f32[3], u8[0], f32[3], f32[3]"},
    {"_batch_norm_no_update(f32[2,3,4], f32[3], f32[3], f32[3], f32[3], 0.1, 1e-05)",
        "f32[2,3,4], f32[0], f32[0], u8[0]"},
    {"_batch_norm_no_update(f32[2,3,4], f32[3], f32[3], None, None, 0.1, 1e-05)", "!ValueError"},
    {"batch_norm_update_stats(f32[2,3,4], f32[3], f32[3], 0.1)", "f32[3], f32[3]; writes 1; writes 2"},
    {"cudnn_batch_norm(f32[2,3,4]@cuda:0, f32[3]@cuda:0, f32[3]@cuda:0, f32[3]@cuda:0, f32[3]@cuda:0, False, 0.1, "
     "1e-05)",
        "f32[2,3,4]@cuda:0, f32[0]@cuda:0, f32[0]@cuda:0, u8[0]@cuda:0"},
    {"instance_norm(f32[2,3,4,5]{60,1,15,3}, f32[3], f32[3], f32[3], f32[3], True, 0.1, 1e-05, True)",
        "f32[2,3,4,5]; writes 3; writes 4"},
    {"instance_norm(f32[2,3,4], None, None, None, None, True, 0.1, 1e-05, True)", "f32[2,3,4]"},
    {"instance_norm(f32[2,3,4], None, None, None, f32[3], True, 0.1, 1e-05, True)", "!ValueError"},
    {"native_batch_norm.out(f16[5,3,5], None, None, None, None, True, 0.3, 0.001, out=f16[0], save_mean=f32[0], "
     "save_invstd=f32[0])",
        "!DtypeMismatch"},
    {"instance_norm(f32[2,3,4], None, None, f32[3], f64[3], False, 0.1, 1e-05, True)", "!DtypeMismatch"},
    {"instance_norm(f32[2,3,4], None, None, f64[3], f32[3], False, 0.1, 1e-05, True)", "f32[2,3,4]"},
    {"instance_norm(f16[2,3,4], f32[3], None, f16[3], f32[3], False, 0.1, 1e-05, True)", "f16[2,3,4]"},
    {"instance_norm(f32[2,3,4], None, None, None, None, False, 0.1, 1e-05, True)", "!ValueError"},
    {"batch_norm_update_stats(f32[2,6,5,7], f32[6], f32[1,1,6], 0.1)", "!ShapeMismatch"},
    {"miopen_batch_norm(f32[2,3,4,5]@cuda:0, f32[3]@cuda:0, f32[3]@cuda:0, f32[3]@cuda:0, f32[3]@cuda:0, True, 0.1, "
     "0.1)",
        "f32[2,3,4,5]@cuda:0, f32[3]@cuda:0, f32[3]@cuda:0"},
    {"miopen_batch_norm(f16[2,3,4,5]{60,1,15,3}@cuda:0, f32[3]@cuda:0, f32[3]@cuda:0, None, None, True, 0.1, 0.1)",
        "f16[2,3,4,5]{60,1,15,3}@cuda:0, f32[3]@cuda:0, f32[3]@cuda:0"},
    {"miopen_batch_norm(f32[2,3,4]@cuda:0, f32[3]@cuda:0, None, f32[3]@cuda:0, f32[3]@cuda:0, False, 0.1, 0.1)",
        "f32[2,3,4]@cuda:0, f32[0]@cuda:0, f32[0]@cuda:0"},
    {"miopen_batch_norm(f32[2,3,4]{1,2,6}@cuda:0, f32[3]@cuda:0, None, f32[3]@cuda:0, f32[3]@cuda:0, False, 0.1, 0.1)",
        "!ShapeMismatch"},
    {"miopen_batch_norm(f32[2,3,4,5], f32[3], f32[3], f32[3], f32[3], True, 0.1, 0.1)", "f32[2,3,4,5], f32[3], f32[3]"},
    {"_native_batch_norm_legit.no_stats_out(f32[4,8,2], None, None, True, 0.5, 1e-05, out=f32[4,4,8,2], "
     "save_mean=f32[8]{0}, save_invstd=f32[8])",
        "arg(1), arg(2), arg(3); 1 := f32[4,8,2]; writes 1; writes 2; writes 3"},
    {"_native_batch_norm_legit.no_stats_out(f32[4,8,2], f64[8], None, True, 0.5, 1e-05, out=f32[4,8,2], "
     "save_mean=f32[8], save_invstd=f32[8])",
        "!DtypeMismatch"},
    {"native_batch_norm.out(f32[2,5,3], None, None, None, None, True, 0.3, 0.001, out=f32[2,5,3], save_mean=f32[5], "
     "save_invstd=f32[5]{0})",
        "arg(1), arg(2), arg(3); writes 1; writes 2; writes 3"},
    {"native_batch_norm.out(f32[2,5,3], None, None, None, None, True, 0.3, 0.001, out=f32[2,5,3]{15,3,0}, "
     "save_mean=f32[5], save_invstd=f32[5])",
        "!ValueError"},
    {"instance_norm(f32[2,3,2,2], f32[3], f32[3], f64[3], i64[3], True, 0.3, 0.001, True)",
        "f32[2,3,2,2]; writes 3; writes 4"},
    {"instance_norm(f32[2,3,2,2], f64[3], f64[3], f64[3], f64[3], True, 0.3, 0.001, True)", "!DtypeMismatch"},
    {"_native_batch_norm_legit_no_training(f32[1,1,2,6]{1,12,1,2}, f32[6], None, f32[6], f32[6], 0.1, 1e-05)",
        "f32[1,6,2,6]{1,2,1,12}, f32[0], f32[0]"},
    {"_native_batch_norm_legit_no_training(f32[4,0,1,1], f32[0], f32[0], f32[0], f64[0], 0.1, 1e-5)",
        "f32[4,0,1,1], f32[0], f32[0]"},
    {"_native_batch_norm_legit_no_training(f32[4,0,1,1], f64[0], f32[0], f32[0], f32[0], 0.1, 1e-5)", "!DtypeMismatch"},
    {"_native_batch_norm_legit_no_training(f16[0,2,3,1], f32[2], f16[2], f32[2], f32[2], 0.1, 1e-5)", "!DtypeMismatch"},
    {"batch_norm(f32[4,0,1,1], f32[0], f32[0], f32[0], f32[0], False, 0.1, 1e-5, False)", "!ShapeMismatch"},
    {"_batch_norm_impl_index(f32[4,0,1,1], None, f32[0], f32[0], f32[0], False, 0.1, 1e-5, False)", "!ShapeMismatch"},
    {"instance_norm(f64[1,3,6,6], None, None, f64[3]{0}, f64[3], True, 0.3, 0.001, True)", "!ValueError"},
    {"instance_norm(f32[0,2,4,1], None, None, f32[2]{0}, f32[2], True, 0.3, 0.001, True)", "!ValueError"},
    {"instance_norm(f32[1,2,4,1], None, None, f32[2]{0}, f32[2], False, 0.3, 0.001, True)", "f32[1,2,4,1]"},
    {"batch_norm(f32[1,0,1,1], f32[1,0], None, f32[0], f32[0], False, 0.3, 0.001, True)", "f32[1,0,1,0]"},
    {"_batch_norm_no_update(f32[2,6,5,7]@cuda:0, f32[6]@cuda:0, f32[], f32[6]@cuda:0, f32[6]@cuda:0, 0.1, 1e-05)",
        "!DeviceMismatch"},
    {"_batch_norm_no_update.out(f32[2,6,5,7]@cuda:0, f32[6]@cuda:0, f32[], f32[6]@cuda:0, f32[6]@cuda:0, 0.1, 1e-05, "
     "out0=f32[2,6,5,7]@cuda:0, out1=f32[0]@cuda:0, out2=f32[0]@cuda:0, out3=u8[0]@cuda:0)",
        "arg(5), arg(6), arg(7), arg(8); writes 5; 6 := f32[6]@cuda:0; writes 6; 7 := f32[6]@cuda:0; writes 7; writes "
        "8"},
};

constexpr CallCase kBackward[] = {
    {"batch_norm_backward(f64[2,1], f64[2,1], f64[1,1,1], f64[1], f64[1], f64[1], f64[1], True, 1e-05, "
     "[True,True,True], u8[0])",
        "!ShapeMismatch"},
    {"native_batch_norm_backward(f32[2,3,4,5]{60,1,15,3}, f32[2,3,4,5], f32[3], f32[3], f32[3], f32[3], f32[3], True, "
     "1e-05, [True,True,True])",
        "f32[2,3,4,5], f32[3], f32[3]"},
    {"native_batch_norm_backward(f32[2,3,4,5], f32[2,3,4,5]{60,1,15,3}, f32[3], f32[3], f32[3], f32[3], f32[3], True, "
     "1e-05, [True,True,True])",
        "f32[2,3,4,5]{60,1,15,3}, f32[3], f32[3]"},
    {"native_batch_norm_backward(f32[2,3,4,5]{1,2,30,6}, f32[2,3,4,5]{1,2,30,6}, f32[3], f32[3], f32[3], f32[3], "
     "f32[3], False, 1e-05, [True,True,True])",
        "f32[2,3,4,5], f32[3], f32[3]"},
    {"native_batch_norm_backward(f32[6,3]{1,6}, f32[6,3]{1,6}, f32[3], f32[3], f32[3], f32[3], f32[3], True, 1e-05, "
     "[True,True,True])",
        "f32[6,3], f32[3], f32[3]"},
    {"native_batch_norm_backward(f32[2,3,4], f32[2,3,4], f32[3], f32[3], f32[3], None, None, False, 1e-05, "
     "[True,True,False])",
        "f32[2,3,4], f32[3], None"},
    {"native_batch_norm_backward(f32[2,3,4], f32[2,3,4], f32[3], None, None, f32[3], f32[3], False, 1e-05, "
     "[True,True,False])",
        "!ValueError"},
    {"batch_norm_backward(f32[2,3,4], f32[2,3,4], f32[3], f32[3], f32[3], f32[3], f32[3], True, 1e-05, "
     "[True,False,True], u8[0])",
        "f32[2,3,4], None, f32[3]"},
    {"cudnn_batch_norm_backward(f32[2,3,4]@cuda:0, f32[2,3,4]@cuda:0, f32[3]@cuda:0, f32[3]@cuda:0, f32[3]@cuda:0, "
     "f32[3]@cuda:0, f32[3]@cuda:0, 1e-05, u8[0]@cuda:0)",
        "f32[2,3,4]@cuda:0, f32[3]@cuda:0, f32[3]@cuda:0"},
};

TEST(BatchNorm, Forward) { CheckCalls(kForward); }
TEST(BatchNorm, Backward) { CheckCalls(kBackward); }

}  // namespace
}  // namespace fakeprop::testing
