#include "lib/deferred_init/mt19937_jump.h"

#include <gtest/gtest.h>

namespace fakeprop::deferred_init {
namespace {

bool Same(const at::mt19937_data_pod& a, const at::mt19937_data_pod& b) {
  return a.left_ == b.left_ && a.next_ == b.next_ && a.state_ == b.state_ && a.seed_ == b.seed_;
}

TEST(Mt19937Jump, EqualsDrawing) {
  for (const uint64_t start : {0, 1, 5, 623, 624, 625, 2000}) {
    for (const uint64_t count : {0, 1, 2, 623, 624, 625, 1248, 1249, 100000}) {
      at::mt19937 engine(42);
      for (uint64_t i = 0; i < start; ++i) engine();
      const auto jumped = Advance(engine.data(), count);
      for (uint64_t i = 0; i < count; ++i) engine();
      EXPECT_TRUE(Same(jumped, engine.data())) << start << " " << count;
    }
  }
}

// Beyond the counts that are drawn one by one.
TEST(Mt19937Jump, FarJumpsEqualDrawing) {
  for (const uint64_t count : {(uint64_t{1} << 24) + 1, (uint64_t{1} << 24) + 12345, uint64_t{50000000}}) {
    at::mt19937 engine(7);
    for (int i = 0; i < 100; ++i) engine();
    const auto jumped = Advance(engine.data(), count);
    for (uint64_t i = 0; i < count; ++i) engine();
    EXPECT_TRUE(Same(jumped, engine.data())) << count;
  }
}

TEST(Mt19937Jump, FarJumpsAddUp) {
  const uint64_t far = 70'000'000'000, further = 1'000'000'007;
  at::mt19937 engine(3);
  EXPECT_TRUE(Same(Advance(Advance(engine.data(), far), further), Advance(engine.data(), far + further)));
}

}  // namespace
}  // namespace fakeprop::deferred_init
