#include "lib/rules/testing/family_test.h"

namespace fakeprop::testing {
namespace {

constexpr CallCase kNll[] = {
    {"nll_loss2d_backward(f32[], f32[2,3,1,1], i64[2,1,1], None, 1, 0, f32[5])", "!ShapeMismatch"},
    {"nll_loss2d_backward(f32[2], f32[4,2,1,2], i64[4,1,2], None, 1, 1, f32[])", "!ShapeMismatch"},
    {"cross_entropy_loss(f32[3,3], i64[3], label_smoothing=2.0)", "!ValueError"},
    {"cross_entropy_loss(f32[3,3], i64[3], label_smoothing=-0.5)", "f32[]"},
    {"cross_entropy_loss(f32[3,3], f32[3,3], label_smoothing=-0.5)", "f32[]"},
    {"cross_entropy_loss(f32[2,3], f32[2,3], ignore_index=4)", "!ValueError"},
    {"nll_loss_forward(f32[4,3]{1,4}, i64[4], None, 0, -100)", "f32[4], f32[]"},
    {"ctc_loss.IntList(f32[5,2,3], i64[2,4], [5,5], [4,3,2], 0, 0)", "!ShapeMismatch"},
    {"ctc_loss.IntList(f32[5,2,3], i64[2,3], [5,5], [4,3], 0, 0)", "!ShapeMismatch"},
    {"ctc_loss.IntList(f32[5,2,3], i64[6], [5,5], [4,3], 0, 0)", "!ShapeMismatch"},
    {"ctc_loss.IntList(f32[5,2,3], i64[2,4], [5,5], [4,3], 3, 0)", "!ValueError"},
    {"ctc_loss.IntList(bf16[5,2,3], i64[2,4], [5,5], [4,3], 0, 0)", "!DtypeMismatch"},
    {"ctc_loss.IntList(f32[5,2,3], i64[2,4], [5,5], [4,3], 0, 4)", "f32[2]"},
    {"_ctc_loss_backward(f32[2], f32[5,2,3], b8[2,4], [5,5], [4,3], f32[2], f32[2,5,9], 0)", "!DtypeMismatch"},
    {"multilabel_margin_loss_backward(f32[], f32[4,3], i64[4,3], 1, f32[3,3])", "!ShapeMismatch"},
    {"multilabel_margin_loss_backward(f16[], f16[4,3], i64[4,3], 1, f16[4,3])", "!DtypeMismatch"},
    {"multi_margin_loss_backward(f32[], f32[10,5], i64[10], 1, 1.0, f32[7])", "!ShapeMismatch"},
    {"cross_entropy_loss(f32[2,3], f32[2,3], None, 3)", "!ValueError"},
    {"nll_loss_forward(f32[4,3], i64[4], f32[3], 1, -100)", "f32[], f32[]"},
    {"nll_loss_forward(f32[3], i64[], None, 1, -100)", "f32[], f32[]"},
    {"nll_loss_forward(f32[4,3], i64[5], None, 1, -100)", "!ShapeMismatch"},
    {"nll_loss_forward(f32[4,3], i64[4], f32[4], 1, -100)", "!ShapeMismatch"},
    {"nll_loss(f32[4,3]{1,4}, i64[4], None, 0)", "f32[4]"},
    {"nll_loss2d_forward(f32[2,3,4,5]{60,1,15,3}, i64[2,4,5], None, 0, -100)", "f32[2,4,5], f32[]"},
    {"nll_loss2d(f32[2,3,4,5], i64[2,4,6])", "!ShapeMismatch"},
    {"nll_loss_nd(f32[2,3,4,5,6], i64[2,4,5,6], None, 0)", "f32[2,4,5,6]"},
    {"nll_loss_nd(f32[2,3,4]{1,2,6}, i64[2,4], f32[3])", "f32[]"},
    {"nll_loss_nd(f32[2,3,4], i64[2,5])", "!ShapeMismatch"},
    {"nll_loss_nd(f32[5], i64[5], None, 1)", "!ShapeMismatch"},
    {"nll_loss_nd(f32[5], i64[], None, 1)", "f32[]"},
    {"nll_loss_backward(f32[], f32[8], i64[], f32[7], 1, -100, f32[])", "!ShapeMismatch"},
    {"nll_loss2d_backward(f32[], f32[2,3,2,2], i64[2,2,2], f32[5], 1, 1, f32[])", "!ShapeMismatch"},
    {"cross_entropy_loss(f32[4,3]{1,4}, i64[4])", "f32[]"},
    {"cross_entropy_loss(f32[4,3], i64[4], None, 0)", "f32[4]"},
    {"cross_entropy_loss(f32[3], i64[])", "f32[]"},
    {"cross_entropy_loss(f32[2,3,4]{1,2,6}, f64[2,3,4], f32[3], 0, -100, 0.1)", "f64[2,4]"},
    {"cross_entropy_loss(f32[2,3], i64[2,3])", "!DtypeMismatch"},
    {"cross_entropy_loss(f32[2,3,4], i64[2,3])", "!ShapeMismatch"},
    {"nll_loss_backward(f32[], f32[4,3]{1,4}, i64[4], None, 1, -100, f32[])", "f32[4,3]"},
    {"nll_loss_backward(f32[3], f32[4,3], i64[4], None, 0, -100, f32[])", "!ShapeMismatch"},
    {"nll_loss2d_backward(f32[], f32[2,3,4,5]{60,1,15,3}, i64[2,4,5], None, 1, -100, f32[])", "f32[2,3,4,5]"},
    {"multi_margin_loss(f32[10,5], b8[10])", "!DtypeMismatch"},
    {"multilabel_margin_loss_forward(f64[]@cuda:0, i64[], 1)", "!DeviceMismatch"},
    {"nll_loss2d_backward(b8[], b8[2,3,2,2], i64[2,2,2], None, 1, 1, b8[])", "!DtypeMismatch"},
    {"multi_margin_loss_backward.grad_input(f32[10], f32[10,5], i64[10], 1, 1.0, None, 0, grad_input=f32[10,5]{1,10})",
        "!ValueError"},
    {"nll_loss_forward(bf16[8,4], c64[8], None, 1, 1)", "!DtypeMismatch"},
    {"multilabel_margin_loss_forward(f64[10], i64[1,10], 2)", "!ShapeMismatch"},
    {"_ctc_loss(f32[50,3,15], i64[2,30], [50,50,50], [30,25,20])", "!ShapeMismatch"},
    {"_ctc_loss(f64[49,1,20], i64[1,30], [50], [22])", "!ValueError"},
    {"_ctc_loss(f32[5,2,3]@cuda:0, i64[2,4]@cuda:0, [5,5], [4,3])", "!DynamicOutputShape"},
    {"ctc_loss.Tensor(f64[50,3,15], i32[3,75], i64[3], b8[3])", "!DtypeMismatch"},
    {"nll_loss2d_forward(f32[2,3,2,2], i64[2,2,2], f32[1,1,3], 0, 1)", "f32[2,2,2], f32[]"},
    {"multilabel_margin_loss_forward.output(f32[3,3], i64[3,3], 0, output=f32[3]{0}, is_target=f32[3,3])",
        "arg(2), arg(3); writes 2; writes 3"},
    {"multilabel_margin_loss_forward.output(f32[3,3], i64[3,3], 0, output=f32[3], is_target=f32[2,3]{7,2})",
        "arg(2), arg(3); writes 2; 3 := f32[3,3]; writes 3"},
    {"multilabel_margin_loss_forward.output(f32[3,3], i64[3,3], 0, output=f64[3], is_target=f32[3,3])",
        "!DtypeMismatch"},
    {"multi_margin_loss.out(f32[3,5], i64[3], 1, 1.0, None, 0, out=f32[3]{0})", "arg(2); writes 2"},
    {"multilabel_margin_loss_forward.output(f32[3,3], i64[3,3], 0, output=f32[3], is_target=f32[3,3]{1,3})",
        "!ShapeMismatch"},
    {"multilabel_margin_loss_forward.output(f32[3,3], i64[3,3], 0, output=f32[3]{2}, is_target=f32[2]{2})",
        "arg(2), arg(3); writes 2; 3 := f32[3,3]; writes 3"},
    {"multi_margin_loss(i64[0,3], i64[0], 1, 1.0, None, 0)", "i64[0]"},
    {"nll_loss_forward.output(f32[2,3], i64[2], f32[3], 0, 1, output=f32[2]{0}, total_weight=f32[])",
        "arg(3), arg(4); writes 3; writes 4"},
};

constexpr CallCase kMargins[] = {
    {"multi_margin_loss(f32[4,3]{1,4}, i64[4], 1, 1, None, 0)", "f32[4]"},
    {"multi_margin_loss(f32[3], i64[])", "f32[]"},
    {"multi_margin_loss(f32[4,3], i64[4], 3)", "!ValueError"},
    {"multi_margin_loss_backward(f32[], f32[4,3], i64[4], 1, 1)", "f32[4,3]"},
    {"multilabel_margin_loss(f32[4,3], i64[4,3], 0)", "f32[4]"},
    {"multilabel_margin_loss_forward(f32[4,3]{1,4}, i64[4,3], 1)", "f32[], f32[4,3]"},
    {"multilabel_margin_loss_forward(f32[4,3], i64[4], 1)", "!ShapeMismatch"},
    {"multilabel_margin_loss_backward(f32[], f32[4,3], i64[4,3], 1, f32[4,3])", "f32[4,3]"},
};

constexpr CallCase kCtc[] = {
    {"_ctc_loss(f32[50,3,15], u8[75], [50,50,50], [30,25,20])", "!DtypeMismatch"},
    {"ctc_loss.IntList(f32[50,3,15], i16[75], [50,50,50], [30,25,20])", "f32[]"},
    {"ctc_loss.IntList(f64[49,1,20], i64[1,30], [-1], [22])", "!ValueError"},
    {"ctc_loss.Tensor(f32[5,3], i64[3], f32[1], i64[1])", "!DtypeMismatch"},
    {"_ctc_loss(f32[5,2,3], i64[2,4], [5,5], [4,3])", "f32[2], f32[2,5,9]"},
    {"_ctc_loss(f32[5,3], i64[4], [5], [4])", "!ShapeMismatch"},
    {"_ctc_loss(f32[5,2,3], i64[2,4], [5], [4,3])", "!ShapeMismatch"},
    {"ctc_loss.IntList(f32[5,2,3]{1,5,10}, i64[2,4], [5,5], [4,3], 0, 0)", "f32[2]"},
    {"_ctc_loss_backward(f32[2], f32[5,2,3], i64[2,4], [5,5], [4,3], f32[2], f32[2,5,9], 0)", "f32[5,2,3]"},
};

TEST(ClassLoss, Nll) { CheckCalls(kNll); }
TEST(ClassLoss, Margins) { CheckCalls(kMargins); }
TEST(ClassLoss, Ctc) { CheckCalls(kCtc); }

}  // namespace
}  // namespace fakeprop::testing
