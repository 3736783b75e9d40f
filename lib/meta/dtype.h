// Dtypes by name and their promotion. Source: c10/core/ScalarType.cpp, torch/_prims_common elementwise_dtypes (2.13).
#pragma once

#include <optional>
#include <string_view>

#include "lib/meta/scalar_type.h"

namespace fakeprop {

// torch's long names: "float32", "bfloat16", "bool".
std::string_view DtypeName(ScalarType dtype);
std::optional<ScalarType> DtypeFromName(std::string_view name);
// "f32", "bf16", "b8", "i64": for messages and tables.
std::string_view ShortDtypeName(ScalarType dtype);
// c10::toString: "Float", "Long", "Bool".
std::string_view C10DtypeName(ScalarType dtype);
// caffe2::TypeMeta's name, that of the C++ type: "float", "long int", "c10::Half".
std::string_view CppTypeName(ScalarType dtype);

// torch.promote_types. Throws an OpError of class DtypeMismatch for a pair that torch does not promote.
ScalarType PromoteTypes(ScalarType a, ScalarType b);
// torch.can_cast(from, to): returns true if an in-place or out= result may be stored in the dtype `to`.
bool CanCast(ScalarType from, ScalarType to);
// The dtype of |z| for a complex z. Other dtypes are returned as they are.
ScalarType ToRealDtype(ScalarType dtype);
// The complex dtype of such parts. Throws an OpError of class DtypeMismatch if there is none.
ScalarType ToComplexDtype(ScalarType dtype);

}  // namespace fakeprop
