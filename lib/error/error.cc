#include "lib/error/error.h"

namespace fakeprop {

std::string_view Name(ErrorClass error_class) {
  switch (error_class) {
    case ErrorClass::kShapeMismatch: return "ShapeMismatch";
    case ErrorClass::kDtypeMismatch: return "DtypeMismatch";
    case ErrorClass::kDeviceMismatch: return "DeviceMismatch";
    case ErrorClass::kIndexOutOfRange: return "IndexOutOfRange";
    case ErrorClass::kValueError: return "ValueError";
    case ErrorClass::kTypeError: return "TypeError";
    case ErrorClass::kViewError: return "ViewError";
    case ErrorClass::kAutogradError: return "AutogradError";
    case ErrorClass::kOverflow: return "Overflow";
    case ErrorClass::kDataDependentOutput: return "DataDependentOutput";
    case ErrorClass::kDynamicOutputShape: return "DynamicOutputShape";
    case ErrorClass::kUnsupportedOperator: return "UnsupportedOperator";
    case ErrorClass::kMetadataMismatch: return "MetadataMismatch";
    case ErrorClass::kAssertionFailed: return "AssertionFailed";
    case ErrorClass::kDataDependentGuard: return "DataDependentGuard";
    case ErrorClass::kInternal: return "Internal";
  }
  return "Internal";
}

void Fail(ErrorClass error_class, std::string message, std::vector<const Tensor*> operands) {
  throw OpError(error_class, std::move(message), std::move(operands));
}

}  // namespace fakeprop
