#include "lib/meta/value_visit.h"

#include <gtest/gtest.h>

namespace fakeprop {
namespace {

Value Shared(Value to, std::string class_name = "") {
  return SharedValue{std::make_shared<Value>(std::move(to)), std::move(class_name)};
}

Dict DictOf(Value key, Value item) {
  Dict dict;
  dict.items.emplace_back(std::move(key), std::move(item));
  return dict;
}

// A value that holds 1 and 2, in every container that there is.
struct Container {
  const char* name;
  Value value;
};

std::vector<Container> Containers() {
  return {
      {"list", List{{1, 2}}},
      {"tuple", List{{1, 2}, true}},
      {"lists in lists", List{{List{{1}}, List{{List{{2}}}}}}},
      {"key and item", DictOf(1, 2)},
      {"slice", Slice{{1, 2}}},
      {"shared list", Shared(List{{1, 2}})},
      {"shared dict", Shared(DictOf(1, 2))},
      {"object", Shared(DictOf(1, 2), "__torch__.Net")},
      {"one of each", List{{DictOf(1, List{{Slice{{Shared(List{{2}})}}}})}}},
  };
}

std::string LeavesOf(const Value& value) {
  std::string text;
  ForEachLeaf(value, [&](const Value& leaf) { text += ToString(leaf) + ";"; });
  return text;
}

TEST(ValueVisit, ForEachLeafEntersEveryContainer) {
  for (const Container& c : Containers()) EXPECT_EQ(LeavesOf(c.value), "1;2;") << c.name;
}

TEST(ValueVisit, AValueThatHoldsNoOthersIsALeaf) {
  EXPECT_EQ(LeavesOf(3), "3;");
  EXPECT_EQ(LeavesOf(Value()), "None;");
  EXPECT_EQ(LeavesOf(Slice{{Value(), 4, Value()}}), "None;4;None;");
  EXPECT_EQ(LeavesOf(List()), "");
}

TEST(ValueVisit, AnyLeafEntersEveryContainer) {
  for (const Container& c : Containers()) {
    EXPECT_TRUE(AnyLeaf(c.value, [](const Value& leaf) { return ToString(leaf) == "2"; })) << c.name;
    EXPECT_FALSE(AnyLeaf(c.value, [](const Value& leaf) { return leaf.IsNone(); })) << c.name;
  }
}

TEST(ValueVisit, FindLeafStopsAtTheFirst) {
  for (const Container& c : Containers()) {
    int asked = 0;
    const Value* found = FindLeaf(c.value, [&](const Value&) { return ++asked > 0; });
    ASSERT_NE(found, nullptr) << c.name;
    EXPECT_EQ(ToString(*found), "1") << c.name;
    EXPECT_EQ(asked, 1) << c.name;
  }
}

TEST(ValueVisit, ASharedValueThatHoldsItselfIsEnteredOnce) {
  const auto list = std::make_shared<Value>(List{{1}});
  list->TryGet<List>()->items.push_back(SharedValue{list, ""});
  list->TryGet<List>()->items.push_back(2);
  EXPECT_EQ(LeavesOf(SharedValue{list, ""}), "1;2;");
  *list = Value();  // frees it
}

TEST(ValueVisit, ASharedValueIsEnteredOnceHoweverManyHoldIt) {
  const Value shared = Shared(List{{1}});
  EXPECT_EQ(LeavesOf(List{{shared, shared}}), "1;");
}

TEST(ValueVisit, TensorsAndNodesAreFoundAmongOthers) {
  ObjectTable objects;
  Tensor* t = objects.NewTensor(TensorMeta(), objects.NewStorage(Dim(4), Device(c10::kCPU)));
  const Value value = List{{t, DictOf(NodeRef{3}, Slice{{Value(), NodeRef{4}, t}}), Value("text")}};
  std::vector<const Tensor*> tensors;
  ForEachTensor(value, [&](Tensor& found) { tensors.push_back(&found); });
  EXPECT_EQ(tensors, (std::vector<const Tensor*>{t, t}));
  std::vector<int32_t> nodes;
  ForEachNode(value, [&](NodeRef ref) { nodes.push_back(ref.index); });
  EXPECT_EQ(nodes, (std::vector<int32_t>{3, 4}));
  EXPECT_EQ(ToString(MapTensors(value, [](Tensor&) { return Value("a tensor"); })),
      R"x(["a tensor", {node 3: slice(None, node 4, "a tensor")}, "text"])x");
}

Value TimesTen(const Value& leaf) { return leaf.Is<Dim>() ? Value(leaf.Get<Dim>() * Dim(10)) : leaf; }

TEST(ValueVisit, MapLeavesKeepsEveryContainerAsItIs) {
  const Value value = List{{List{{1, Value()}, true}, DictOf(2, 3), Slice{{Value(), 4}}}};
  EXPECT_EQ(ToString(MapLeaves(value, TimesTen)), "[(10, None), {20: 30}, slice(None, 40)]");
}

TEST(ValueVisit, MapLeavesGivesWhatIsSharedToTheMap) {
  const Value shared = Shared(List{{1}});
  const Value mapped = MapLeaves(List{{shared}}, TimesTen);
  EXPECT_EQ(mapped.TryList()->items[0].Get<SharedValue>().to, shared.Get<SharedValue>().to);
}

TEST(ValueVisit, MapLeavesWrapsInnerContainersFirst) {
  const auto wrap = [](Value whole) { return Value(List{{std::move(whole)}, true}); };
  EXPECT_EQ(
      ToString(MapLeaves(List{{1, DictOf("a", Slice{{2}})}}, TimesTen, wrap)), R"x(([10, ({"a": (slice(20))})]))x");
}

}  // namespace
}  // namespace fakeprop
