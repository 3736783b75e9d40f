#include "lib/meta/nearest_name.h"

#include <gtest/gtest.h>

namespace fakeprop {
namespace {

TEST(NearestName, OfADtype) {
  EXPECT_EQ(NearestDtype("long"), "int64");
  EXPECT_EQ(NearestDtype("torch.float"), "float32");
  EXPECT_EQ(NearestDtype("Float"), "float32");
  EXPECT_EQ(NearestDtype("flaot32"), "float32");
  EXPECT_EQ(NearestDtype("Int64"), "int64");
  EXPECT_EQ(NearestDtype("bf16"), "bfloat16");
  EXPECT_EQ(NearestDtype("i64"), "int64");
  EXPECT_EQ(NearestDtype("tensor"), "");
  EXPECT_EQ(NearestDtype(""), "");
}

TEST(NearestName, OfADevice) {
  EXPECT_EQ(NearestDevice("gpu"), "cuda");
  EXPECT_EQ(NearestDevice("gpu:1"), "cuda:1");
  EXPECT_EQ(NearestDevice("cuda0"), "cuda:0");
  EXPECT_EQ(NearestDevice("CUDA"), "cuda");
  EXPECT_EQ(NearestDevice("cpu:7"), "cpu");
  EXPECT_EQ(NearestDevice("cdua"), "cuda");
  EXPECT_EQ(NearestDevice("abacus"), "");
}

}  // namespace
}  // namespace fakeprop
