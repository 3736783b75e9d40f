#include "lib/rules/testing/family_test.h"

namespace fakeprop::testing {
namespace {

constexpr CallCase kLosses[] = {
    {"mse_loss(c64[0], c64[0])", "!DtypeMismatch"},
    {"binary_cross_entropy_with_logits(f32[2,2], u8[2,2])", "!DtypeMismatch"},
    {"huber_loss(f32[2,3,1,1]{3,1,3,3}, f32[2,3,1,1]{3,1,3,3}, 0)", "f32[2,3,1,1]{3,1,3,3}"},
    {"binary_cross_entropy_with_logits(f32[2,3,1,1]{3,1,3,3}, f32[2,3,1,1]{3,1,3,3}, None, None, 0)",
        "f32[2,3,1,1]{3,1,3,3}"},
    {"binary_cross_entropy_with_logits(f64[2,2], f32[2,2], None, None, 0)", "f32[2,2]"},
    {"mse_loss(f32[2,3]{1,2}, f32[2,3]{1,2}, 0)", "f32[2,3]{1,2}"},
    {"mse_loss(f32[2,3,4], f32[4])", "f32[]"},
    {"mse_loss(i64[2], i64[2])", "!DtypeMismatch"},
    {"mse_loss(f32[2], f32[3])", "!ShapeMismatch"},
    {"l1_loss(c64[2,3]{1,2}, c64[2,3]{1,2}, 0)", "f32[2,3]{1,2}"},
    {"l1_loss(i64[2], i64[2])", "!DtypeMismatch"},
    {"l1_loss(f32[1,1,3,5]{15,1,5,1}, f32[1,1,3,5]{15,15,0,1}, 0)", "f32[1,1,3,5]"},
    {"soft_margin_loss(f32[1,1,3,5]{15,1,5,1}, f32[5], 0)", "f32[1,1,3,5]"},
    {"margin_ranking_loss(f32[1,1,3,5]{15,1,5,1}, f32[1,1,3,5]{15,15,0,1}, f32[1,1,3,5]{15,1,5,1}, 0.0, 0)",
        "f32[1,1,3,5]"},
    {"l1_loss(f32[3], f32[3], 2)", "f32[]"},
    {"smooth_l1_loss(f32[2,3]{1,2}, f32[3], 0)", "f32[2,3]{1,2}"},
    {"smooth_l1_loss(f32[2], f32[3])", "!ShapeMismatch"},
    {"huber_loss(f32[2,3]{1,2}, f32[2,3]{1,2}, 0)", "f32[2,3]{1,2}"},
    {"huber_loss(f32[4], f32[4])", "f32[]"},
    {"huber_loss(f32[4], f64[4])", "f32[]"},
    {"huber_loss(f32[2,3]{1,2}, f64[2,3], 0)", "f32[2,3]{1,2}"},
    {"huber_loss(i64[4], f16[4])", "!DtypeMismatch"},  // result type Half can't be cast to the desired output type Long
    {"smooth_l1_loss(f32[4], f32[4], 1, -1.0)", "!ValueError"},  // smooth_l1_loss does not support negative values for
    {"binary_cross_entropy_with_logits(f32[3,4], f32[4])", "!ShapeMismatch"},
    {"binary_cross_entropy_with_logits(f32[4], f32[3,4])", "f32[]"},
    {"binary_cross_entropy_with_logits(f32[3,4], f32[3,4], f32[2,3,4])", "!ShapeMismatch"},
    {"binary_cross_entropy_with_logits(f32[4], f32[3,4], None, f32[3,4])", "!ShapeMismatch"},
    {"binary_cross_entropy_with_logits(i64[4], f32[4])", "!DtypeMismatch"},  // not implemented for 'Long'
    {"binary_cross_entropy_with_logits(b8[4], c64[4])", "!DtypeMismatch"},   // not implemented for 'Bool'
    {"soft_margin_loss(f32[2,3]{1,2}, f32[2,3], 0)", "f32[2,3]{1,2}"},
    {"soft_margin_loss(f32[2], f32[3])", "!ShapeMismatch"},
    {"soft_margin_loss(f16[3], f64[])", "f16[]"},
    {"soft_margin_loss(f32[3], f32[3], 3)", "f32[]"},
    {"soft_margin_loss(f32[3], f32[2,3])", "!ShapeMismatch"},
    {"soft_margin_loss(i64[3], f32[3])",
        "!DtypeMismatch"},  // result type Float can't be cast to the desired output type
    {"soft_margin_loss(f32[3], c64[3])", "!DtypeMismatch"},
    {"kl_div(f32[2,3]{1,2}, f32[2,3]{1,2}, 0)", "f32[2,3]{1,2}"},
    {"kl_div(f32[2], f32[2])", "f32[]"},
    {"kl_div(c64[2], c64[2])", "!DtypeMismatch"},
    {"kl_div(f32[3,4], u8[3,4])", "!DtypeMismatch"},
    {"kl_div(f32[3,4], f64[3,4])", "f64[]"},
    {"binary_cross_entropy_with_logits(f32[3,4], f16[3,4], None, None, 0)", "f16[3,4]"},
    {"binary_cross_entropy_with_logits(f16[3,4], f32[3,4], None, None, 0)", "f32[3,4]"},
    {"poisson_nll_loss(i64[3,5], i64[3,5], True, True, 0.1, 1)", "f32[]"},
    {"hinge_embedding_loss(f32[2,3]{1,2}, f32[2,3]{1,2}, 1.0, 0)", "f32[2,3]{1,2}"},
    {"hinge_embedding_loss(i64[2], i64[2])", "!DtypeMismatch"},
    {"hinge_embedding_loss(b8[3], f32[3])", "!DtypeMismatch"},
    {"hinge_embedding_loss(f32[3], b8[3])", "f32[]"},
    {"margin_ranking_loss(b8[3], b8[3], f32[3])", "!DtypeMismatch"},
    {"margin_ranking_loss(f32[3], f32[3], b8[3])", "!DtypeMismatch"},
    {"margin_ranking_loss(f32[3], f32[3], f32[3], 0.1, 0)", "f32[3]"},
    {"margin_ranking_loss(b8[3], b8[3], b8[3])", "!DtypeMismatch"},
    {"binary_cross_entropy(f32[2,3]{1,2}, f32[2,3]{1,2}, None, 0)", "f32[2,3]{1,2}"},
    {"binary_cross_entropy(f32[4], f32[4], f32[4])", "f32[]"},
    {"binary_cross_entropy(i64[4], i64[4])", "!DtypeMismatch"},
    {"binary_cross_entropy_with_logits(f32[2,3]{1,2}, f32[2,3]{1,2}, None, f32[3], 0)", "f32[2,3]{1,2}"},
    {"binary_cross_entropy_with_logits(f32[2], f32[3])", "!ShapeMismatch"},
    {"binary_cross_entropy_with_logits(f64[1], c64[1])", "c64[]"},
    {"kl_div(f32[2,8]{1,2}, f32[2,8]{8,0}, 0)", "f32[2,8]"},
    {"kl_div(f32[2,8]{1,2}, f32[2,8]{0,1}, 0)", "f32[2,8]"},
    {"binary_cross_entropy.out(f64[5,5], f64[5,5], None, 1, out=f64[4,5]{0,1})", "!ValueError"},
    {"poisson_nll_loss(f32[3,5]{0,1}, f32[3,5]{1,3}, True, True, 1e-08, 0)", "f32[3,5]"},
    {"poisson_nll_loss(f32[3,5]{0,1}, f32[3,5]{1,3}, False, True, 1e-08, 0)", "f32[3,5]{1,3}"},
    {"poisson_nll_loss(f32[3,5]{1,3}, f32[3,5], True, False, 1e-08, 0)", "f32[3,5]{1,3}"},
    {"hinge_embedding_loss(f32[2,3], f32[1,1,2,3]{6,1,3,1}, 1.0, 0)", "f32[1,1,2,3]"},
};

constexpr CallCase kDistances[] = {
    {"cosine_similarity(f64[], f32[5,5])", "f64[5]"},
    {"pairwise_distance(f32[2,3]{1,2}, f32[3])", "f32[2]"},
    {"pairwise_distance(f32[2,3,4], f32[2,3,4], 1.0, 0.1, True)", "f32[2,3,1]"},
    {"pairwise_distance(f32[2], f32[3])", "!ShapeMismatch"},
    {"cosine_similarity(f32[2,3,4]{1,2,6}, f32[3,1], 1)", "f32[2,4]"},
    {"cosine_similarity(f32[2,3], f32[2,3], 2)", "!IndexOutOfRange"},
    {"cosine_embedding_loss(f32[3,5], f32[3,5], f32[3], 0.1, 0)", "f32[3]"},
    {"cosine_embedding_loss(f32[3,5]{1,3}, f32[3,5], f32[3])", "f32[]"},
    {"cosine_embedding_loss(f32[3,5], f32[3,5], f32[3,5])", "!ShapeMismatch"},
    {"triplet_margin_loss(c64[5,10], c64[5,10], c64[5,10], reduction=0)", "f32[5]"},
    {"triplet_margin_loss(i32[5,10], i32[5,10], i32[5,10])", "f32[]"},
    {"triplet_margin_loss(b8[5,10], b8[5,10], b8[5,10])", "!DtypeMismatch"},
    {"triplet_margin_loss(f32[3,5]{1,3}, f32[3,5], f32[3,5], reduction=0)", "f32[3]"},
    {"triplet_margin_loss(f32[3,5], f32[3,5], f32[5])", "!ShapeMismatch"},
};

constexpr CallCase kGradients[] = {
    {"soft_margin_loss_backward(f32[2,3], f32[2,3], f32[2,3]{1,2}, 1)", "f32[2,3]{1,2}"},
    {"soft_margin_loss_backward(f32[2,3], f32[2,3]{1,2}, f32[2,3], 1)", "f32[2,3]"},
    {"soft_margin_loss_backward(f32[], i64[2,3], f32[2,3], 1)", "!DtypeMismatch"},
    {"soft_margin_loss_backward(u8[], u8[2,3], u8[2,3], 1)", "!DtypeMismatch"},
    {"smooth_l1_loss_backward(f32[2,3], f32[2,3], c64[2,3], 1, 1.0)", "!DtypeMismatch"},
    {"mse_loss_backward(f32[], f32[2,3]{1,2}, f32[2,3]{1,2}, 1)", "f32[2,3]"},
    {"smooth_l1_loss_backward(f32[2,3], f32[2,3]{1,2}, f32[3], 0, 1.0)", "f32[2,3]"},
    {"huber_loss_backward(f32[], f32[2], f32[3], 1, 1.0)", "!ShapeMismatch"},
    {"soft_margin_loss_backward(f32[], f32[2,3]{1,2}, f32[2,3]{1,2}, 1)", "f32[2,3]{1,2}"},
    {"binary_cross_entropy_backward(f32[], f32[2,3]{1,2}, f32[2,3]{1,2})", "f32[2,3]{1,2}"},
    {"binary_cross_entropy_backward(f32[], f32[4], f32[4], f64[15])", "!ShapeMismatch"},
    {"binary_cross_entropy(f32[4], f32[4], f64[15], 0)", "!ShapeMismatch"},
    {"binary_cross_entropy.out(f32[4], f32[4], f64[15], 0, out=f32[15])", "arg(3); writes 3"},
    {"binary_cross_entropy.out(f32[4], f32[4], f64[15], 0, out=f32[4])", "!ShapeMismatch"},
};

TEST(Loss, Losses) { CheckCalls(kLosses); }
TEST(Loss, Distances) { CheckCalls(kDistances); }
TEST(Loss, Gradients) { CheckCalls(kGradients); }

}  // namespace
}  // namespace fakeprop::testing
