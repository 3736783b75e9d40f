#include "lib/rules/testing/family_test.h"

namespace fakeprop::testing {
namespace {

constexpr CallCase kLinearCrossEntropy[] = {
    {"torch_nn::_linear_cross_entropy_batch_chunked(f32[4,8], f32[5,8], i64[4], f32[5], None, \"mean\", -100, 0.0, 2, "
     "\"compact\", float32, True, True, True, True)",
        "f32[], f32[4,8], f32[5,8], f32[5]"},
    {"torch_nn::_linear_cross_entropy_batch_chunked(f16[4,8]{1,4}, f16[5,8], i64[4], f16[5], f16[5], \"sum\", -100, "
     "0.0, 2, \"compact\", float32, True, True, False, True)",
        "f16[], f16[4,8], f16[0,0], f16[5]"},
    {"torch_nn::_linear_cross_entropy_batch_chunked(f32[4,8], f32[5,8]{1,5}, i64[4], None, None, \"mean\", -100, 0.0, "
     "2, \"compact\", float32, True, False, True, False)",
        "f32[], f32[0,0], f32[5,8], f32[0]"},
    {"torch_nn::_linear_cross_entropy_batch_chunked(f32[4,8], f32[5,7], i64[4], None, None, \"mean\", -100, 0.0, 2, "
     "\"compact\", float32, True, True, True, False)",
        "!ShapeMismatch"},  // as eager
    {"torch_nn::_linear_cross_entropy_batch_chunked(f32[4,8], f32[5,8], i64[3], None, None, \"mean\", -100, 0.0, 2, "
     "\"compact\", float32, True, True, True, False)",
        "!ShapeMismatch"},  // as eager
    {"torch_nn::_linear_cross_entropy_batch_chunked(f32[4,8], f32[5,8], f32[4], None, None, \"mean\", -100, 0.0, 2, "
     "\"compact\", float32, True, True, True, False)",
        "!DtypeMismatch"},  // as eager
    {"torch_nn::_linear_cross_entropy_batch_chunked(f32[4,8], f32[5,8], i64[4], f32[4], None, \"mean\", -100, 0.0, 2, "
     "\"compact\", float32, True, True, True, False)",
        "!ShapeMismatch"},  // as eager
    {"torch_nn::_linear_cross_entropy_batch_chunked(f32[4,8,1], f32[5,8], i64[4], None, None, \"mean\", -100, 0.0, 2, "
     "\"compact\", float32, True, True, True, False)",
        "!ShapeMismatch"},  // as eager
    {"torch_nn::_linear_cross_entropy_batch_chunked(f32[4,8], f32[5,8], i64[4], None, None, \"none\", -100, 0.0, 2, "
     "\"compact\", float32, True, True, True, False)",
        "!ValueError"},
    {"torch_nn::_linear_cross_entropy_batch_chunked_no_reduction(f32[4,8], f32[5,8], i64[4], f32[5], None, -100, 2, "
     "\"compact\", float32)",
        "f32[4]"},
    {"torch_nn::_linear_cross_entropy_batch_chunked_no_reduction(f32[4,8]{1,4}, f32[5,8]{1,5}, i64[4]{2}, f32[5], "
     "f32[5], -100, 2, \"compact\", float32)",
        "f32[4]"},
    {"torch_nn::_linear_cross_entropy_batch_chunked_no_reduction(f32[0,8], f32[5,8], i64[0], f32[5], None, -100, 2, "
     "\"compact\", float32)",
        "f32[0]"},
    {"torch_nn::_linear_cross_entropy_batch_chunked_no_reduction(f32[4,8], f32[5,8], i64[4], f32[6], None, -100, 2, "
     "\"compact\", float32)",
        "!ShapeMismatch"},  // as eager
};

constexpr CallCase kVarlenAttention[] = {
    {"torch_attn::_varlen_attn(f16[10,2,16], f16[10,2,16], f16[10,2,16], i32[3], i32[3], 5, 5)",
        "f16[10,2,16], f32[2,10], u64[2]"},
    {"torch_attn::_varlen_attn(bf16[10,2,16]{16,160,1}, bf16[12,2,16], bf16[12,2,16], i32[3], None, 5, 6, True, "
     "window_size=[-1,0])",
        "bf16[10,2,16]{16,160,1}, f32[2,10], u64[2]"},
    {"torch_attn::_varlen_attn(f16[10,16], f16[10,2,16], f16[10,2,16], i32[3], i32[3], 5, 5)", "!ShapeMismatch"},
    {"torch_attn::_varlen_attn_out(f16[10,2,16], f16[10,2,16]{16,160,1}, f16[10,2,16], f16[10,2,16], i32[3], i32[3], "
     "5, 5)",
        "f32[2,10]; writes 0"},
    {"torch_attn::_varlen_attn_out(f16[10,16], f16[10,16], f16[10,2,16], f16[10,2,16], i32[3], i32[3], 5, 5)",
        "!ShapeMismatch"},
    {"torch_attn::_varlen_attn_backward(f16[10,2,16], f16[10,2,16]{16,160,1}, f16[12,2,16], f16[12,2,16]{16,192,1}, "
     "f16[10,2,16], f32[2,10], i32[3], i32[3], 5, 6, False, u64[2])",
        "f16[10,2,16]{16,160,1}, f16[12,2,16], f16[12,2,16]{16,192,1}"},
    {"torch_attn::_varlen_attn_backward(f16[10,16], f16[10,16], f16[12,2,16], f16[12,2,16], f16[10,2,16], f32[2,10], "
     "i32[3], i32[3], 5, 6, False, u64[2])",
        "!ShapeMismatch"},
};

TEST(NnOperators, LinearCrossEntropy) { CheckCalls(kLinearCrossEntropy); }
TEST(NnOperators, VarlenAttention) { CheckCalls(kVarlenAttention); }

}  // namespace
}  // namespace fakeprop::testing
