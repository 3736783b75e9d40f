// Parts of PyTorch's own messages. Our messages say in our words what is wrong, and then in PyTorch's words what eager
// mode says, for users who search for them.
#pragma once

#include <string>

#include "lib/meta/dim.h"
#include "lib/meta/dtype.h"
#include "lib/rules/core/operand.h"

namespace fakeprop {

// "Float", "Long", "Bool", as in `not implemented for 'Long'`.
inline std::string TorchName(ScalarType dtype) { return std::string(C10DtypeName(dtype)); }
// "float", "long int", "c10::Half", as in `expected dtype float but got long int`.
inline std::string TorchCppName(ScalarType dtype) { return std::string(CppTypeName(dtype)); }
// "(3 x 8)"
std::string TorchSizes(DimSpan sizes);
// "self", without quotes.
std::string TorchName(const Operand& argument);

// Adds PyTorch's words to the text of a dtype class about a dtype that it does not have: "takes floating-point tensors,
// not int64: not implemented for 'Long'". If `refusal` is a rule's own text with PyTorch's words, it is returned as it
// is.
std::string WithTorchWords(std::string refusal, ScalarType dtype);

// `has no kernel for bool on the cpu: "pow" not implemented for 'Bool'`, of a kernel that is not compiled for a dtype.
std::string NoCpuKernel(std::string_view kernel, ScalarType dtype);
// Demands of a call on the cpu that its kernel of this name is compiled for the dtype. Throws an OpError of class
// DtypeMismatch.
void RequireCompiled(const Call& call, std::string_view kernel, ScalarType dtype, Dtypes refused);

// The reason why sizes do not expand to others. Source: at::inferExpandGeometry.
std::string ExpandMismatch(DimSpan from, DimSpan to);

}  // namespace fakeprop
