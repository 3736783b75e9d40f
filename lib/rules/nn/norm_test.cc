#include "lib/rules/testing/family_test.h"

namespace fakeprop::testing {
namespace {

constexpr CallCase kLayers[] = {
    {"layer_norm(f16[2,3], [3], f16[3], bf16[3])", "!DtypeMismatch"},
    {"native_layer_norm(f16[2,3], [3], f32[3], f32[3], 1e-05)", "f16[2,3], f32[2,1], f32[2,1]"},
    {"native_layer_norm_backward(f32[2,4], f32[2,4], [4], f32[2,1], f32[2,1], f32[3], f32[4], [True,True,True])",
        "!ShapeMismatch"},
    {"native_layer_norm_backward(f32[2,3,4], f32[2,3,4], [1,1], f32[2,3,1], f32[2,3,1], None, None, [True,True,True])",
        "!ShapeMismatch"},
    {"layer_norm(f32[2,3,4]{12,1,3}, [4], f32[4], f32[4])", "f32[2,3,4]"},
    {"layer_norm(f32[2,3,4], [3,4])", "f32[2,3,4]"},
    {"layer_norm(f32[2,3,4], [3])", "!ShapeMismatch"},
    {"layer_norm(f32[2,3,4], [4], f32[3])", "!ShapeMismatch"},
    {"layer_norm(f32[2,3,4], [])", "!ValueError"},
    {"layer_norm(c64[2,4], [4])", "!DtypeMismatch"},
    {"native_layer_norm(f32[2,3,4]{12,1,3}, [4], f32[4], f32[4], 1e-05)", "f32[2,3,4], f32[2,3,1], f32[2,3,1]"},
    {"native_layer_norm(f16[2,3,4], [3,4], None, None, 1e-05)", "f16[2,3,4], f16[2,1,1], f16[2,1,1]"},
    {"native_layer_norm(f16[2,4]@cuda:0, [4], f16[4]@cuda:0, None, 1e-05)",
        "f16[2,4]@cuda:0, f32[2,1]@cuda:0, f32[2,1]@cuda:0"},
    {"native_layer_norm(f32[2,3,4], [2,4], None, None, 1e-05)", "!ShapeMismatch"},
    {"native_layer_norm_backward(f32[2,3,4], f32[2,3,4]{12,1,3}, [4], f32[2,3,1], f32[2,3,1], f32[4], None, "
     "[True,True,True])",
        "f32[2,3,4], f32[4], None"},
    {"native_layer_norm_backward(f32[0,4], f32[0,4], [4], f32[0,1], f32[0,1], None, None, [True,True,False])",
        "f32[0,4], f32[4], None"},
    {"rms_norm(f32[2,3,4]{12,1,3}, [4], f32[4])", "f32[2,3,4]"},
    {"rms_norm(f32[2,3,4,5]{60,1,15,3}, [4,5])", "f32[2,3,4,5]{60,1,15,3}"},
    {"rms_norm(f32[2,3,4], [3])", "!ShapeMismatch"},
    {"rms_norm(i64[2,3], [3])", "!DtypeMismatch"},
    {"_fused_rms_norm(f16[2,3,4], [4], f16[4], None)", "f16[2,3,4], f32[2,3,1]"},
    {"_fused_rms_norm(f32[2,3,4,5]{60,1,15,3}, [5], f32[5], 1e-05)", "f32[2,3,4,5]{60,1,15,3}, f32[2,3,4,1]"},
    {"_fused_rms_norm(f32[2,3], [3], f32[2], 1e-05)", "!ShapeMismatch"},
    {"_fused_rms_norm(f32[2,1,5], [4], f32[], 1e-05)", "f32[2,1,5], f32[2,1,1]"},
    {"_fused_rms_norm(f32[2,1,5], [4], f32[3,1,1,1], 1e-05)", "f32[3,2,1,5], f32[2,1,1]"},
    {"_fused_rms_norm(f32[4], [2,4], f32[4], 1e-05)", "!ShapeMismatch"},  // dim 0 appears multiple times in the list
    {"_fused_rms_norm(f32[2,5]@cuda:0, [4], f32[]@cuda:0, 1e-05)", "!ShapeMismatch"},
};

constexpr CallCase kGroups[] = {
    {"group_norm(f32[2,3,4], 3, f64[3])", "!DtypeMismatch"},
    {"native_group_norm(f16[2,3,4], f32[3], f32[3], 2, 3, 4, 3, 1e-05)", "f16[2,3,4], f32[2,3], f32[2,3]"},
    {"native_group_norm_backward(f64[2,4,3], f64[2,4,3], f64[2,2], f64[2,2], f32[4], 2, 4, 3, 2, [True,True,True])",
        "!DtypeMismatch"},
    {"native_group_norm_backward(f64[2,4,3], f64[2,4,3], f32[2,2], f32[2,2], f64[4], 2, 4, 3, 2, [True,True,True])",
        "!DtypeMismatch"},
    {"native_group_norm_backward(f32[2,4,3], f64[2,4,3], f64[2,2], f64[2,2], f64[4], 2, 4, 3, 2, [True,True,True])",
        "!DtypeMismatch"},
    {"native_group_norm_backward(bf16[2,4,3], bf16[2,4,3], f32[2,2], f32[2,2], f32[4], 2, 4, 3, 2, [True,True,True])",
        "bf16[2,4,3], f32[4], f32[4]"},
    {"native_group_norm_backward(bf16[2,4,3], bf16[2,4,3], bf16[2,2], bf16[2,2], f32[4], 2, 4, 3, 2, "
     "[True,True,True])",
        "bf16[2,4,3], f32[4], f32[4]"},
    {"group_norm(f32[2,6,4,5]{120,1,30,6}, 3, f32[6], f32[6])", "f32[2,6,4,5]{120,1,30,6}"},
    {"group_norm(f32[2,6,4,5]{120,1,30,6}, 3)", "f32[2,6,4,5]{120,1,30,6}"},
    {"group_norm(f32[2,6,4]{24,1,6}, 3, f32[6])", "f32[2,6,4]"},
    {"group_norm(f32[2,6]@cuda:0, 2, f32[6]@cuda:0, f32[6]@cuda:0)", "f32[2,6]@cuda:0"},
    {"group_norm(f32[2,6,4], 4)", "!ShapeMismatch"},
    {"group_norm(f32[6], 3)", "!ShapeMismatch"},
    {"group_norm(f32[2,6,4], 3, f32[5])", "!ShapeMismatch"},
    {"native_group_norm(f32[2,6,4,5]{120,1,30,6}, f32[6], f32[6], 2, 6, 20, 3, 1e-05)",
        "f32[2,6,4,5]{120,1,30,6}, f32[2,3], f32[2,3]"},
    {"native_group_norm(f32[2,6,4,5]{120,1,30,6}, None, f32[6], 2, 6, 20, 3, 1e-05)",
        "f32[2,6,4,5]{120,1,30,6}, f32[2,3], f32[2,3]"},
    {"native_group_norm(f16[2,6,4]@cuda:0, f16[6]@cuda:0, None, 2, 6, 4, 3, 1e-05)",
        "f16[2,6,4]@cuda:0, f16[2,3]@cuda:0, f16[2,3]@cuda:0"},
    {"native_group_norm(f32[2,6,4], None, None, 2, 6, 5, 3, 1e-05)", "!ShapeMismatch"},
    {"native_group_norm_backward(f32[2,6,4], f32[2,6,4], f32[2,3], f32[2,3], f32[6], 2, 6, 4, 3, [True,True,False])",
        "f32[2,6,4], f32[6], None"},
    {"native_group_norm_backward(f32[2,6,4,5]{120,1,30,6}, f32[2,6,4,5]{120,1,30,6}, f32[2,3], f32[2,3], None, 2, 6, "
     "20, 3, [True,False,True])",
        "f32[2,6,4,5]{120,1,30,6}, None, f32[6]"},
    {"native_group_norm_backward(f32[2,6,4], f32[2,6,4], f32[2,2], f32[2,2], f32[6], 2, 6, 4, 3, [True,True,False])",
        "!ShapeMismatch"},
};

constexpr CallCase kWeights[] = {
    {"_weight_norm(f16[4,3], f16[1,1,4,1], 0)", "f16[4,3]"},
    {"_weight_norm_interface(f32[2,3], f32[2,1]{5,1})", "f32[2,3], f32[2,1]{5,1}"},
    {"_weight_norm(f32[4,3]{1,4}, f32[4,1])", "f32[4,3]"},
    {"_weight_norm(f32[4,3], f32[1,1,4,1])", "f32[4,3]"},
    {"_weight_norm(f64[4,3], f32[4,1])", "!DtypeMismatch"},  // expected scalar type Double but found Float
    {"_weight_norm_interface(f16[4,3], f16[4,1])", "f16[4,3], f32[4,1]"},
    {"_weight_norm_interface(f32[4,3], f32[12])", "f32[4,3], f32[12]"},
    {"_weight_norm(f32[4,3,2], f32[1,3,1], 1)", "f32[4,3,2]"},
    {"_weight_norm(f32[4,3], f32[4,1], 2)", "!IndexOutOfRange"},
    {"_weight_norm(i64[4,3], i64[4,1])", "!DtypeMismatch"},
    {"_weight_norm_interface(f32[4,3], f32[4,1])", "f32[4,3], f32[4,1]"},
    {"_weight_norm_interface(bf16[4,3], bf16[4,1])", "bf16[4,3], f32[4,1]"},
    {"_weight_norm_interface_backward(f32[4,3], f32[4,3], f32[4,1], f32[4,1], 0)", "f32[4,3], f32[4,1]"},
    {"norm_except_dim(f32[4,3,2]{1,4,12}, 2, 1)", "f32[1,3,1]"},
    {"norm_except_dim(f32[4,3], 2, -1)", "f32[]"},
    {"norm_except_dim(f32[4,3], 2, 3)", "!IndexOutOfRange"},
};

TEST(Norm, Layers) { CheckCalls(kLayers); }
TEST(Norm, Groups) { CheckCalls(kGroups); }
TEST(Norm, Weights) { CheckCalls(kWeights); }

}  // namespace
}  // namespace fakeprop::testing
