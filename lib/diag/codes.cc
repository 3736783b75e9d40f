#include "lib/diag/codes.h"

namespace fakeprop {

Code CodeOf(ErrorClass error_class) {
  switch (error_class) {
    case ErrorClass::kShapeMismatch: return {"FP3001", "ShapeMismatch"};
    case ErrorClass::kDtypeMismatch: return {"FP3002", "DtypeMismatch"};
    case ErrorClass::kDeviceMismatch: return {"FP3003", "DeviceMismatch"};
    case ErrorClass::kIndexOutOfRange: return {"FP3004", "IndexOutOfRange"};
    case ErrorClass::kValueError: return {"FP3005", "ValueError"};
    case ErrorClass::kTypeError: return {"FP3006", "TypeError"};
    case ErrorClass::kViewError: return {"FP3007", "ViewError"};
    case ErrorClass::kAutogradError: return {"FP3008", "AutogradError"};
    case ErrorClass::kOverflow: return {"FP3009", "Overflow"};
    case ErrorClass::kDataDependentOutput: return {"FP3010", "DataDependentOutput"};
    case ErrorClass::kDynamicOutputShape: return {"FP3011", "DynamicOutputShape"};
    case ErrorClass::kUnsupportedOperator: return {"FP3012", "UnsupportedOperator"};
    case ErrorClass::kMetadataMismatch: return {"FP3013", "MetadataMismatch"};
    case ErrorClass::kAssertionFailed: return {"FP3014", "AssertionFailed"};
    case ErrorClass::kInternal: return {"FP9001", "Internal"};
  }
  return {"FP9001", "Internal"};
}

}  // namespace fakeprop
