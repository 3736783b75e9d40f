// Dtypes and their properties. The numbers are those of c10::ScalarType, which files hold; lib/dispatch compares them
// with LibTorch's. Source: torch/headeronly/core/ScalarType.h and c10/core/ScalarType.h (torch 2.13).
#pragma once

#include <cstdint>
#include <initializer_list>

namespace fakeprop {

enum class ScalarType : int8_t {
  Byte,
  Char,
  Short,
  Int,
  Long,
  Half,
  Float,
  Double,
  ComplexHalf,
  ComplexFloat,
  ComplexDouble,
  Bool,
  QInt8,
  QUInt8,
  QInt32,
  BFloat16,
  QUInt4x2,
  QUInt2x4,
  Bits1x8,
  Bits2x4,
  Bits4x2,
  Bits8,
  Bits16,
  Float8_e5m2,
  Float8_e4m3fn,
  Float8_e5m2fnuz,
  Float8_e4m3fnuz,
  UInt16,
  UInt32,
  UInt64,
  UInt1,
  UInt2,
  UInt3,
  UInt4,
  UInt5,
  UInt6,
  UInt7,
  Int1,
  Int2,
  Int3,
  Int4,
  Int5,
  Int6,
  Int7,
  Float8_e8m0fnu,
  Float4_e2m1fn_x2,
  Undefined,
  NumOptions,
};

// A set of dtypes.
class Dtypes {
 public:
  constexpr Dtypes() = default;
  constexpr Dtypes(ScalarType dtype) : bits_(uint64_t{1} << static_cast<int>(dtype)) {}  // NOLINT: a set of one
  constexpr Dtypes(std::initializer_list<ScalarType> dtypes) {
    for (ScalarType dtype : dtypes) bits_ |= Dtypes(dtype).bits_;
  }
  constexpr bool Has(ScalarType dtype) const { return bits_ >> static_cast<int>(dtype) & 1; }
  friend constexpr Dtypes operator|(Dtypes a, Dtypes b) { return Dtypes(a.bits_ | b.bits_, 0); }
  friend constexpr Dtypes operator-(Dtypes a, Dtypes b) { return Dtypes(a.bits_ & ~b.bits_, 0); }
  friend constexpr Dtypes operator~(Dtypes a) { return Dtypes(~a.bits_, 0); }

 private:
  constexpr Dtypes(uint64_t bits, int) : bits_(bits) {}
  uint64_t bits_ = 0;
};

inline constexpr Dtypes kFloat8Dtypes = {ScalarType::Float8_e5m2, ScalarType::Float8_e4m3fn,
    ScalarType::Float8_e5m2fnuz, ScalarType::Float8_e4m3fnuz, ScalarType::Float8_e8m0fnu};
inline constexpr Dtypes kHalfDtypes = {ScalarType::Half, ScalarType::BFloat16};
inline constexpr Dtypes kFloat32Or64 = {ScalarType::Float, ScalarType::Double};
inline constexpr Dtypes kFloatDtypes = kFloat32Or64 | kHalfDtypes | kFloat8Dtypes | ScalarType::Float4_e2m1fn_x2;
inline constexpr Dtypes kComplexDtypes = {ScalarType::ComplexHalf, ScalarType::ComplexFloat, ScalarType::ComplexDouble};
inline constexpr Dtypes kSignedIntegerDtypes = {ScalarType::Char, ScalarType::Short, ScalarType::Int, ScalarType::Long};
// The integers without bool, as in at::isIntegralType(t, false).
inline constexpr Dtypes kIntegerDtypes =
    kSignedIntegerDtypes | Dtypes{ScalarType::Byte, ScalarType::UInt16, ScalarType::UInt32, ScalarType::UInt64};
// The integral dtypes with bool, as in at::isIntegralType(t, true).
inline constexpr Dtypes kIntegralDtypes = kIntegerDtypes | ScalarType::Bool;
inline constexpr Dtypes kQuantizedDtypes = {
    ScalarType::QInt8, ScalarType::QUInt8, ScalarType::QInt32, ScalarType::QUInt4x2, ScalarType::QUInt2x4};
inline constexpr Dtypes kBitsDtypes = {
    ScalarType::Bits1x8, ScalarType::Bits2x4, ScalarType::Bits4x2, ScalarType::Bits8, ScalarType::Bits16};
// c10::isBarebonesUnsignedType: they promote with floating-point dtypes alone.
inline constexpr Dtypes kBarebonesUnsignedDtypes = {ScalarType::UInt1, ScalarType::UInt2, ScalarType::UInt3,
    ScalarType::UInt4, ScalarType::UInt5, ScalarType::UInt6, ScalarType::UInt7, ScalarType::UInt16, ScalarType::UInt32,
    ScalarType::UInt64};

constexpr bool IsFloat(ScalarType dtype) { return kFloatDtypes.Has(dtype); }
constexpr bool IsComplex(ScalarType dtype) { return kComplexDtypes.Has(dtype); }
constexpr bool IsFloatOrComplex(ScalarType dtype) { return IsFloat(dtype) || IsComplex(dtype); }
// bool counts as integral here, as in at::isIntegralType(t, true).
constexpr bool IsIntegral(ScalarType dtype) { return kIntegralDtypes.Has(dtype); }

// c10::isSignedType, which throws for quantized dtypes and bits.
constexpr bool IsSignedDtype(ScalarType dtype) {
  return !(kBarebonesUnsignedDtypes | Dtypes{ScalarType::Byte, ScalarType::Bool, ScalarType::Float8_e8m0fnu})
              .Has(dtype);
}

// The bytes of an element, at least 1.
int64_t ItemSize(ScalarType dtype);

}  // namespace fakeprop
