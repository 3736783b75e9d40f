#include "lib/rules/core/bind_arguments.h"

#include <gtest/gtest.h>

#include "lib/error/error.h"
#include "lib/schema/schema_table.h"

namespace fakeprop {
namespace {

// "1, -1, 0": which of the names each argument of add.Tensor(self, other, *, alpha=1) has, or the error.
std::string Matched(const std::vector<std::string_view>& names) {
  try {
    std::string text;
    for (int position : MatchArguments(*FindSchema("aten::add.Tensor"), names))
      text += (text.empty() ? "" : ", ") + std::to_string(position);
    return text;
  } catch (const OpError& e) {
    return e.message();
  }
}

TEST(BindArguments, MatchesByPositionAndByName) {
  EXPECT_EQ(Matched({"", ""}), "0, 1, -1");
  EXPECT_EQ(Matched({"", "", "alpha"}), "0, 1, 2");
  EXPECT_EQ(Matched({"alpha", "other", "self"}), "2, 1, 0");
  EXPECT_EQ(Matched({"", "alpha", "other"}), "0, 2, 1");
}

TEST(BindArguments, SaysWhatDoesNotFit) {
  EXPECT_EQ(Matched({"", "", "", ""}), "aten::add.Tensor takes 3 arguments, but more are given");
  EXPECT_EQ(Matched({"", "", "beta"}), "aten::add.Tensor has no argument `beta`");
  EXPECT_EQ(Matched({"", "", "self"}), "aten::add.Tensor is given argument `self` twice");
  EXPECT_EQ(Matched({""}), "aten::add.Tensor needs its argument `other`");
}

TEST(BindArguments, GivesTheDefaultOfWhatIsLeftOut) {
  const Schema& schema = *FindSchema("aten::add.Tensor");
  const std::vector<GivenArgument> given = {{"other", 7}, {"self", 5}};
  const std::vector<const Value*> bound = BindArguments(schema, given);
  ASSERT_EQ(bound.size(), 3u);
  EXPECT_EQ(bound[0], &given[1].value);
  EXPECT_EQ(bound[1], &given[0].value);
  EXPECT_EQ(ToString(*bound[2]), "1");
}

}  // namespace
}  // namespace fakeprop
