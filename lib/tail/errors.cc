#include "lib/tail/errors.h"

#include <c10/util/Exception.h>

#include <algorithm>

namespace fakeprop::tail {
namespace {

struct Clue {
  std::string_view words;
  ErrorClass error_class;
};

// Most telling first: a message about devices may mention shapes as well.
constexpr Clue kClues[] = {
    {"same device", ErrorClass::kDeviceMismatch},
    {"on the same", ErrorClass::kDeviceMismatch},
    {"different device", ErrorClass::kDeviceMismatch},
    {"could not run", ErrorClass::kUnsupportedOperator},
    {"not implemented", ErrorClass::kUnsupportedOperator},
    {"not supported on meta", ErrorClass::kUnsupportedOperator},
    {"without aten_cuda library", ErrorClass::kUnsupportedOperator},
    {"cannot be called on meta tensors", ErrorClass::kDataDependentOutput},
    {"data-dependent", ErrorClass::kDataDependentOutput},
    {"data dependent", ErrorClass::kDataDependentOutput},
    {"data pointer", ErrorClass::kDataDependentOutput},
    {"data_ptr", ErrorClass::kDataDependentOutput},
    {"data is not allocated", ErrorClass::kDataDependentOutput},
    {"a leaf variable", ErrorClass::kAutogradError},
    {"in-place operation", ErrorClass::kAutogradError},
    {"require grad", ErrorClass::kAutogradError},
    {"requires grad", ErrorClass::kAutogradError},
    {"differentiation", ErrorClass::kAutogradError},
    {"view size is not compatible", ErrorClass::kViewError},
    {"share the same memory", ErrorClass::kViewError},
    {"single memory location", ErrorClass::kViewError},
    {"out of bounds", ErrorClass::kIndexOutOfRange},
    {"out of range", ErrorClass::kIndexOutOfRange},
    {"overflow", ErrorClass::kOverflow},
    {"dtype", ErrorClass::kDtypeMismatch},
    {"scalar type", ErrorClass::kDtypeMismatch},
    {"can't be cast", ErrorClass::kDtypeMismatch},
    {"complex", ErrorClass::kDtypeMismatch},
    {"shape", ErrorClass::kShapeMismatch},
    {"size", ErrorClass::kShapeMismatch},
    {"dimension", ErrorClass::kShapeMismatch},
    {"dimensional", ErrorClass::kShapeMismatch},
};

std::string FirstLine(std::string_view message) { return std::string(message.substr(0, message.find('\n'))); }

}  // namespace

ErrorClass ClassOfMessage(std::string_view message) {
  std::string lower(message);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  for (const Clue& clue : kClues)
    if (lower.find(clue.words) != std::string::npos) return clue.error_class;
  return ErrorClass::kValueError;
}

OpError ToOpError(const c10::Error& error) {
  const std::string message = FirstLine(error.what_without_backtrace());
  if (dynamic_cast<const c10::IndexError*>(&error)) return {ErrorClass::kIndexOutOfRange, message};
  if (dynamic_cast<const c10::NotImplementedError*>(&error)) {
    // The data pointer of a fake tensor says so too; that is another matter.
    const ErrorClass found = ClassOfMessage(message);
    return {found == ErrorClass::kDataDependentOutput ? found : ErrorClass::kUnsupportedOperator, message};
  }
  return {ClassOfMessage(message), message};
}

}  // namespace fakeprop::tail
