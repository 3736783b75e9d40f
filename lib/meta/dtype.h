// Dtypes by name and their promotion. Source: c10/core/ScalarType.cpp, torch/_prims_common elementwise_dtypes (2.13).
#pragma once

#include <c10/core/ScalarType.h>

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>

namespace fakeprop {

using c10::ScalarType;

// torch's long names: "float32", "bfloat16", "bool".
std::string_view DtypeName(ScalarType dtype);
std::optional<ScalarType> DtypeFromName(std::string_view name);
// "f32", "bf16", "b8", "i64": for messages and tables.
std::string_view ShortDtypeName(ScalarType dtype);

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

inline constexpr Dtypes kFloatDtypes = {ScalarType::Float, ScalarType::Double, ScalarType::Half, ScalarType::BFloat16,
    ScalarType::Float8_e5m2, ScalarType::Float8_e4m3fn, ScalarType::Float8_e5m2fnuz, ScalarType::Float8_e4m3fnuz,
    ScalarType::Float8_e8m0fnu, ScalarType::Float4_e2m1fn_x2};
inline constexpr Dtypes kComplexDtypes = {ScalarType::ComplexHalf, ScalarType::ComplexFloat, ScalarType::ComplexDouble};
// The integral dtypes with bool, as in at::isIntegralType(t, true).
inline constexpr Dtypes kIntegralDtypes = {ScalarType::Byte, ScalarType::Char, ScalarType::Short, ScalarType::Int,
    ScalarType::Long, ScalarType::UInt16, ScalarType::UInt32, ScalarType::UInt64, ScalarType::Bool};
inline constexpr Dtypes kHalfDtypes = {ScalarType::Half, ScalarType::BFloat16};
inline constexpr Dtypes kFloat32Or64 = {ScalarType::Float, ScalarType::Double};

bool IsFloat(ScalarType dtype);
bool IsComplex(ScalarType dtype);
inline bool IsFloatOrComplex(ScalarType dtype) { return IsFloat(dtype) || IsComplex(dtype); }
// bool counts as integral here, as in at::isIntegralType(t, true).
bool IsIntegral(ScalarType dtype);

// torch.promote_types. Throws an OpError of class DtypeMismatch for a pair that torch does not promote.
ScalarType PromoteTypes(ScalarType a, ScalarType b);
// torch.can_cast(from, to): returns true if an in-place or out= result may be stored in the dtype `to`.
bool CanCast(ScalarType from, ScalarType to);
// The dtype of |z| for a complex z. Other dtypes are returned as they are.
ScalarType ToRealDtype(ScalarType dtype);
ScalarType ToComplexDtype(ScalarType dtype);

}  // namespace fakeprop
