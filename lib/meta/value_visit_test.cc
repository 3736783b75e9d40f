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

// Of all that the value holds.
std::string NumbersOf(const Value& value) {
  std::string text;
  ForEachValue(value, [&](const Value& inner) { text += inner.IsNumber() ? ToString(inner) + ";" : ""; });
  return text;
}

TEST(ValueVisit, ForEachValueEntersEveryContainer) {
  for (const Container& c : Containers()) EXPECT_EQ(NumbersOf(c.value), "1;2;") << c.name;
}

TEST(ValueVisit, ForEachValueComesToAContainerBeforeItsItems) {
  std::string text;
  ForEachValue(List{{Slice{{Value(), 4}}, 5}}, [&](const Value& inner) { text += ToString(inner) + "; "; });
  EXPECT_EQ(text, "[slice(None, 4), 5]; slice(None, 4); None; 4; 5; ");
}

TEST(ValueVisit, AnyValueEntersEveryContainer) {
  for (const Container& c : Containers()) {
    EXPECT_TRUE(AnyValue(c.value, [](const Value& inner) { return ToString(inner) == "2"; })) << c.name;
    EXPECT_FALSE(AnyValue(c.value, [](const Value& inner) { return inner.IsNone(); })) << c.name;
  }
}

TEST(ValueVisit, FindValueStopsAtTheFirst) {
  for (const Container& c : Containers()) {
    int asked = 0;
    const Value* found = FindValue(c.value, [&](const Value& inner) { return inner.IsNumber() && ++asked > 0; });
    ASSERT_NE(found, nullptr) << c.name;
    EXPECT_EQ(ToString(*found), "1") << c.name;
    EXPECT_EQ(asked, 1) << c.name;
  }
}

TEST(ValueVisit, ASharedValueThatHoldsItselfIsEnteredOnce) {
  const auto list = std::make_shared<Value>(List{{1}});
  list->TryGet<List>()->items.push_back(SharedValue{list, ""});
  list->TryGet<List>()->items.push_back(2);
  EXPECT_EQ(NumbersOf(SharedValue{list, ""}), "1;2;");
  *list = Value();  // frees it
}

TEST(ValueVisit, ASharedValueIsEnteredOnceHoweverManyHoldIt) {
  const Value shared = Shared(List{{1}});
  EXPECT_EQ(NumbersOf(List{{shared, shared}}), "1;");
}

TEST(ValueVisit, TensorsAreFoundAmongOthers) {
  ObjectTable objects;
  Tensor* t = objects.NewTensor(TensorMeta(), objects.NewStorage(Dim(4), Device(DeviceType::CPU)));
  const Value value = List{{t, DictOf(3, Slice{{Value(), 4, t}}), Value("text")}};
  EXPECT_EQ(TensorsOf(value), (std::vector<Tensor*>{t, t}));
  EXPECT_TRUE(AnyTensor(value, [&](const Tensor& found) { return &found == t; }));
  EXPECT_FALSE(AnyTensor(value, [](const Tensor& found) { return found.own_requires_grad; }));
  EXPECT_EQ(ToString(MapTensors(value, [](Tensor&) { return Value("a tensor"); })),
      R"x(["a tensor", {3: slice(None, 4, "a tensor")}, "text"])x");
}

Value TimesTen(const Value& inner) { return inner.Is<Dim>() ? Value(inner.Get<Dim>() * Dim(10)) : inner; }

TEST(ValueVisit, MapValuesKeepsEveryContainerAsItIs) {
  const Value value = List{{List{{1, Value()}, true}, DictOf(2, 3), Slice{{Value(), 4}}}};
  EXPECT_EQ(ToString(MapValues(value, TimesTen)), "[(10, None), {20: 30}, slice(None, 40)]");
}

TEST(ValueVisit, MapValuesGivesWhatIsSharedToTheMap) {
  const Value shared = Shared(List{{1}});
  const Value mapped = MapValues(List{{shared}}, TimesTen);
  EXPECT_EQ(mapped.TryList()->items[0].Get<SharedValue>().to, shared.Get<SharedValue>().to);
}

TEST(ValueVisit, MapValuesWrapsInnerContainersFirst) {
  const auto wrap = [](Value whole) { return Value(List{{std::move(whole)}, true}); };
  EXPECT_EQ(
      ToString(MapValues(List{{1, DictOf("a", Slice{{2}})}}, TimesTen, wrap)), R"x(([10, ({"a": (slice(20))})]))x");
}

}  // namespace
}  // namespace fakeprop
