// The dtypes that an operator takes, with the words for it.
#pragma once

#include "lib/meta/dtype.h"

namespace fakeprop {

struct DtypeClass {
  Dtypes dtypes;
  std::string_view text;          // "takes floating-point tensors, not {}": the dtype seen is the last value
  std::string_view text_of_bool;  // where bool is refused with other words

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

}  // namespace fakeprop
