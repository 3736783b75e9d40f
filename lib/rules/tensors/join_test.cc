#include "lib/rules/testing/family_test.h"

namespace fakeprop::testing {
namespace {

constexpr CallCase kCat[] = {
    {"cat([f32[2,3], f32[4,3]])", "f32[6,3]"},
    {"unflatten_dense_tensors(f32[10]@cuda:0, [f32[2,3], f32[4]])",
        "[view(0) f32[2,3]@cuda:0, view(0) f32[4]+6@cuda:0]"},
    {"cat([f32[2,3], f32[2,5]], 1)", "f32[2,8]"},
    {"cat([f32[2,3], f32[2,5]], -1)", "f32[2,8]"},
    {"cat([f32[2,3], f32[2,5]])", "!ShapeMismatch"},
    {"cat([f32[2,3], f32[0]])", "f32[2,3]"},
    {"cat([f32[0], f32[2,3]], 1)", "f32[2,3]"},
    {"cat([f32[0], f32[0]])", "f32[0]"},
    {"cat([f32[2,3], f32[0,5]], 1)", "!ShapeMismatch"},
    {"cat([f32[2,3], i64[2,3]])", "f32[4,3]"},
    {"cat([f16[2,3], bf16[2,3]])", "f32[4,3]"},
    {"cat([f32[2,3], f64[0]])", "f64[2,3]"},
    {"cat([f32[], f32[]])", "!ShapeMismatch"},
    {"cat([])", "!ValueError"},
    {"cat([f32[2,3,4]{1,2,6}, f32[2,3,4]{1,2,6}])", "f32[4,3,4]"},
    {"cat([f32[2,3]{1,2}, f32[2,3]{1,2}])", "f32[4,3]"},
    {"cat([f32[2,3,4,5]{60,1,15,3}, f32[2,3,4,5]{60,1,15,3}], 1)", "f32[2,6,4,5]{120,1,30,6}"},
    {"cat([f32[2,3,4,5]{60,1,15,3}, f32[2,3,4,5]], 1)", "f32[2,6,4,5]"},
    {"cat([f32[2,3,4,5], f32[2,3,4,5]{60,1,15,3}], 1)", "f32[2,6,4,5]"},
    {"cat([f32[2,3], f32[2,3]], 2)", "!IndexOutOfRange"},
    {"cat([f32[2,3], f32[2,3,1]], 0)", "!ShapeMismatch"},
    {"cat([f32[2,3]@cuda:0, f32[2,3]])", "!DeviceMismatch"},
    {"cat([f32[2]@cuda:0, f32[1]@cuda:0])", "f32[3]@cuda:0"},
    {"cat([f32[2,3,4,5,6]{360,1,90,18,3}, f32[2,3,4,5,6]{360,1,90,18,3}], 1)", "f32[2,6,4,5,6]{720,1,180,36,6}"},
    {"cat([f32[2,3,4,5]{60,1,15,3}, f32[0]], 1)", "f32[2,3,4,5]"},
    {"cat([f32[2,1,4,5]{20,1,5,1}, f32[2,1,4,5]{20,1,5,1}], 1)", "f32[2,2,4,5]{40,1,10,2}"},
    {"concat([f32[2,3], f32[4,3]])", "f32[6,3]"},
    {"concatenate([f32[2,3], f32[4,3]])", "f32[6,3]"},
    {"stack([f32[2,3], f32[2,3]])", "f32[2,2,3]"},
    {"stack([f32[2,3], f32[2,3]], 1)", "f32[2,2,3]"},
    {"stack([f32[2,3], f32[2,3]], -1)", "f32[2,3,2]"},
    {"stack([f32[2,3], f32[2,3]], 3)", "!IndexOutOfRange"},
    {"stack([f32[2,3], f32[2,4]])", "!ShapeMismatch"},
    {"stack([f32[2,3]{1,2}, f32[2,3]{1,2}], 1)", "f32[2,2,3]"},
    {"stack([f32[2,3,4]{1,2,6}, f32[2,3,4]{1,2,6}], 0)", "f32[2,2,3,4]"},
    {"stack([f32[3,4,5]{1,15,3}, f32[3,4,5]{1,15,3}], 0)", "f32[2,3,4,5]"},
    {"stack([f32[2,3,4,5]{60,1,15,3}, f32[2,3,4,5]{60,1,15,3}], 0)", "f32[2,2,3,4,5]{120,60,1,15,3}"},
    {"stack([f32[2,3,4,5]{60,1,15,3}, f32[2,3,4,5]{60,1,15,3}], 1)", "f32[2,2,3,4,5]{120,3,1,30,6}"},
    {"stack([f32[2,3,4,5]{60,1,15,3}, f32[2,3,4,5]{60,1,15,3}], 4)", "f32[2,3,4,5,2]"},
    {"stack([f32[2], i64[2]])", "f32[2,2]"},
    {"stack([])", "!ValueError"},
    {"stack([f32[], f32[]])", "f32[2]"},
    {"hstack([f32[2], f32[3]])", "f32[5]"},
    {"hstack([f32[2,3], f32[2,4]])", "f32[2,7]"},
    {"hstack([f32[], f32[]])", "f32[2]"},
    {"hstack([])", "!ValueError"},
    {"vstack([f32[3], f32[3]])", "f32[2,3]"},
    {"vstack([f32[3], f32[2,3]])", "f32[3,3]"},
    {"vstack([f32[], f32[]])", "f32[2,1]"},
    {"row_stack([f32[3], f32[2,3]])", "f32[3,3]"},
    {"dstack([f32[3], f32[3]])", "f32[1,3,2]"},
    {"dstack([f32[2,3], f32[2,3]])", "f32[2,3,2]"},
    {"dstack([f32[2,3,4], f32[2,3,5]])", "f32[2,3,9]"},
    {"column_stack([f32[3], f32[3,2]])", "f32[3,3]"},
    {"column_stack([f32[], f32[]])", "f32[1,2]"},
    {"stack.out([f32[4,3], f32[4,3]], 0, out=f32[8,3])", "arg(2); 2 := f32[2,4,3]; writes 2"},
    {"unflatten_dense_tensors(f32[4], [f32[0,3], f32[2,2]])", "[f32[0,3], view(0) f32[2,2]]"},
    {"diff.out(i64[3,3,3], 1, 2, out=f32[3,3,3]{9,3,0})", "!ValueError"},
    {"_stack.out([f32[3], f32[3]], 0, out=f32[3,3]{0,1})", "arg(2); 2 := f32[2,3]; writes 2"},
    {"_stack.out([f32[3], f32[3]], 0, out=f32[2,3]{0,1})", "!ValueError"},
    {"diff.out(f32[3,4], out=f32[4,4]{0,1})", "!ValueError"},
    {"diff.out(i64[2,2,1], 0, 2, out=i64[2,2,1]{4,0,1})", "!ValueError"},
    {"diff.out(i64[2,2,1], 0, 2, i64[2,2,1], i64[2,2,1], out=i64[2,2,2]{4,0,1})", "arg(3); 3 := i64[2,2,1]; writes 3"},
    {"_stack.out([f32[4,3]@cuda:0, f32[4,3]@cuda:0], out=f32[2,4,3]@cuda:0)", "arg(2); 2 := f32[8,3]@cuda:0; writes 2"},
};

constexpr CallCase kProducts[] = {
    {"block_diag([f32[2,3], f32[4], f32[]])", "f32[4,8]"},
    {"block_diag([f32[2,3], i64[4]])", "f32[3,7]"},
    {"block_diag([f32[2,3,4]])", "!ShapeMismatch"},
    {"block_diag([])", "f32[1,0]"},
    {"cartesian_prod([f32[2], f32[3]])", "f32[6,2]"},
    {"cartesian_prod([f32[2]])", "arg(0)"},
    {"cartesian_prod([f32[2,3]])", "!ShapeMismatch"},
    {"combinations(f32[5])", "f32[10,2]"},
    {"combinations(f32[5], 3)", "f32[10,3]"},
    {"combinations(f32[5]@cuda:0)", "f32[10,2]@cuda:0"},
    {"combinations(f32[5]@cuda:0, 0)", "f32[0]@cuda:0"},
    {"combinations(f32[5], 0)", "f32[0]"},
    {"combinations(f32[5], 2, True)", "f32[15,2]"},
    {"combinations(f32[5,5])", "!ShapeMismatch"},
    {"combinations(f32[5], -1)", "!ValueError"},
    {"combinations(f32[3], 4)", "f32[0,4]"},
    {"combinations(f32[2], 10, True)", "f32[11,10]"},
    {"_chunk_cat([f32[3,4], f32[2,5]], 0, 2)", "f32[2,13]"},
    {"pad_sequence([f32[2,3], f32[4,3]])", "f32[4,2,3]"},
    {"pad_sequence([f32[2,3], f32[4,3]], True)", "f32[2,4,3]"},
    {"pad_sequence([f32[2,3], f32[4,1]])", "f32[4,2,3]"},
    {"pad_sequence([f32[2,3], f32[4,2]])", "!ShapeMismatch"},
    {"pad_sequence([f32[2,3], f32[4]])", "!ShapeMismatch"},
    {"pad_sequence([f32[2], f32[4,1]])", "!ShapeMismatch"},
    {"_chunk_cat([f32[3,4], f32[2,5]], 1, 2)", "!ShapeMismatch"},
    {"_chunk_cat([f32[3,4], i64[3,5]], 1, 2)", "!DtypeMismatch"},
    {"_chunk_cat([f32[3,4]], 1, 0)", "!ValueError"},
};

constexpr CallCase kRows[] = {
    {"diff.out(i64[3,3,3]{9,1,3}, 1, 2, out=f32[3,3,3])", "arg(1); 1 := f32[3,3,2]{6,1,3}; writes 1"},
    {"diff.out(f32[3,3,3]{9,1,3}, 0, 2, out=f32[0])", "arg(1); 1 := f32[3,3,3]; writes 1"},
    {"flatten_dense_tensors([f32[2,3]{1,2}, f32[4]])", "f32[10]"},
    {"flatten_dense_tensors([f32[2,3]])", "view(0) f32[6]"},
    {"flatten_dense_tensors([f32[2,3], i64[2]])", "f32[8]"},
    {"flatten_dense_tensors([])", "!ValueError"},
    {"unflatten_dense_tensors(f32[10], [f32[2,3], f32[4]])", "[view(0) f32[2,3], view(0) f32[4]+6]"},
    {"unflatten_dense_tensors(f32[9], [f32[2,3], f32[4]])", "!IndexOutOfRange"},
    {"unflatten_dense_tensors(f32[11], [f32[2,3], f32[0]])", "[view(0) f32[2,3], f32[0]]"},
    {"diff(f32[4,3]{1,4})", "f32[4,2]{1,4}"},
    {"diff(f32[4,3], 2, 0)", "f32[2,3]"},
    {"diff(f32[4,3], 4, 0)", "f32[0,3]"},
    {"diff(f32[4,3], 5, 0)", "f32[0,3]"},
    {"diff(f32[4,3]{1,4}, 3, 0)", "f32[1,3]{1,1}"},
    {"diff(f32[4,3], 0)", "f32[4,3]"},
    {"diff(f32[4,3], 0, 0, f32[2,3])", "f32[4,3]"},
    {"diff(f32[4,3], 0, 0, f32[1,1,3])", "!ShapeMismatch"},
    {"diff(f32[4,3], 1, 0, f32[0])", "!ShapeMismatch"},
    {"diff(f32[4,3], 1, 0, f32[2,3], f32[1,3])", "f32[6,3]"},
    {"diff(i8[3,3]@cuda:0, 0, 1, i8[3,1]@cuda:0, i8[3,1])", "i8[3,3]@cuda:0"},
    {"diff(i8[3,3]@cuda:0, 1, 1, i8[3,1]@cuda:0, i8[3,1])", "!DeviceMismatch"},
    {"diff(b8[4,3])", "b8[4,2]"},
    {"diff(f32[])", "!ShapeMismatch"},
    {"diff(f32[4], -1)", "!ValueError"},
    {"diff(f32[4,3], 1, 0, f32[2,2])", "!ShapeMismatch"},
};

TEST(Join, Cat) { CheckCalls(kCat); }
TEST(Join, Products) { CheckCalls(kProducts); }
TEST(Join, Rows) { CheckCalls(kRows); }

// Not rows, which LibTorch's kernels answer too: they take as long as these numbers say.
TEST(Join, HugeNumbers) {
  EXPECT_EQ(RunCall("combinations(f32[3], 40)"), "!Overflow");
  EXPECT_EQ(RunCall("combinations(f32[3], 1000000000000000000)"), "!ValueError");
  EXPECT_EQ(RunCall("combinations(f32[1], 100, True)"), "f32[1,100]");
  EXPECT_EQ(RunCall("combinations(f32[1], 100)"), "f32[0,100]");
  EXPECT_EQ(RunCall("combinations(f32[0], 65, True)"), "f32[0,65]");
  EXPECT_EQ(RunCall("diff(f32[4,3], 1000000000000, 0)"), "f32[0,3]");
  EXPECT_EQ(RunCall("diff(f32[1000000000000], 999999999998)"), "f32[2]");
  EXPECT_EQ(RunCall("diff(f32[1000000000000], 1000000000000)"), "f32[0]");
}

}  // namespace
}  // namespace fakeprop::testing
