#include "lib/meta/dtype.h"

#include <c10/core/ScalarType.h>

#include <string>

#include "lib/error/error.h"

namespace fakeprop {
namespace {

struct DtypeNames {
  ScalarType dtype;
  std::string_view name;
  std::string_view short_name;
};

constexpr DtypeNames kNames[] = {
    {ScalarType::Float, "float32", "f32"},
    {ScalarType::Long, "int64", "i64"},
    {ScalarType::Bool, "bool", "b8"},
    {ScalarType::BFloat16, "bfloat16", "bf16"},
    {ScalarType::Half, "float16", "f16"},
    {ScalarType::Double, "float64", "f64"},
    {ScalarType::Int, "int32", "i32"},
    {ScalarType::Short, "int16", "i16"},
    {ScalarType::Char, "int8", "i8"},
    {ScalarType::Byte, "uint8", "u8"},
    {ScalarType::UInt16, "uint16", "u16"},
    {ScalarType::UInt32, "uint32", "u32"},
    {ScalarType::UInt64, "uint64", "u64"},
    {ScalarType::ComplexHalf, "complex32", "c32"},
    {ScalarType::ComplexFloat, "complex64", "c64"},
    {ScalarType::ComplexDouble, "complex128", "c128"},
    {ScalarType::Float8_e4m3fn, "float8_e4m3fn", "f8e4m3fn"},
    {ScalarType::Float8_e5m2, "float8_e5m2", "f8e5m2"},
    {ScalarType::Float8_e4m3fnuz, "float8_e4m3fnuz", "f8e4m3fnuz"},
    {ScalarType::Float8_e5m2fnuz, "float8_e5m2fnuz", "f8e5m2fnuz"},
    {ScalarType::Float8_e8m0fnu, "float8_e8m0fnu", "f8e8m0fnu"},
    {ScalarType::Float4_e2m1fn_x2, "float4_e2m1fn_x2", "f4e2m1fnx2"},
    {ScalarType::QInt8, "qint8", "qi8"},
    {ScalarType::QUInt8, "quint8", "qu8"},
    {ScalarType::QInt32, "qint32", "qi32"},
    {ScalarType::QUInt4x2, "quint4x2", "qu4x2"},
    {ScalarType::QUInt2x4, "quint2x4", "qu2x4"},
};

}  // namespace

std::string_view DtypeName(ScalarType dtype) {
  for (const DtypeNames& n : kNames)
    if (n.dtype == dtype) return n.name;
  return c10::toString(dtype);
}

std::string_view ShortDtypeName(ScalarType dtype) {
  for (const DtypeNames& n : kNames)
    if (n.dtype == dtype) return n.short_name;
  return c10::toString(dtype);
}

std::optional<ScalarType> DtypeFromName(std::string_view name) {
  for (const DtypeNames& n : kNames)
    if (n.name == name) return n.dtype;
  return std::nullopt;
}

bool IsFloat(ScalarType dtype) { return c10::isFloatingType(dtype); }
bool IsComplex(ScalarType dtype) { return c10::isComplexType(dtype); }
bool IsIntegral(ScalarType dtype) { return c10::isIntegralType(dtype, /*includeBool=*/true); }

ScalarType PromoteTypes(ScalarType a, ScalarType b) {
  if (a == b) return a;
  try {
    return c10::promoteTypes(a, b);
  } catch (const c10::Error&) {
    Fail(ErrorClass::kDtypeMismatch,
        "no common type to promote " + std::string(DtypeName(a)) + " and " + std::string(DtypeName(b)) + " to");
  }
}

bool CanCast(ScalarType from, ScalarType to) { return c10::canCast(from, to); }

ScalarType ToRealDtype(ScalarType dtype) { return IsComplex(dtype) ? c10::toRealValueType(dtype) : dtype; }

ScalarType ToComplexDtype(ScalarType dtype) { return IsComplex(dtype) ? dtype : c10::toComplexType(dtype); }

}  // namespace fakeprop
