// A set of dtypes that operators take, with its text in messages.
#pragma once

#include "lib/meta/dtype.h"

namespace fakeprop {

struct DtypeClass {
  Dtypes dtypes;
  std::string_view text;          // "takes floating-point tensors, not {}"; the last value is the dtype that was seen
  std::string_view text_of_bool;  // the text for bool, if it is another one

  std::string_view TextFor(ScalarType dtype) const {
    return dtype == ScalarType::Bool && !text_of_bool.empty() ? text_of_bool : text;
  }
};

inline constexpr DtypeClass kAnyDtype{~Dtypes(), ""};
inline constexpr DtypeClass kFloating{kFloatDtypes, "takes floating-point tensors, not {}"};
inline constexpr DtypeClass kFloatingOrComplex{
    kFloatDtypes | kComplexDtypes, "takes floating-point or complex tensors, not {}"};
inline constexpr DtypeClass kIntegral{kIntegralDtypes, "takes integral tensors, not {}"};  // bool counts
inline constexpr DtypeClass kNotComplex{~kComplexDtypes, "is not defined for complex tensors, but got {}"};
inline constexpr DtypeClass kNotBool{~Dtypes(ScalarType::Bool), "is not defined for bool tensors"};
// Neither complex nor bool.
inline constexpr DtypeClass kReal{kNotComplex.dtypes - ScalarType::Bool, kNotComplex.text, kNotBool.text};
// Integral without bool.
inline constexpr DtypeClass kInteger{kIntegralDtypes - ScalarType::Bool, kIntegral.text, kNotBool.text};
inline constexpr DtypeClass kIndexDtype{{ScalarType::Long, ScalarType::Int}, "takes an int64 or int32 index, not {}"};
inline constexpr DtypeClass kMask{
    {ScalarType::Bool, ScalarType::Byte}, "takes a bool mask, not {}: expected BoolTensor for mask"};

}  // namespace fakeprop
