#include "lib/rules/testing/family_test.h"

namespace fakeprop::testing {
namespace {

constexpr CallCase kPieces[] = {
    {"slice.Tensor(f32[4,5], 1, -3, 100, 2)", "view(0) f32[4,2]{5,2}+2"},
    {"slice.Tensor(f32[4,5], 1, 3, 1)", "view(0) f32[4,0]{5,1}+3"},
    {"slice.Tensor(f32[4,5], 1, 3, 1, 0)", "!ValueError"},
    {"slice.Tensor(f32[4,5], 1, 3, 1, -1)", "!ValueError"},
    {"slice.Tensor(f32[], 0, 0, 1)", "!IndexOutOfRange"},
    {"slice.Tensor(f32[4,5], -1, None, None, 3)", "view(0) f32[4,2]{5,3}"},
    {"slice.Tensor(f32[4,5], 0, 7, 9)", "view(0) f32[0,5]+20"},
    {"slice.Tensor(f32[4,5], 0, -9, 2)", "view(0) f32[2,5]"},
    {"select.int(f32[4,5]{1,4}+3, 1, -2)", "view(0) f32[4]+15"},
    {"select.int(f32[4,5], 1, 5)", "!IndexOutOfRange"},
    {"select.int(f32[], 0, 0)", "!IndexOutOfRange"},
    {"unfold(f32[5,7]{1,5}, 1, 3, 2)", "view(0) f32[5,3,3]{1,10,5}"},
    {"unfold(f32[], 0, 1, 1)", "view(0) f32[1]"},
    {"unfold(f32[5], 0, 6, 1)", "!ShapeMismatch"},
    {"unfold(f32[5], 0, 1, 0)", "!ValueError"},
    {"unfold(f32[5], 0, -1, 1)", "!ValueError"},
    {"narrow(f32[4,5], 1, 2, 2)", "view(0) f32[4,2]{5,1}+2"},
    {"narrow(f32[4,5], 1, -2, 2)", "view(0) f32[4,2]{5,1}+3"},
    {"narrow(f32[4,5], 1, 4, 2)", "!IndexOutOfRange"},
    {"narrow(f32[4,5], 1, 4, -1)", "!ValueError"},
    {"narrow(f32[], 0, 0, 0)", "!IndexOutOfRange"},
    {"narrow.Tensor(f32[4,5], 1, i64[], 1)", "!DataDependentOutput"},
    {"diagonal(f32[4,5])", "view(0) f32[4]{6}"},
    {"diagonal(f32[4,5,6], 1, 2, 0)", "view(0) f32[5,3]{6,31}+30"},
    {"diagonal(f32[4,5,6], -2, 2, 0)", "view(0) f32[5,4]{6,31}+2"},
    {"diagonal(f32[4,5], 7)", "view(0) f32[0]{6}"},
    {"diagonal(f32[4,5], -7)", "view(0) f32[0]{6}"},
    {"diagonal(f32[4,5], 0, 1, 1)", "!ValueError"},
    {"diagonal(f32[4])", "!IndexOutOfRange"},
    {"narrow_copy(f32[4,3]{1,4}, 0, 1, 2)", "f32[2,3]"},
    {"linalg_diagonal(f32[2,3,4], offset=1)", "view(0) f32[2,3]{12,5}+1"},
};

constexpr CallCase kSplits[] = {
    {"split.Tensor(f32[4,5], 2, 1)", "[view(0) f32[4,2]{5,1}, view(0) f32[4,2]{5,1}+2, view(0) f32[4,1]{5,1}+4]"},
    {"split.Tensor(f32[4,5], 0, 1)", "!ValueError"},
    {"split.Tensor(f32[4,0], 0, 1)", "[view(0) f32[4,0]]"},
    {"split.Tensor(f32[4,5], -1, 1)", "!ValueError"},
    {"split.Tensor(f32[], 1)", "!ShapeMismatch"},
    {"split.sizes(f32[4,5], [2,3], 1)", "[view(0) f32[4,2]{5,1}, view(0) f32[4,3]{5,1}+2]"},
    {"split.sizes(f32[4,5], [2,2], 1)", "!ShapeMismatch"},
    {"split_with_sizes(f32[4,5], [2,2], 1)", "!ShapeMismatch"},
    {"split_with_sizes(f32[4,5], [6,-1], 1)", "!ValueError"},
    {"split_with_sizes(f32[], [1])", "!ShapeMismatch"},
    {"chunk(f32[4,5], 3, 1)", "[view(0) f32[4,2]{5,1}, view(0) f32[4,2]{5,1}+2, view(0) f32[4,1]{5,1}+4]"},
    {"chunk(f32[4,5], 4, 1)", "[view(0) f32[4,2]{5,1}, view(0) f32[4,2]{5,1}+2, view(0) f32[4,1]{5,1}+4]"},
    {"chunk(f32[4,0], 3, 1)", "[view(0) f32[4,0], view(0) f32[4,0], view(0) f32[4,0]]"},
    {"chunk(f32[4,5], 0, 1)", "!ValueError"},
    {"chunk(f32[], 2)", "!ShapeMismatch"},
    {"unbind.int(f32[2,3]{1,2}, 1)", "[view(0) f32[2], view(0) f32[2]+2, view(0) f32[2]+4]"},
    {"unbind.int(f32[])", "!IndexOutOfRange"},
    {"unsafe_split.Tensor(f32[4,3], 3)", "[alias(0) f32[3,3], alias(0) f32[1,3]+9]"},
    {"unsafe_chunk(f32[4,3], 3)", "[alias(0) f32[2,3], alias(0) f32[2,3]+6]"},
    {"unsafe_split_with_sizes(f32[4,3], [1,3])", "[alias(0) f32[1,3], alias(0) f32[3,3]+3]"},
    {"unsafe_split_with_sizes(f32[4,3], [1,2])", "!ShapeMismatch"},
    {"tensor_split.sections(f32[5,2], 3)", "[view(0) f32[2,2], view(0) f32[2,2]+4, view(0) f32[1,2]+8]"},
    {"tensor_split.sections(f32[5,2], 0)", "!ValueError"},
    {"tensor_split.indices(f32[5,2], [1,4,3])",
        "[view(0) f32[1,2], view(0) f32[3,2]+2, view(0) f32[0,2]+8, view(0) f32[2,2]+6]"},
    {"tensor_split.indices(f32[5,2], [-2])", "[view(0) f32[3,2], view(0) f32[2,2]+6]"},
    {"tensor_split.sections(f32[], 1)", "!ShapeMismatch"},
    {"hsplit.int(f32[4], 2)", "[view(0) f32[2], view(0) f32[2]+2]"},
    {"hsplit.int(f32[4,6], 3)", "[view(0) f32[4,2]{6,1}, view(0) f32[4,2]{6,1}+2, view(0) f32[4,2]{6,1}+4]"},
    {"hsplit.int(f32[4,5], 3)", "!ShapeMismatch"},
    {"hsplit.array(f32[4,5], [2])", "[view(0) f32[4,2]{5,1}, view(0) f32[4,3]{5,1}+2]"},
    {"hsplit.int(f32[], 3)", "!ShapeMismatch"},
    {"hsplit.int(f32[4], 0)", "!ShapeMismatch"},
    {"vsplit.int(f32[4,5], 2)", "[view(0) f32[2,5], view(0) f32[2,5]+10]"},
    {"vsplit.int(f32[4], 2)", "!ShapeMismatch"},
    {"dsplit.int(f32[4,5,6], 2)", "[view(0) f32[4,5,3]{30,6,1}, view(0) f32[4,5,3]{30,6,1}+3]"},
    {"dsplit.array(f32[4,5,6], [2,3])",
        "[view(0) f32[4,5,2]{30,6,1}, view(0) f32[4,5,1]{30,6,1}+2, view(0) f32[4,5,3]{30,6,1}+3]"},
    {"dsplit.int(f32[4,5], 2)", "!ShapeMismatch"},
    {"split_copy.Tensor(f32[4,3]{1,4}, 2)", "[f32[2,3], f32[2,3]]"},
    {"split_copy.Tensor_out(f32[2,3], 1, out=[f32[2,3], f32[1,3]])", "; writes 1; writes 2"},
    {"split_copy.Tensor_out(f32[2,3], 1, out=[f32[2,3], f32[1,5]])", "!ShapeMismatch"},
};

constexpr CallCase kScript[] = {
    {"split(f32[4,3]{1,4}, [1,3])", "[view(0) f32[1,3]{1,4}, view(0) f32[3,3]{1,4}+1]"},
    {"split(f32[4,3], [1,2])", "!ShapeMismatch"},
    {"split(f32[5], [2,3])", "[view(0) f32[2], view(0) f32[3]+2]"},
};

TEST(Parts, Pieces) { CheckCalls(kPieces); }
TEST(Parts, Splits) { CheckCalls(kSplits); }
TEST(Parts, Script) { CheckCalls(kScript); }

}  // namespace
}  // namespace fakeprop::testing
