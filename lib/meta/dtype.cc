#include "lib/meta/dtype.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "lib/base/check.h"
#include "lib/error/error.h"

namespace fakeprop {
namespace {

struct DtypeRow {
  std::string_view c10_name;
  std::string_view name;  // empty where torch has no name for users; then the c10 name serves
  std::string_view short_name;
  std::string_view cpp_name;
  int64_t item_size;
};

// In the order of ScalarType.
constexpr DtypeRow kRows[] = {
    {"Byte", "uint8", "u8", "unsigned char", 1},
    {"Char", "int8", "i8", "signed char", 1},
    {"Short", "int16", "i16", "short int", 2},
    {"Int", "int32", "i32", "int", 4},
    {"Long", "int64", "i64", "long int", 8},
    {"Half", "float16", "f16", "c10::Half", 2},
    {"Float", "float32", "f32", "float", 4},
    {"Double", "float64", "f64", "double", 8},
    {"ComplexHalf", "complex32", "c32", "c10::complex<c10::Half>", 4},
    {"ComplexFloat", "complex64", "c64", "c10::complex<float>", 8},
    {"ComplexDouble", "complex128", "c128", "c10::complex<double>", 16},
    {"Bool", "bool", "b8", "bool", 1},
    {"QInt8", "qint8", "qi8", "c10::qint8", 1},
    {"QUInt8", "quint8", "qu8", "c10::quint8", 1},
    {"QInt32", "qint32", "qi32", "c10::qint32", 4},
    {"BFloat16", "bfloat16", "bf16", "c10::BFloat16", 2},
    {"QUInt4x2", "quint4x2", "qu4x2", "c10::quint4x2", 1},
    {"QUInt2x4", "quint2x4", "qu2x4", "c10::quint2x4", 1},
    {"Bits1x8", "", "", "c10::bits1x8", 1},
    {"Bits2x4", "", "", "c10::bits2x4", 1},
    {"Bits4x2", "", "", "c10::bits4x2", 1},
    {"Bits8", "", "", "c10::bits8", 1},
    {"Bits16", "", "", "c10::bits16", 2},
    {"Float8_e5m2", "float8_e5m2", "f8e5m2", "c10::Float8_e5m2", 1},
    {"Float8_e4m3fn", "float8_e4m3fn", "f8e4m3fn", "c10::Float8_e4m3fn", 1},
    {"Float8_e5m2fnuz", "float8_e5m2fnuz", "f8e5m2fnuz", "c10::Float8_e5m2fnuz", 1},
    {"Float8_e4m3fnuz", "float8_e4m3fnuz", "f8e4m3fnuz", "c10::Float8_e4m3fnuz", 1},
    {"UInt16", "uint16", "u16", "short unsigned int", 2},
    {"UInt32", "uint32", "u32", "unsigned int", 4},
    {"UInt64", "uint64", "u64", "long unsigned int", 8},
    {"UInt1", "", "", "c10::dummy_uint1_7_t<1>", 1},
    {"UInt2", "", "", "c10::dummy_uint1_7_t<2>", 1},
    {"UInt3", "", "", "c10::dummy_uint1_7_t<3>", 1},
    {"UInt4", "", "", "c10::dummy_uint1_7_t<4>", 1},
    {"UInt5", "", "", "c10::dummy_uint1_7_t<5>", 1},
    {"UInt6", "", "", "c10::dummy_uint1_7_t<6>", 1},
    {"UInt7", "", "", "c10::dummy_uint1_7_t<7>", 1},
    {"Int1", "", "", "c10::dummy_int1_7_t<1>", 1},
    {"Int2", "", "", "c10::dummy_int1_7_t<2>", 1},
    {"Int3", "", "", "c10::dummy_int1_7_t<3>", 1},
    {"Int4", "", "", "c10::dummy_int1_7_t<4>", 1},
    {"Int5", "", "", "c10::dummy_int1_7_t<5>", 1},
    {"Int6", "", "", "c10::dummy_int1_7_t<6>", 1},
    {"Int7", "", "", "c10::dummy_int1_7_t<7>", 1},
    {"Float8_e8m0fnu", "float8_e8m0fnu", "f8e8m0fnu", "c10::Float8_e8m0fnu", 1},
    {"Float4_e2m1fn_x2", "float4_e2m1fn_x2", "f4e2m1fnx2", "c10::Float4_e2m1fn_x2", 1},
    {"Undefined", "", "", "nullptr (uninitialized)", 1},
};
static_assert(std::size(kRows) == static_cast<size_t>(ScalarType::NumOptions));

const DtypeRow& RowOf(ScalarType dtype) {
  const auto i = static_cast<size_t>(dtype);
  FAKEPROP_CHECK(i < std::size(kRows));
  return kRows[i];
}

std::string_view NameOr(std::string_view name, const DtypeRow& row) { return name.empty() ? row.c10_name : name; }

[[noreturn]] void FailToPromote(ScalarType a, ScalarType b) {
  Fail(ErrorClass::kDtypeMismatch,
      "no common type to promote " + std::string(DtypeName(a)) + " and " + std::string(DtypeName(b)) + " to");
}

// Two floating-point dtypes of 2, 4 or 8 bytes, or one and a dtype that gives way to it.
ScalarType PromoteFloats(ScalarType a, ScalarType b) {
  if (!IsFloat(a)) return b;
  if (!IsFloat(b) || a == b) return a;
  if (ItemSize(a) == ItemSize(b)) return ScalarType::Float;  // float16 and bfloat16
  return ItemSize(a) < ItemSize(b) ? b : a;
}

ScalarType PromoteIntegers(ScalarType a, ScalarType b) {
  if (a == ScalarType::Bool) return b;
  if (b == ScalarType::Bool) return a;
  if (ItemSize(a) == ItemSize(b)) return ScalarType::Short;  // uint8 and int8
  return ItemSize(a) < ItemSize(b) ? b : a;
}

constexpr Dtypes kInPromotionTable =
    kFloat32Or64 | kHalfDtypes | kComplexDtypes | kSignedIntegerDtypes | Dtypes{ScalarType::Byte, ScalarType::Bool};
// With these alone a barebones unsigned integer promotes.
constexpr Dtypes kTakesBarebones = kFloat32Or64 | kHalfDtypes | ScalarType::Float4_e2m1fn_x2;

}  // namespace

std::string_view DtypeName(ScalarType dtype) { return NameOr(RowOf(dtype).name, RowOf(dtype)); }
std::string_view ShortDtypeName(ScalarType dtype) { return NameOr(RowOf(dtype).short_name, RowOf(dtype)); }
std::string_view C10DtypeName(ScalarType dtype) { return RowOf(dtype).c10_name; }
std::string_view CppTypeName(ScalarType dtype) { return RowOf(dtype).cpp_name; }
int64_t ItemSize(ScalarType dtype) { return RowOf(dtype).item_size; }

std::optional<ScalarType> DtypeFromName(std::string_view name) {
  const auto row = std::find_if(std::begin(kRows), std::end(kRows), [&](const DtypeRow& r) { return r.name == name; });
  if (row == std::end(kRows) || name.empty()) return std::nullopt;
  return static_cast<ScalarType>(row - std::begin(kRows));
}

ScalarType PromoteTypes(ScalarType a, ScalarType b) {
  const auto either = [&](Dtypes set) { return set.Has(a) || set.Has(b); };
  if (a == b) return a;
  if (either(ScalarType::Undefined)) return ScalarType::Undefined;
  if (either(kQuantizedDtypes)) FailToPromote(a, b);
  if (either(kBitsDtypes)) return ScalarType::Undefined;
  if (either(kBarebonesUnsignedDtypes) && either(kTakesBarebones)) return kTakesBarebones.Has(a) ? a : b;
  if (!kInPromotionTable.Has(a) || !kInPromotionTable.Has(b)) FailToPromote(a, b);
  if (either(kComplexDtypes)) return ToComplexDtype(PromoteFloats(ToRealDtype(a), ToRealDtype(b)));
  return either(kFloatDtypes) ? PromoteFloats(a, b) : PromoteIntegers(a, b);
}

bool CanCast(ScalarType from, ScalarType to) {
  if (IsComplex(from) && !IsComplex(to)) return false;
  if (IsFloat(from) && kIntegerDtypes.Has(to)) return false;
  return from == ScalarType::Bool || to != ScalarType::Bool;
}

ScalarType ToRealDtype(ScalarType dtype) {
  switch (dtype) {
    case ScalarType::ComplexHalf: return ScalarType::Half;
    case ScalarType::ComplexFloat: return ScalarType::Float;
    case ScalarType::ComplexDouble: return ScalarType::Double;
    default: return dtype;
  }
}

ScalarType ToComplexDtype(ScalarType dtype) {
  switch (dtype) {
    case ScalarType::Half: return ScalarType::ComplexHalf;
    case ScalarType::Float:
    case ScalarType::BFloat16: return ScalarType::ComplexFloat;  // bfloat16 has the range of float32
    case ScalarType::Double: return ScalarType::ComplexDouble;
    default: break;
  }
  if (IsComplex(dtype)) return dtype;
  Fail(ErrorClass::kDtypeMismatch, "there is no complex dtype of " + std::string(DtypeName(dtype)) +
                                       " parts: Unknown Complex ScalarType for " + std::string(C10DtypeName(dtype)));
}

}  // namespace fakeprop
