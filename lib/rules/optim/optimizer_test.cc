#include "lib/rules/testing/family_test.h"

namespace fakeprop::testing {
namespace {

constexpr CallCase kAdam[] = {
    {"_fused_adam([f32[2,3]{1,2}, f32[4]], [f32[2,3]{1,2}, f32[4]], [f32[2,3]{1,2}, f32[4]], [f32[2,3]{1,2}, "
     "f32[4]], [], [f32[], f32[]], lr=0.1, beta1=0.9, beta2=0.9, weight_decay=0.0, eps=0.1, amsgrad=False, "
     "maximize=False)",
        "[f32[2,3]{1,2}, f32[4]], [f32[2,3]{1,2}, f32[4]], [f32[2,3]{1,2}, f32[4]], [f32[2,3]{1,2}, f32[4]], []"},
    {"_fused_adamw([f32[2,3]{6,2}], [f32[2,3]], [f32[2,3]], [f32[2,3]], [f32[2,3]], [f32[]], lr=0.1, beta1=0.9,"
     " beta2=0.9, weight_decay=0.0, eps=0.1, amsgrad=True, maximize=False)",
        "[f32[2,3]], [f32[2,3]], [f32[2,3]], [f32[2,3]], [f32[2,3]]"},
    {"_fused_adam([f32[3]], [f32[3], f32[3]], [f32[3]], [f32[3]], [], [f32[]], lr=0.1, beta1=0.9, beta2=0.9, "
     "weight_decay=0.0, eps=0.1, amsgrad=False, maximize=False)",
        "!ValueError"},
    {"_fused_adam([f32[3]], [f16[3]], [f32[3]], [f32[3]], [], [f32[]], lr=0.1, beta1=0.9, beta2=0.9, "
     "weight_decay=0.0, eps=0.1, amsgrad=False, maximize=False)",
        "!DtypeMismatch"},
    {"_fused_adamw_([i64[3]], [i64[3]], [i64[3]], [i64[3]], [], [f32[]], lr=0.1, beta1=0.9, beta2=0.9, "
     "weight_decay=0.0, eps=0.1, amsgrad=False, maximize=False)",
        "!DtypeMismatch"},
    {"_fused_adam_([f32[3]], [f32[3]], [f32[3]], [f32[3]], [f32[3]], [f32[]], lr=0.1, beta1=0.9, beta2=0.9, "
     "weight_decay=0.0, eps=0.1, amsgrad=False, maximize=False)",
        "!ValueError"},
    {"_fused_adamw_([f32[2,3]{6,2}], [f32[2,3]], [f32[2,3]], [f32[2,3]], [], [f32[]], lr=0.1, beta1=0.9, "
     "beta2=0.9, weight_decay=0.0, eps=0.1, amsgrad=False, maximize=False)",
        "; writes 0; writes 1; writes 2; writes 3"},
    {"_fused_adam_([f32[3]@cuda:0], [f32[3]], [f32[3]@cuda:0], [f32[3]@cuda:0], [], [f32[]@cuda:0], lr=0.1, "
     "beta1=0.9, beta2=0.9, weight_decay=0.0, eps=0.1, amsgrad=False, maximize=False)",
        "; writes 0; writes 1; writes 2; writes 3"},
    {"_fused_adam([f32[3]@cuda:0], [f32[3]], [f32[3]@cuda:0], [f32[3]@cuda:0], [], [f32[]@cuda:0], lr=0.1, "
     "beta1=0.9, beta2=0.9, weight_decay=0.0, eps=0.1, amsgrad=False, maximize=False)",
        "!DeviceMismatch"},
    {"_fused_adam([f32[3]@cuda:0], [f32[3]@cuda:0], [f32[3]@cuda:0], [f32[3]@cuda:0], [], [f32[]], lr=0.1, "
     "beta1=0.9, beta2=0.9, weight_decay=0.0, eps=0.1, amsgrad=False, maximize=False)",
        "[f32[3]@cuda:0], [f32[3]@cuda:0], [f32[3]@cuda:0], [f32[3]@cuda:0], []"},
    {"_fused_adam_([f32[3]], [f32[3]], [f32[3]], [f32[3]], [], [f32[3]], lr=0.1, beta1=0.9, beta2=0.9, "
     "weight_decay=0.0, eps=0.1, amsgrad=False, maximize=False)",
        "!ShapeMismatch"},
    {"_fused_adam_.tensor_lr([f32[3]], [f32[3]], [f32[3]], [f32[3]], [], [f32[]], lr=f32[2], beta1=0.9, beta2=0.9, "
     "weight_decay=0.0, eps=0.1, amsgrad=False, maximize=False, found_inf=f32[])",
        "!ShapeMismatch"},
    {"_fused_adam([f32[3]], [f32[2]], [], [f32[3]], [], [], lr=0.1, beta1=0.9, beta2=0.9, weight_decay=0.0, eps=0.1, "
     "amsgrad=False, maximize=False, found_inf=f32[])",
        "[f32[3]], [f32[2]], [], [f32[3]], []"},
};

constexpr CallCase kSgdAndAdagrad[] = {
    {"_fused_sgd([f32[2,3]{1,2}, f32[4]], [f32[2,3]{1,2}, f32[4]], [f32[2,3]{1,2}, f32[4]], weight_decay=0.0, "
     "momentum=0.9, lr=0.1, dampening=0.0, nesterov=False, maximize=False, is_first_step=True)",
        "[f32[2,3]{1,2}, f32[4]], [f32[2,3]{1,2}, f32[4]], [f32[2,3]{1,2}, f32[4]]"},
    {"_fused_sgd([f32[2,3]{6,2}], [f32[2,3]], [], weight_decay=0.0, momentum=0.0, lr=0.1, dampening=0.0, "
     "nesterov=False, maximize=False, is_first_step=True)",
        "[f32[2,3]], [f32[2,3]], []"},
    {"_fused_sgd([f32[3]], [f32[3]], [], weight_decay=0.0, momentum=0.9, lr=0.1, dampening=0.0, nesterov=False,"
     " maximize=False, is_first_step=True)",
        "!ValueError"},
    {"_fused_sgd_([f32[2,3]{1,2}, f32[4]], [f32[2,3]{1,2}, f32[4]], [f32[2,3]{1,2}, f32[4]], weight_decay=0.0, "
     "momentum=0.9, lr=0.1, dampening=0.0, nesterov=False, maximize=False, is_first_step=True)",
        "; writes 0; writes 1; writes 2; writes 3; writes 4; writes 5"},
    {"_fused_sgd_([c64[3]], [c64[3]], [c64[3]], weight_decay=0.0, momentum=0.9, lr=0.1, dampening=0.0, "
     "nesterov=False, maximize=False, is_first_step=True)",
        "!DtypeMismatch"},
    {"_fused_adagrad([f32[2,3]{1,2}, f32[4]], [f32[2,3]{1,2}, f32[4]], [f32[2,3]{1,2}, f32[4]], [f32[], f32[]],"
     " lr=0.1, lr_decay=0.0, weight_decay=0.0, eps=0.1, maximize=False)",
        "[f32[2,3]{1,2}, f32[4]], [f32[2,3]{1,2}, f32[4]], [f32[2,3]{1,2}, f32[4]], [f32[], f32[]]"},
    {"_fused_adagrad_([f32[2,3]{6,2}], [f32[2,3]], [f32[2,3]], [f32[]], lr=0.1, lr_decay=0.0, weight_decay=0.0,"
     " eps=0.1, maximize=False)",
        "; writes 0; writes 1; writes 2; writes 3"},
    {"_fused_adagrad_([f32[3]], [f32[3]], [], [f32[]], lr=0.1, lr_decay=0.0, weight_decay=0.0, eps=0.1, "
     "maximize=False)",
        "!ValueError"},
};

constexpr CallCase kGradScaler[] = {
    {"_amp_foreach_non_finite_check_and_unscale_([f32[3], None], f32[], f32[1])", "!TypeError"},
    {"_amp_foreach_non_finite_check_and_unscale([f32[2,3]{1,2}, f32[4]], f32[], f32[1])",
        "[f32[2,3]{1,2}, f32[4]], f32[]"},
    {"_amp_foreach_non_finite_check_and_unscale_([f32[2,3]{1,2}, f32[4]], f32[], f32[1])",
        "; writes 0; writes 1; writes 2"},
    {"_amp_foreach_non_finite_check_and_unscale_([f32[3]], f32[2], f32[1])", "!ShapeMismatch"},
    {"_amp_foreach_non_finite_check_and_unscale_([f32[3]], i64[1], f32[1])", "!DtypeMismatch"},
    {"_amp_update_scale(f32[1], i32[1], f32[1], 2.0, 0.5, 10)", "f32[1], i32[1]"},
    {"_amp_update_scale_(f32[], i32[], f32[], 2.0, 0.5, 10)", "arg(0); writes 0; writes 1"},
    {"_amp_update_scale_(f32[1], f32[1], f32[1], 2.0, 0.5, 10)", "!DtypeMismatch"},
};

TEST(Optimizer, Adam) { CheckCalls(kAdam); }
TEST(Optimizer, SgdAndAdagrad) { CheckCalls(kSgdAndAdagrad); }
TEST(Optimizer, GradScaler) { CheckCalls(kGradScaler); }

}  // namespace
}  // namespace fakeprop::testing
