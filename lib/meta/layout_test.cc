#include <gtest/gtest.h>

#include "lib/meta/tensor_meta.h"

namespace fakeprop {
namespace {

TensorMeta Strided(Dims sizes, Dims strides) {
  TensorMeta t;
  t.sizes = sizes;
  t.strides = strides;
  return t;
}

TEST(Layout, ContiguousStridesCountZeroAsOne) {
  EXPECT_EQ(
      ToString(ContiguousMeta(Dims{2, 0, 3}, ScalarType::Float, Device(DeviceType::CPU)).stride_span()), "[3, 3, 1]");
}

TEST(Layout, ChannelsLastIsFoundByStrides) {
  TensorMeta t = MetaInFormat(Dims{2, 3, 4, 5}, ScalarType::Float, Device(DeviceType::CPU), MemoryFormat::ChannelsLast);
  EXPECT_EQ(ToString(t.stride_span()), "[60, 1, 15, 3]");
  EXPECT_EQ(SuggestMemoryFormat(t), MemoryFormat::ChannelsLast);
  EXPECT_TRUE(IsContiguousIn(t, MemoryFormat::ChannelsLast));
  EXPECT_FALSE(IsContiguous(t));
  EXPECT_TRUE(IsNonOverlappingAndDense(t));
}

TEST(Layout, PreservedStridesPackAndKeepTheOrder) {
  EXPECT_EQ(ToString(DimSpan(PreservedStrides(Strided({2, 3}, {1, 4})))), "[1, 2]");
  EXPECT_EQ(ToString(DimSpan(PreservedStrides(Strided({2, 3, 4}, {4, 0, 1})))), "[12, 4, 1]");
}

TEST(Layout, StorageReachesTheLastElement) {
  TensorMeta t = Strided({2, 3}, {10, 2});
  t.storage_offset = 5;
  EXPECT_EQ(StorageNbytes(t).Specialize(), (5 + 10 + 4 + 1) * 4);
}

}  // namespace
}  // namespace fakeprop
