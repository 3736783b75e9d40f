#include "lib/interpreter/snapshot.h"

#include <gtest/gtest.h>

#include "lib/interpreter/testing/written_graph.h"

namespace fakeprop {
namespace {

class SnapshotTest : public ::testing::Test {
 protected:
  Tensor* NewTensor(int64_t size) {
    const Dim sizes[] = {size};
    TensorMeta meta = ContiguousMeta(sizes, ScalarType::Float, Device(DeviceType::CPU));
    Storage* storage = objects_.NewStorage(StorageNbytes(meta), meta.device);
    return objects_.NewTensor(std::move(meta), storage);
  }
  Tensor* Take(Tensor* live) { return snapshots_.Take(live).TryTensor(); }

  ObjectTable objects_;
  Snapshots snapshots_{objects_};
};

TEST_F(SnapshotTest, StaysAsItWas) {
  Tensor* live = NewTensor(3);
  Tensor* before = Take(live);
  live->meta.sizes[0] = 5;
  EXPECT_EQ(testing::ShortText(before), "f32[3]");
  EXPECT_EQ(testing::ShortText(Take(live)), "f32[5]");
}

TEST_F(SnapshotTest, IsTakenOnceWhileNothingChanges) {
  Tensor* live = NewTensor(3);
  EXPECT_EQ(Take(live), Take(live));
  EXPECT_NE(Take(live), live);
}

TEST_F(SnapshotTest, AListMayHoldItself) {
  const auto items = std::make_shared<Value>(List{});
  const Value list = SharedValue{items, ""};
  *items = List{{int64_t{1}, list}, false};
  EXPECT_EQ(ToString(list), "[1, [...]]");
  EXPECT_EQ(ToString(snapshots_.Take(list)), "[1, object ...]");
  *items = Value();
}

TEST_F(SnapshotTest, AListMayBeThereTwice) {
  const Value inner = SharedValue{std::make_shared<Value>(List{{int64_t{1}}, false}), ""};
  const Value list = List{{inner, inner}, false};
  EXPECT_EQ(ToString(list), "[[1], [1]]");
  EXPECT_EQ(ToString(snapshots_.Take(list)), "[[1], [1]]");
}

// What is written of a tensor, changed one after the other.
TEST_F(SnapshotTest, IsTakenAnewAfterEveryChange) {
  Tensor* live = NewTensor(3);
  Tensor* const base = NewTensor(3);
  const auto constant = std::make_shared<const std::vector<Value>>(3, Value(1.0));
  const std::pair<const char*, std::function<void()>> changes[] = {
      {"size", [&] { live->meta.sizes[0] = 2; }},
      {"stride", [&] { live->meta.strides[0] = 2; }},
      {"offset", [&] { live->meta.storage_offset = 1; }},
      {"dtype", [&] { live->meta.dtype = ScalarType::Double; }},
      {"device", [&] { live->meta.device = Device(DeviceType::Meta); }},
      {"requires_grad", [&] { live->own_requires_grad = true; }},
      {"storage", [&] { live->storage = base->storage; }},
      {"known elements", [&] { live->constant = constant; }},
      {"a write", [&] { ++live->storage->version; }},
  };
  for (const auto& [name, change] : changes) {
    const Tensor* before = Take(live);
    change();
    EXPECT_NE(Take(live), before) << name;
  }
}

TEST_F(SnapshotTest, RequiresGradAsItsBaseDoes) {
  Tensor *live = NewTensor(3), *base = NewTensor(3);
  live->base = base;
  EXPECT_FALSE(Take(live)->RequiresGrad());
  base->own_requires_grad = true;
  EXPECT_TRUE(Take(live)->RequiresGrad());
}

TEST_F(SnapshotTest, ForgetsElementsThatAWriteChanged) {
  Tensor* live = NewTensor(1);
  live->constant = std::make_shared<const std::vector<Value>>(1, Value(1.0));
  EXPECT_TRUE(Take(live)->constant);
  ++live->storage->version;
  EXPECT_FALSE(Take(live)->constant);
}

TEST_F(SnapshotTest, NumbersStoragesInTheOrderOfTheirFirstUse) {
  Tensor *a = NewTensor(3), *b = NewTensor(3), *c = NewTensor(3);
  c->storage = b->storage;
  snapshots_.Take(List{{b, List{{c, a}, true}}});
  EXPECT_EQ(snapshots_.TakeStorages(), (std::vector<const Storage*>{b->storage, a->storage}));
  EXPECT_EQ(b->storage->id, 0);
  EXPECT_EQ(a->storage->id, 1);
}

TEST_F(SnapshotTest, ListsAndDictsAreCopied) {
  Tensor* live = NewTensor(3);
  const Value taken = snapshots_.Take(List{{Dict{{{Value("key"), Value(live)}}}, Value(2)}, true});
  live->meta.sizes[0] = 5;
  EXPECT_EQ(testing::ShortText(taken), R"x(({"key": f32[3]}, 2))x");
}

TEST_F(SnapshotTest, WhatIsSharedIsCopiedAsItIsAtTheMoment) {
  const auto list = std::make_shared<Value>(List{{Value(1)}});
  const Value taken = snapshots_.Take(SharedValue{list, ""});
  list->TryGet<List>()->items.push_back(2);
  EXPECT_EQ(ToString(taken), "[1]");
  EXPECT_EQ(snapshots_.Take(SharedValue{list, "__torch__.Net"}).Get<Opaque>().class_name, "__torch__.Net");
}

}  // namespace
}  // namespace fakeprop
