#include "lib/meta/dim.h"

#include <gtest/gtest.h>

#include "lib/error/error.h"
#include "lib/meta/tensor_meta.h"
#include "lib/symbolic/shape_env.h"

namespace fakeprop {
namespace {

TEST(Dim, NumbersStayNumbers) {
  static_assert(sizeof(Dim) == 8);
  for (int64_t v : {INT64_MIN, INT64_MIN / 2, int64_t{-1}, int64_t{0}, INT64_MAX}) {
    EXPECT_FALSE(Dim(v).IsSymbolic());
    EXPECT_EQ(Dim(v).TryNumber(), v);
  }
  // The few numbers that look like expressions are none.
  EXPECT_THROW(Dim(INT64_MIN + (int64_t{1} << 48)), OpError);
  EXPECT_THROW(Dim(INT64_MAX) + Dim(1), OpError);
}

class SymbolicDims : public testing::Test {
 protected:
  ShapeEnv env_;
  Dim s0_ = Dim::Of(env_.NewSymbol("s0", {2, Range::kNoHigh}, 8, "x.size(0)"));
  Dim s1_ = Dim::Of(env_.NewSymbol("s1", {0, 64}, 0, "x.size(1)"));
  Dim u0_ = Dim::Of(env_.NewUnbacked(SymType::kInt, {0, Range::kNoHigh}));
};

TEST_F(SymbolicDims, Arithmetic) {
  EXPECT_EQ((Dim(2) * s0_ + 1).ToString(), "2*s0 + 1");
  EXPECT_EQ((s0_ - s0_).TryNumber(), 0);
  EXPECT_EQ(FloorDiv(s0_ * 6, 3).ToString(), "2*s0");
  EXPECT_EQ(Mod(s0_ * 6, 3).TryNumber(), 0);
  EXPECT_EQ(Max(s0_, 1).ToString(), "s0");
  EXPECT_EQ(Max(u0_, 1).ToString(), Max(1, u0_).ToString());
  EXPECT_EQ((s0_ * 3).Hint(), 24);
  EXPECT_EQ((s0_ + u0_).Hint(), std::nullopt);
  EXPECT_TRUE(env_.guards().empty());
}

TEST_F(SymbolicDims, Questions) {
  EXPECT_FALSE(Guard(Eq(s0_, 1)));
  EXPECT_TRUE(Known(Le(s0_, INT64_MAX)));
  EXPECT_TRUE(Known(Eq(s0_ + s0_, s0_ * 2)));
  EXPECT_FALSE(Known(Eq(s0_, 8)));
  EXPECT_TRUE(GuardOrFalse(Eq(s1_, 0)));
  EXPECT_FALSE(GuardOrFalse(Eq(u0_, 0)));
  EXPECT_TRUE(GuardOrTrue(Eq(u0_, 0)));
  EXPECT_TRUE(Expect(Ge(u0_, 2)));
  EXPECT_FALSE(Guard(Eq(u0_, 1)));
  EXPECT_EQ(s0_.Specialize(), 8);
  EXPECT_TRUE(Known(Eq(s0_, 8)));
}

TEST_F(SymbolicDims, LayoutsOfSymbols) {
  const Dim sizes[] = {s0_, 3, s0_};
  TensorMeta t = ContiguousMeta(sizes, ScalarType::Float, Device(DeviceType::CPU));
  EXPECT_EQ(ToString(t.stride_span()), "[3*s0, s0, 1]");
  EXPECT_TRUE(IsContiguous(t));
  EXPECT_EQ(StorageNbytes(t).ToString(), "12*s0**2");
  std::swap(t.strides[0], t.strides[2]);
  EXPECT_FALSE(IsContiguous(t));
  EXPECT_TRUE(IsNonOverlappingAndDense(t));
  EXPECT_EQ(ToString(t), "f32[s0, 3, s0] on cpu, strides [1, s0, 3*s0]");
  EXPECT_TRUE(env_.guards().empty());
}

}  // namespace
}  // namespace fakeprop
