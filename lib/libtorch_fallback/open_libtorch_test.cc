#include "lib/libtorch_fallback/open_libtorch.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace fakeprop {
namespace {

// One process opens at most one plug-in, so this one sees what becomes of a place without.
TEST(OpenLibTorch, SaysWhereItLooked) {
  setenv("FAKEPROP_LIBTORCH", "/no/such/folder/libfakeprop_libtorch.so", /*overwrite=*/1);
  std::string reason;
  EXPECT_EQ(OpenLibTorch(reason), nullptr);
  EXPECT_EQ(reason, "no such file: /no/such/folder/libfakeprop_libtorch.so");
  reason.clear();
  EXPECT_EQ(OpenLibTorch(reason), nullptr);
  EXPECT_NE(reason, "");
}

}  // namespace
}  // namespace fakeprop
