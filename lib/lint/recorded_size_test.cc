#include "lib/lint/recorded_size.h"

#include <gtest/gtest.h>

#include "lib/symbolic/build.h"

namespace fakeprop {
namespace {

class RecordedSizeTest : public ::testing::Test {
 protected:
  RecordedSizeTest() {
    env_.NewSymbol("s0", {2, 100}, 4, "x.size(0)");
    env_.NewUnbacked(SymType::kInt, {1, Range::kNoHigh});
  }

  bool Differs(const char* recorded, const char* found) {
    return DiffersFromRecorded(recorded, Dim::Of(ParseSym(found, env_)), env_);
  }

  ShapeEnv env_;
};

TEST_F(RecordedSizeTest, ComparesExpressions) {
  EXPECT_FALSE(Differs("2*s0", "s0 + s0"));
  EXPECT_TRUE(Differs("2*s0", "2*s0 + 1"));
  EXPECT_TRUE(Differs("s0", "4"));
  EXPECT_FALSE(Differs("4*u0 - 4", "4*u0 - 4"));
  EXPECT_TRUE(Differs("4*u0 - 4", "4*u0"));
  EXPECT_TRUE(Differs("s0", "u0"));
}

TEST_F(RecordedSizeTest, GoesByWhatIsKnown) {
  EXPECT_TRUE(Differs("2*((s0//2))", "s0"));
  env_.Learn(ParseSym("Eq(Mod(s0, 2), 0)", env_));
  EXPECT_FALSE(Differs("2*((s0//2))", "s0"));
}

TEST_F(RecordedSizeTest, SymbolsThatTheRunLacks) {
  EXPECT_FALSE(Differs("s7", "4"));       // the input has a number
  EXPECT_TRUE(Differs("4*u7 - 4", "0"));  // data decides
  EXPECT_FALSE(Differs("4*u7 - 4", "4*u0 - 4"));
}

TEST_F(RecordedSizeTest, ConditionsGoByAllThatIsKnownAtTheEnd) {
  const Sym at_least = ParseSym("u0 >= 5", env_);
  EXPECT_TRUE(DiffersFromRecorded(true, at_least, env_));
  EXPECT_TRUE(DiffersFromRecorded(false, at_least, env_));
  env_.Learn(ParseSym("Eq(u0, 5)", env_));
  EXPECT_FALSE(DiffersFromRecorded(true, at_least, env_));
  EXPECT_TRUE(DiffersFromRecorded(false, at_least, env_));
}

}  // namespace
}  // namespace fakeprop
