#include "lib/dispatch/torch_types.h"

#include <c10/core/ScalarTypeToTypeMeta.h>
#include <c10/util/Exception.h>
#include <gtest/gtest.h>

#include "lib/error/error.h"
#include "lib/meta/device_name.h"
#include "lib/meta/dtype.h"

namespace fakeprop {
namespace {

constexpr int kDtypeCount = static_cast<int>(ScalarType::NumOptions);
static_assert(static_cast<int>(c10::ScalarType::NumOptions) >= kDtypeCount);
static_assert(FromTorch(c10::ScalarType::Undefined) == ScalarType::Undefined);
static_assert(ToTorch(ScalarType::Undefined) == c10::ScalarType::Undefined);
static_assert(
    static_cast<int>(c10::DeviceType::COMPILE_TIME_MAX_DEVICE_TYPES) == static_cast<int>(DeviceType::NumTypes));
static_assert(ToTorch(Layout::Jagged) == c10::Layout::Jagged && ToTorch(Layout::SparseBsc) == c10::Layout::SparseBsc);
static_assert(ToTorch(Layout::SparseCsr) == c10::Layout::SparseCsr && ToTorch(Layout::Mkldnn) == c10::Layout::Mkldnn);
static_assert(ToTorch(MemoryFormat::Preserve) == c10::MemoryFormat::Preserve);
static_assert(ToTorch(MemoryFormat::ChannelsLast3d) == c10::MemoryFormat::ChannelsLast3d);

// What LibTorch answers, or nothing where it throws.
template <typename Ask>
auto OrNothing(Ask ask) -> std::optional<decltype(ask())> {
  try {
    return ask();
  } catch (const c10::Error&) {
    return std::nullopt;
  } catch (const OpError&) {
    return std::nullopt;
  }
}

// `Undefined` has no name of its own in LibTorch.
TEST(TorchTypes, DtypesAreLibTorchs) {
  for (int i = 0; i < kDtypeCount - 1; ++i) {
    const auto ours = static_cast<ScalarType>(i);
    const c10::ScalarType torchs = ToTorch(ours);
    EXPECT_EQ(C10DtypeName(ours), c10::toString(torchs));
    EXPECT_EQ(CppTypeName(ours), c10::scalarTypeToTypeMeta(torchs).name());
    EXPECT_EQ(ItemSize(ours), static_cast<int64_t>(c10::elementSize(torchs))) << torchs;
    EXPECT_EQ(IsFloat(ours), c10::isFloatingType(torchs)) << torchs;
    EXPECT_EQ(IsComplex(ours), c10::isComplexType(torchs)) << torchs;
    EXPECT_EQ(IsIntegral(ours), c10::isIntegralType(torchs, true)) << torchs;
    EXPECT_EQ(kIntegerDtypes.Has(ours), c10::isIntegralType(torchs, false)) << torchs;
    EXPECT_EQ(kFloat8Dtypes.Has(ours), c10::isFloat8Type(torchs)) << torchs;
    EXPECT_EQ(kQuantizedDtypes.Has(ours), c10::isQIntType(torchs)) << torchs;
    EXPECT_EQ(kBitsDtypes.Has(ours), c10::isBitsType(torchs)) << torchs;
    EXPECT_EQ(kBarebonesUnsignedDtypes.Has(ours), c10::isBarebonesUnsignedType(torchs)) << torchs;
    const auto is_signed = OrNothing([&] { return c10::isSignedType(torchs); });
    if (is_signed) EXPECT_EQ(IsSignedDtype(ours), *is_signed) << torchs;
    EXPECT_EQ(ToRealDtype(ours), FromTorch(c10::toRealValueType(torchs))) << torchs;
    const auto complex = OrNothing([&] { return FromTorch(c10::toComplexType(torchs)); });
    // From 2.14 on that of bfloat16 is bcomplex32, which has no name here.
    if (complex != ScalarType::Undefined) EXPECT_EQ(OrNothing([&] { return ToComplexDtype(ours); }), complex) << torchs;
  }
}

TEST(TorchTypes, PairsOfDtypesPromoteAndCastAsLibTorchs) {
  for (int i = 0; i < kDtypeCount; ++i)
    for (int j = 0; j < kDtypeCount; ++j) {
      const auto a = static_cast<ScalarType>(i), b = static_cast<ScalarType>(j);
      EXPECT_EQ(OrNothing([&] { return PromoteTypes(a, b); }), OrNothing([&] {
        return FromTorch(c10::promoteTypes(ToTorch(a), ToTorch(b)));
      })) << DtypeName(a)
          << " and " << DtypeName(b);
      EXPECT_EQ(CanCast(a, b), c10::canCast(ToTorch(a), ToTorch(b))) << DtypeName(a) << " to " << DtypeName(b);
    }
}

TEST(TorchTypes, DeviceTypesHaveLibTorchsNames) {
  for (int i = 0; i < static_cast<int>(DeviceType::NumTypes); ++i) {
    const auto type = static_cast<DeviceType>(i);
    EXPECT_EQ(DeviceTypeName(type), c10::DeviceTypeName(ToTorch(type), /*lower_case=*/true));
    const DeviceIndex index = type == DeviceType::CPU ? 0 : 3;
    EXPECT_EQ(Device(type, index).str(), c10::Device(ToTorch(type), index).str());
  }
}

// LibTorch takes any index for the cpu in builds without its assertions, and any number of digits.
TEST(TorchTypes, DevicesAreReadAsByLibTorch) {
  for (const char* name : {"cpu", "cuda", "cuda:0", "cuda:12", "cuda:127", "opengl", "opencl", "ideep", "hip:1", "fpga",
           "maia", "xla", "vulkan", "metal", "xpu", "mps", "meta", "hpu", "ve", "lazy", "ipu", "mtia", "privateuseone",
           "CPU", "gpu", "", ":", "cuda:", "cuda:01", "cuda:1x", "cuda:-1", "cuda:1:2", "cuda ", " cuda", "cpu:0"}) {
    const auto torchs = OrNothing([&] { return FromTorch(c10::Device(std::string(name))); });
    EXPECT_EQ(DeviceFromName(name), torchs) << name;
  }
  EXPECT_EQ(DeviceFromName("cpu:1"), std::nullopt);
  EXPECT_EQ(DeviceFromName("cuda:128"), std::nullopt);
}

}  // namespace
}  // namespace fakeprop
