#include "lib/tail/open.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace fakeprop {
namespace {

// One process opens at most one plug-in, so this one sees what becomes of a place without.
TEST(OpenTail, SaysWhereItLooked) {
  setenv("FAKEPROP_TAIL", "/no/such/folder/libfakeprop_tail.so", /*overwrite=*/1);
  std::string reason;
  EXPECT_EQ(OpenTail(reason), nullptr);
  EXPECT_EQ(reason, "no such file: /no/such/folder/libfakeprop_tail.so");
  reason.clear();
  EXPECT_EQ(OpenTail(reason), nullptr);
  EXPECT_NE(reason, "");
}

}  // namespace
}  // namespace fakeprop
