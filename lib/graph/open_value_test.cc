#include "lib/graph/open_value.h"

#include <gtest/gtest.h>

namespace fakeprop {
namespace {

struct Hole {
  int number;
};
struct OtherHole {
  std::string text;
};
using Open = OpenValue<Hole, OtherHole>;

// Neither is taken for the other: a run never meets a hole.
static_assert(!std::is_convertible_v<Open, Value>);
static_assert(!std::is_constructible_v<Value, Hole>);
static_assert(!std::is_constructible_v<OpenValue<OtherHole>, Open>);
static_assert(!std::is_constructible_v<OpenValue<OtherHole>, Hole>);

Open Made(ContainerKind kind, std::vector<Open> items) { return ContainerOf(kind, std::move(items)); }

// Of every kind, with two holes and a number in it.
Open Nested(ContainerKind kind) {
  return Made(ContainerKind::kTuple, {Made(kind, {Hole{1}, 7}), Made(ContainerKind::kList, {OtherHole{"two"}})});
}

constexpr ContainerKind kKinds[] = {
    ContainerKind::kList, ContainerKind::kTuple, ContainerKind::kDict, ContainerKind::kSlice};

const Overloaded kFill{
    [](Hole hole) -> Value { return hole.number * 10; }, [](const OtherHole& hole) -> Value { return hole.text; }};

TEST(OpenValue, IsPlainWithoutHoles) {
  const Open list = Made(ContainerKind::kList, {1, Made(ContainerKind::kTuple, {"a", Value()})});
  ASSERT_TRUE(list.TryPlain());
  EXPECT_EQ(ToString(*list.TryPlain()), R"([1, ("a", None)])");
  EXPECT_FALSE(list.TryContainer());
  EXPECT_TRUE(list.Is<List>());
}

TEST(OpenValue, IsNotPlainWithAHoleInIt) {
  for (ContainerKind kind : kKinds) {
    EXPECT_FALSE(Nested(kind).TryPlain());
    EXPECT_TRUE(Nested(kind).TryContainer());
    EXPECT_FALSE(Nested(kind).Is<List>());
  }
}

TEST(OpenValue, GetsHolesAndAlternativesOfValues) {
  EXPECT_EQ(Open(Hole{3}).TryGet<Hole>()->number, 3);
  EXPECT_FALSE(Open(Hole{3}).Is<OtherHole>());
  EXPECT_FALSE(Open(Hole{3}).Is<Dim>());
  EXPECT_TRUE(Open(3).Is<Dim>());
  EXPECT_TRUE(Open().IsNone());
  EXPECT_FALSE(Open(Hole{3}).IsNone());
}

TEST(OpenValue, ForEachLeafEntersEveryContainer) {
  for (ContainerKind kind : kKinds) {
    std::string text;
    ForEachLeaf(Nested(kind), Overloaded{[&](Hole hole) { text += std::to_string(hole.number) + "; "; },
                                  [&](const OtherHole& hole) { text += hole.text + "; "; },
                                  [&](const Value& plain) { text += ToString(plain) + "; "; }});
    EXPECT_EQ(text, "1; 7; two; ");
  }
}

TEST(OpenValue, FillMakesTheContainerThatItWas) {
  EXPECT_EQ(ToString(Fill(Nested(ContainerKind::kList), kFill)), R"(([10, 7], ["two"]))");
  EXPECT_EQ(ToString(Fill(Nested(ContainerKind::kTuple), kFill)), R"(((10, 7), ["two"]))");
  EXPECT_EQ(ToString(Fill(Nested(ContainerKind::kDict), kFill)), R"(({10: 7}, ["two"]))");
  EXPECT_EQ(ToString(Fill(Nested(ContainerKind::kSlice), kFill)), R"((slice(10, 7), ["two"]))");
  EXPECT_EQ(ToString(Fill(Open(Hole{2}), kFill)), "20");
  EXPECT_EQ(ToString(Fill(Open("plain"), kFill)), R"("plain")");
}

TEST(OpenValue, MapLeavesKeepsHolesThatTheMapKeeps) {
  const auto renumbered =
      MapLeaves<Open>(Nested(ContainerKind::kDict), Overloaded{[](Hole hole) -> Open { return Hole{hole.number + 1}; },
                                                        [](const auto& other) -> Open { return other; }});
  EXPECT_EQ(ToString(Fill(renumbered, kFill)), R"(({20: 7}, ["two"]))");
}

TEST(OpenValue, MapLeavesIsPlainWhereTheMapFillsAllHoles) {
  const auto filled = MapLeaves<Open>(Nested(ContainerKind::kSlice), [](const auto&) -> Open { return 0; });
  ASSERT_TRUE(filled.TryPlain());
  EXPECT_EQ(ToString(*filled.TryPlain()), "(slice(0, 0), [0])");
}

}  // namespace
}  // namespace fakeprop
