#include "lib/meta/text.h"

#include <gtest/gtest.h>

#include "lib/base/check.h"

namespace fakeprop {
namespace {

TEST(Text, ShowsValues) {
  const Dims sizes{2, 3};
  const std::vector<int64_t> dims{-1, 0};
  const TensorMeta t = ContiguousMeta(sizes, ScalarType::Float, Device(DeviceType::CPU));
  EXPECT_EQ(Format("{} of {}, {}", Dim(4), sizes, t.size_span()), "4 of [2, 3], [2, 3]");
  EXPECT_EQ(Format("{}, not {}", t.dtype, t), "float32, not f32[2, 3] on cpu");
  EXPECT_EQ(Format("{} {} {}", 1, sizes.size(), dims), "1 2 [-1, 0]");
  EXPECT_EQ(Format("'{}' '{}' '{}'", "a", std::string("b"), std::string_view("c")), "'a' 'b' 'c'");
  EXPECT_EQ(Format("{}", Value(1.5)), ToString(Value(1.5)));
}

TEST(Text, ShowsWhatWasSeenLast) {
  const Dims sizes{2};
  const Dim seen = 7;
  EXPECT_EQ(Text({"takes {}, not {}", sizes}).ToString(Shown(seen)), "takes [2], not 7");
  EXPECT_EQ(Text("takes none").ToString(Shown(seen)), "takes none");
}

TEST(Text, WithoutValuesIsAsWritten) { EXPECT_EQ(Text("{} and {}").ToString(), "{} and {}"); }

TEST(Text, HasAPlaceForEachValue) {
  EXPECT_THROW(Format("{} {}", 1), InternalError);
  EXPECT_THROW(Format("{}", 1, 2), InternalError);
}

}  // namespace
}  // namespace fakeprop
