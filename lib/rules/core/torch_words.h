// What PyTorch's own messages are made of. A demand of ours says what is wrong in our words, and what eager says in
// PyTorch's, for those who search for them.
#pragma once

#include <c10/core/ScalarTypeToTypeMeta.h>

#include <string>

#include "lib/meta/dim.h"
#include "lib/meta/dtype.h"
#include "lib/rules/core/operand.h"

namespace fakeprop {

// "Float", "Long", "Bool", as in `not implemented for 'Long'`.
inline const char* TorchName(ScalarType dtype) { return c10::toString(dtype); }
// "float", "long int", "c10::Half", as in `expected dtype float but got long int`.
inline std::string TorchCppName(ScalarType dtype) { return std::string(c10::scalarTypeToTypeMeta(dtype).name()); }
// "(3 x 8)"
std::string TorchSizes(DimSpan sizes);
// "self", without quotes.
std::string TorchName(const Operand& argument);

// What a class of dtypes says of one that it lacks, and then what PyTorch says: "takes floating-point tensors, not
// int64: not implemented for 'Long'". `refusal` is the class's text, or a rule's own, which has PyTorch's words in it
// and stays as it is.
std::string WithTorchWords(std::string refusal, ScalarType dtype);

// Why sizes do not expand to others. Source: at::inferExpandGeometry.
std::string ExpandMismatch(DimSpan from, DimSpan to);

}  // namespace fakeprop
