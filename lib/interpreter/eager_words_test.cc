#include "lib/interpreter/eager_words.h"

#include <gtest/gtest.h>

#include "lib/schema/schema_table.h"

namespace fakeprop {
namespace {

TEST(EagerWords, FollowOurs) {
  EXPECT_EQ(JoinEagerWords("aten::mm takes a matrix", "mat2 must be a matrix"),
      "aten::mm takes a matrix: mat2 must be a matrix");
  EXPECT_EQ(JoinEagerWords("aten::mm takes a matrix", ""), "aten::mm takes a matrix");
  EXPECT_EQ(JoinEagerWords("ours", "Target: [2].  Tensor: [4]"), "ours: Target: [2]. Tensor: [4]");
}

TEST(EagerWords, AreNotRepeatedWithNumbersForSymbols) {
  const char* ours =
      "the size of tensor a (n) must match the size of tensor b (7) at non-singleton dimension 1: shapes [n] and [7]";
  EXPECT_EQ(
      JoinEagerWords(ours, "The size of tensor a (2) must match the size of tensor b (7) at non-singleton dimension 1"),
      ours);
  const char* groups = "given groups=5, but got weight of size [8, 1, 3, 3] instead";
  EXPECT_EQ(JoinEagerWords(groups, "Given groups=5, but got weight of size [[8, 1, 3, 3]] instead"), groups);
  EXPECT_EQ(JoinEagerWords("a size of 4 and [n]", "a size of 5"), "a size of 4 and [n]: a size of 5");
}

TEST(EagerWords, AreNotRepeated) {
  EXPECT_EQ(JoinEagerWords("aten::mm: mat2 must be a matrix, not [2]", "Mat2 must be a matrix."),
      "aten::mm: mat2 must be a matrix, not [2]");
  EXPECT_EQ(JoinEagerWords("no kernel: not implemented for 'Half' here", "\"mm_cpu\" not implemented for 'Half'"),
      "no kernel: \"mm_cpu\" not implemented for 'Half' here");
  EXPECT_EQ(JoinEagerWords("takes floats: expected floats", "linalg.svd: Expected floats."),
      "takes floats: linalg.svd: Expected floats");
  EXPECT_EQ(JoinEagerWords("takes one: expected one", "conv2d(): expected one"), "takes one: conv2d(): expected one");
}

TEST(EagerWords, AreNotAskedOfErrorsThatEagerDoesNotHave) {
  EXPECT_TRUE(MayEagerRefuse(ErrorClass::kShapeMismatch));
  EXPECT_FALSE(MayEagerRefuse(ErrorClass::kDataDependentOutput));
  EXPECT_FALSE(MayEagerRefuse(ErrorClass::kUnsupportedOperator));
  EXPECT_FALSE(MayEagerRefuse(ErrorClass::kInternal));
}

std::string_view OfAllVersions(std::string_view op, std::string_view words) {
  return WordsOfAllVersions(*FindSchema(op), words);
}

TEST(EagerWords, AreThoseThatAllVersionsSay) {
  EXPECT_EQ(OfAllVersions("aten::einsum", "operands do not broadcast"), "operands do not broadcast");
  EXPECT_EQ(OfAllVersions("aten::addmm_", "self must be a matrix, got 3-D tensor"), "") << "2.13 says mat1";
  EXPECT_EQ(OfAllVersions("aten::addmm_", "must have the same dtype"), "must have the same dtype");
  EXPECT_EQ(OfAllVersions("aten::pin_memory", "whatever"), "");
  EXPECT_EQ(OfAllVersions("aten::linalg_polar", "whatever"), "") << "2.13 has no such operator";
  EXPECT_EQ(OfAllVersions("aten::cholesky", "whatever"), "") << "2.14 removed it";
}

}  // namespace
}  // namespace fakeprop
