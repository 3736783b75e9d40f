#include "lib/meta/tensor_meta.h"
#include "lib/rules/support/reshape_metas.h"
#include "lib/rules/testing/family_test.h"
#include "lib/rules/testing/symbolic_call.h"
#include "lib/symbolic/shape_env.h"

namespace fakeprop::testing {
namespace {

constexpr CallCase kSizes[] = {
    {"flatten.using_ints(f32[2,3,4], 1)", "view(0) f32[2,12]"},
    {"flatten.using_ints(f32[2,3,4]{1,2,6}, 1)", "f32[2,12]"},
    {"flatten.using_ints(f32[2,3,4], 2, 1)", "!ValueError"},
    {"flatten.using_ints(f32[2,3,4], 1, 1)", "arg(0)"},
    {"flatten.using_ints(f32[])", "view(0) f32[1]"},
    {"flatten.using_ints(f32[], 0, 0)", "view(0) f32[1]"},
    {"unflatten.int(f32[2,6], 1, [2,-1])", "view(0) f32[2,2,3]"},
    {"unflatten.int(f32[2,6], 1, [])", "!ValueError"},
    {"unflatten.int(f32[2,6], 1, [4,2])", "!ShapeMismatch"},
    {"unflatten.int(f32[], 0, [1])", "!ShapeMismatch"},
    {"view_as(f32[2,3], f32[6])", "view(0) f32[6]"},
    {"reshape(f32[2,3]{1,2}, [3,2])", "f32[3,2]"},
    {"reshape(f32[2,3]{1,2}, [2,3])", "view(0) f32[2,3]{1,2}"},
    {"reshape(f32[2,3]{1,2}, [2,1,3])", "view(0) f32[2,1,3]{1,6,2}"},
    {"reshape(f32[2,3], [4])", "!ShapeMismatch"},
    {"reshape(f32[0,3], [-1])", "view(0) f32[0]"},
    {"reshape(f32[0,3], [-1,0])", "!ShapeMismatch"},
    {"reshape_as(f32[2,3], f32[6])", "view(0) f32[6]"},
    {"ravel(f32[2,3]{1,2})", "f32[6]"},
    {"ravel(f32[6])", "view(0) f32[6]"},
    {"ravel(f32[])", "view(0) f32[1]"},
    {"positive(f32[2])", "arg(0)"},
    {"positive(b8[2])", "!DtypeMismatch"},
    {"as_strided(f32[4,4], [2,2], [1,4], 2)", "view(0) f32[2,2]{1,4}+2"},
    {"as_strided(f32[4,4]+2, [2,2], [1,4])", "view(0) f32[2,2]{1,4}+2"},
    {"as_strided(f32[4,4], [5,4], [4,1])", "!ViewError"},
    {"as_strided(f32[4,4], [2], [1,4])", "!ValueError"},
    {"as_strided(f32[4,4], [2,2], [-1,4])", "!ValueError"},
    {"as_strided(f32[4,4], [2,-2], [1,4])", "!ValueError"},
    {"as_strided(f32[4,4], [2,2], [1,1], -1)", "!ValueError"},
    {"_reshape_alias(f32[4,4], [2,8], [8,1])", "view(0) f32[2,8]"},
    {"_unsafe_view(f32[2,3]{1,2}, [6])", "!ViewError"},
    {"view(f32[2,3]{1,2}, [6])", "!ViewError"},
    {"view(f32[2,3]{1,2}+4, [2,3,1])", "view(0) f32[2,3,1]{1,2,2}+4"},
    {"view(f32[], [])", "view(0) f32[]"},
    {"view(f32[1], [])", "view(0) f32[]"},
    {"view(f32[], [-1,1])", "view(0) f32[1,1]"},
    {"view(f32[0,3], [0,7])", "view(0) f32[0,7]"},
    {"view(f32[2,3]{1,2}, float32)", "!TypeError"},
    {"lift(f32[2])", "alias(0) f32[2]"},
    {"data(f32[2,3]{1,2})", "alias(0) f32[2,3]{1,2}"},
    {"_reshape_copy(f32[4,3]{1,4}, [12])", "f32[12]"},
    {"detach(f32[2,3]{1,2}+4)", "alias(0) f32[2,3]{1,2}+4"},
    {"alias_copy(f32[2,3]{1,2})", "f32[2,3]"},
    {"detach_copy(f32[2,3]{1,2})", "f32[2,3]"},
    {"expand(f32[], [1,1])", "view(0) f32[1,1]{0,0}"},
    {"expand(f32[1], [1,1])", "view(0) f32[1,1]"},
    {"squeeze_.dim(f32[1,3,2]{6,1,3}, 0)", "arg(0); 0 := f32[3,2]{1,3}"},
    {"squeeze_.dim(f32[1,3], 2)", "!IndexOutOfRange"},
    {"squeeze_.dim(f32[1], 0)", "arg(0); 0 := f32[]"},
    {"squeeze_.dims(f32[1,3,1]{1,2,7}, [0,2])", "arg(0); 0 := f32[3]{2}"},
    {"squeeze_.dims(f32[1,3], [0,0])", "!ValueError"},
    {"squeeze_.dims(f32[1], [0])", "arg(0); 0 := f32[]"},
};

constexpr CallCase kOrder[] = {
    {"numpy_T(f32[2,3,4])", "view(0) f32[4,3,2]{1,4,12}"},
    {"t(f32[2,3,4])", "!ShapeMismatch"},
    {"t(f32[4])", "view(0) f32[4]"},
    {"permute(f32[2,3,4], [2,-3,1])", "view(0) f32[4,2,3]{1,12,4}"},
    {"permute(f32[2,3,4], [2,1])", "!ValueError"},
    {"permute(f32[2,3,4], [2,1,1])", "!ValueError"},
    {"transpose.int(f32[2,3,4], 0, 3)", "!IndexOutOfRange"},
    {"transpose.int(f32[], 0, -1)", "view(0) f32[]"},
    {"movedim.intlist(f32[2,3,4], [0,1], [2,0])", "view(0) f32[3,4,2]{4,1,12}"},
    {"movedim.int(f32[2,3,4], 0, -1)", "view(0) f32[3,4,2]{4,1,12}"},
    {"movedim.intlist(f32[2,3,4], [0,1], [2])", "!ValueError"},
    {"movedim.intlist(f32[2,3,4], [0,0], [2,1])", "!ValueError"},
    {"swapaxes(f32[2,3], 0, 1)", "view(0) f32[3,2]{1,3}"},
    {"numpy_T(f32[])", "view(0) f32[]"},
};

constexpr CallCase kSingletons[] = {
    {"unsqueeze(f32[2,3]{1,2}, 1)", "view(0) f32[2,1,3]{1,6,2}"},
    {"unsqueeze(f32[2,3]{1,2}, -1)", "view(0) f32[2,3,1]{1,2,1}"},
    {"unsqueeze(f32[2,3]{1,2}, 3)", "!IndexOutOfRange"},
    {"squeeze(f32[2,1,3,1])", "view(0) f32[2,3]"},
    {"squeeze.dim(f32[2,1,3,1], 0)", "view(0) f32[2,1,3,1]"},
    {"squeeze.dims(f32[2,1,3,1], [1,3])", "view(0) f32[2,3]"},
    {"squeeze.dim(f32[], 0)", "view(0) f32[]"},
    {"expand(f32[2,1], [3,2,4])", "view(0) f32[3,2,4]{0,1,0}"},
    {"expand(f32[2,1], [3,-1,4])", "view(0) f32[3,2,4]{0,1,0}"},
    {"expand(f32[2,1], [-1,2,4])", "!ShapeMismatch"},
    {"expand(f32[2,1], [4])", "!ShapeMismatch"},
    {"expand(f32[2,1], [3,1])", "!ShapeMismatch"},
    {"expand(f32[2,1], [2,0])", "view(0) f32[2,0]{1,0}"},
    {"expand(f32[2,1], [2,-2])", "!ValueError"},
    {"expand(f32[1]{7}, [1])", "view(0) f32[1]{7}"},
    {"expand(f32[3], [1,3])", "view(0) f32[1,3]"},
    {"expand_as(f32[2,1], f32[2,4])", "view(0) f32[2,4]{1,0}"},
    {"broadcast_to(f32[2,1], [2,4])", "view(0) f32[2,4]{1,0}"},
    {"broadcast_tensors([f32[2,1], f32[3], f32[]])",
        "[view(0) f32[2,3]{1,0}, view(1) f32[2,3]{0,1}, view(2) f32[2,3]{0,0}]"},
    {"broadcast_tensors([f32[2,3]{1,2}, f32[3]])", "[arg(0), view(1) f32[2,3]{0,1}]"},
    {"broadcast_tensors([f32[2,1], f32[3,3]])", "!ShapeMismatch"},
    {"meshgrid([f32[2], f32[3]])", "[view(0) f32[2,3]{1,0}, view(1) f32[2,3]{0,1}]"},
    {"meshgrid([f32[2], f32[]])", "[view(0) f32[2,1], view(1) f32[2,1]{0,1}]"},
    {"meshgrid.indexing([f32[2], f32[3], f32[4]], indexing=\"xy\")",
        "[view(0) f32[3,2,4]{0,1,0}, view(1) f32[3,2,4]{1,0,0}, view(2) f32[3,2,4]{0,0,1}]"},
    {"meshgrid.indexing([f32[2], f32[3], f32[4]], indexing=\"zz\")", "!ValueError"},
    {"meshgrid([f32[2,2], f32[3]])", "!ShapeMismatch"},
    {"meshgrid([f32[2], i64[3]])", "!DtypeMismatch"},
    {"meshgrid([])", "!ValueError"},
    {"atleast_1d(f32[])", "view(0) f32[1]"},
    {"atleast_1d(f32[3])", "arg(0)"},
    {"atleast_2d(f32[3])", "view(0) f32[1,3]"},
    {"atleast_2d(f32[])", "view(0) f32[1,1]"},
    {"atleast_3d(f32[])", "view(0) f32[1,1,1]"},
    {"atleast_3d(f32[3])", "view(0) f32[1,3,1]"},
    {"atleast_3d(f32[3,4])", "view(0) f32[3,4,1]"},
    {"atleast_2d.Sequence([f32[3], f32[2,2]])", "[view(0) f32[1,3], arg(1)]"},
    {"squeeze.dims(f32[2,1], [])", "view(0) f32[2,1]"},
    {"squeeze.dims(f32[2,1], [1,-1])", "!ValueError"},
};

constexpr CallCase kSliceInverse[] = {
    {"slice_inverse(f32[4,3], f32[4,3]{1,4}, 0, 1, 3)", "view(0) f32[4,3]{1,4}"},
    {"slice_inverse(f32[20], f32[4,3]+2, 0, 1, 3)", "view(0) f32[4,3]+2"},
    {"slice_inverse(i64[12], f32[4,3], 0, 1, 3)", "view(0) i64[4,3]"},
    {"slice_inverse(f32[2,3], f32[4,3], 0, 1, 3)", "!ViewError"},
};

constexpr CallCase kScript[] = {
    {"numpy_T.a(f32[2,3])", "view(0) f32[3,2]{1,3}"},
    {"numpy_T.a(f32[4,2,3]{6,1,2})", "view(0) f32[3,2,4]{2,1,6}"},
};

TEST(View, Sizes) { CheckCalls(kSizes); }
TEST(View, Order) { CheckCalls(kOrder); }
TEST(View, Singletons) { CheckCalls(kSingletons); }
TEST(View, SliceInverse) { CheckCalls(kSliceInverse); }
TEST(View, Script) { CheckCalls(kScript); }

TEST(View, WindowsStayWithinTheStorage) {
  const SymbolicAnswer answer = RunSymbolic("as_strided(f32[5], [2,2], [1,2], 1)");
  EXPECT_EQ(answer.effects, "view(0) f32[2,2]{1,2}+1");
  EXPECT_EQ(answer.guards, std::vector<std::string>{"t0s0 >= 5"});
}

class SymbolicView : public ::testing::Test {
 protected:
  // As those of an exported file.
  Dim Symbol(const std::string& name, int64_t hint) {
    const Sym symbol = env_.NewSymbol(name, {2, Range::kNoHigh}, hint, "x");
    env_.KeepName(symbol);
    return Dim::Of(symbol);
  }
  static TensorMeta View(const Dims& from, const Dims& shape) {
    return rules::ViewedMeta(ContiguousMeta(from, ScalarType::Float, Device(DeviceType::CPU)), shape);
  }
  static std::string SizesOf(const Dims& from, const Dims& shape) { return ToString(View(from, shape).size_span()); }

  ShapeEnv env_;
};

// A size may be 1 as well.
TEST_F(SymbolicView, NothingIsAskedOfADenseTensor) {
  const Dim batch = Dim::Of(env_.NewSymbol("s0", {1, Range::kNoHigh}, 4, "x")),
            steps = Dim::Of(env_.NewSymbol("s1", {1, Range::kNoHigh}, 12, "x"));
  EXPECT_EQ(ToString(View({batch, steps, 64}, {batch, steps, 8, 8}).stride_span()), "[64*s1, 64, 8, 1]");
  EXPECT_EQ(ToString(View({batch, steps, 64}, {batch * steps, 64}).stride_span()), "[64, 1]");
  EXPECT_TRUE(env_.guards().empty()) << ToString(env_.guards()[0].expression);
}

// As torch.export records them, whose guard is 5*s0 == 125.
TEST_F(SymbolicView, NumbersAreSplitOffTheInput) {
  EXPECT_EQ(SizesOf({Symbol("s0", 25), 5}, {5, 5, 5}), "[5, (s0//5), 5]");
  EXPECT_EQ(SizesOf({Symbol("s1", 5), Symbol("s2", 5), 5}, {25, 5}), "[s1*s2, 5]");
  EXPECT_EQ(SizesOf({Symbol("s3", 2), Symbol("s4", 6)}, {12}), "[s3*s4]");
  EXPECT_EQ(SizesOf({Symbol("s5", 12)}, {3, 4}), "[3, 4]");
  EXPECT_EQ(SizesOf({Symbol("s6", 4)}, {4, 1, 1}), "[s6, 1, 1]");
}

TEST_F(SymbolicView, SizesOfAnotherTensorToo) {
  const Dim rows = Symbol("s0", 25), columns = Symbol("s1", 5), groups = Symbol("s2", 5), size = Symbol("s3", 5);
  EXPECT_EQ(SizesOf({rows, columns}, {groups, size, columns}), "[s2, (s0//s2), s1]");
}

TEST_F(SymbolicView, StridesAreThoseOfTheInputToo) {
  const Dim rows = Symbol("s0", 3), heads = Symbol("s1", 4), batch = Symbol("s2", 4);
  const TensorMeta view = View({rows, heads, 4}, {rows, 2 * batch, 2});
  EXPECT_EQ(ToString(view.size_span()), "[s0, 2*s2, (2*s1//s2)]");
  EXPECT_EQ(ToString(view.stride_span()), "[4*s1, (2*s1//s2), 1]");
}

TEST_F(SymbolicView, WhatFillsAsWrittenStays) {
  const Dim batch = Symbol("s0", 3);
  EXPECT_EQ(SizesOf({batch, 12}, {batch, 3, 4}), "[s0, 3, 4]");
  EXPECT_EQ(SizesOf({batch, 12}, {-1, 6}), "[2*s0, 6]");
  EXPECT_TRUE(env_.guards().empty());
}

}  // namespace
}  // namespace fakeprop::testing
