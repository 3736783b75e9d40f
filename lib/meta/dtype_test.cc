#include "lib/meta/dtype.h"

#include <gtest/gtest.h>

namespace fakeprop {
namespace {

// The sets say the same as c10.
TEST(Dtypes, HoldTheirKinds) {
  for (int i = 0; i < static_cast<int>(ScalarType::NumOptions); ++i) {
    const auto dtype = static_cast<ScalarType>(i);
    EXPECT_EQ(kFloatDtypes.Has(dtype), IsFloat(dtype)) << DtypeName(dtype);
    EXPECT_EQ(kComplexDtypes.Has(dtype), IsComplex(dtype)) << DtypeName(dtype);
    EXPECT_EQ(kIntegralDtypes.Has(dtype), IsIntegral(dtype)) << DtypeName(dtype);
  }
}

TEST(Dtypes, CombineAsSets) {
  EXPECT_TRUE((kFloatDtypes | kComplexDtypes).Has(ScalarType::ComplexFloat));
  EXPECT_FALSE((kIntegralDtypes - ScalarType::Bool).Has(ScalarType::Bool));
  EXPECT_FALSE((~kComplexDtypes).Has(ScalarType::ComplexHalf));
  EXPECT_TRUE((~kComplexDtypes).Has(ScalarType::QInt8));
}

}  // namespace
}  // namespace fakeprop
