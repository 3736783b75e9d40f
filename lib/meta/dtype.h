// Dtypes by name and their promotion. Source: c10/core/ScalarType.cpp, torch/_prims_common elementwise_dtypes (2.13).
#pragma once

#include <c10/core/ScalarType.h>

#include <optional>
#include <string_view>

namespace fakeprop {

using c10::ScalarType;

// torch's long names: "float32", "bfloat16", "bool".
std::string_view DtypeName(ScalarType dtype);
std::optional<ScalarType> DtypeFromName(std::string_view name);
// "f32", "bf16", "b8", "i64": for messages and tables.
std::string_view ShortDtypeName(ScalarType dtype);

bool IsFloat(ScalarType dtype);
bool IsComplex(ScalarType dtype);
inline bool IsFloatOrComplex(ScalarType dtype) { return IsFloat(dtype) || IsComplex(dtype); }
// bool counts as integral here, as in at::isIntegralType(t, true).
bool IsIntegral(ScalarType dtype);

// torch.promote_types; a pair that torch does not promote is an OpError of class DtypeMismatch.
ScalarType PromoteTypes(ScalarType a, ScalarType b);
// torch.can_cast(from, to): what an in-place or out= result may be stored as.
bool CanCast(ScalarType from, ScalarType to);
// The dtype of |z| for complex z; others as they are.
ScalarType ToRealDtype(ScalarType dtype);
ScalarType ToComplexDtype(ScalarType dtype);

}  // namespace fakeprop
