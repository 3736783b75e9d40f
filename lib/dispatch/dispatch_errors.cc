#include "lib/dispatch/dispatch_errors.h"

#include <c10/util/Exception.h>

#include <algorithm>

namespace fakeprop::dispatch {
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
    {"fixed-size array", ErrorClass::kValueError},
    {"not implemented for '", ErrorClass::kDtypeMismatch},
    {"could not run", ErrorClass::kUnsupportedOperator},
    {"could not resolve the process group", ErrorClass::kUnsupportedOperator},
    {"nestedtensorimpl", ErrorClass::kUnsupportedOperator},
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
    {"modified inplace", ErrorClass::kAutogradError},
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
    {"square", ErrorClass::kShapeMismatch},
};

// Before this, a message is about the call, and after it about the place in LibTorch or about its build.
constexpr std::string_view kBeforeAssertion = " INTERNAL ASSERT FAILED";
constexpr std::string_view kBeforeBuild = " This could be because the operator doesn't exist for this backend";

// From 2.14 on, these stand before what LibTorch always said.
constexpr std::string_view kNewNames[] = {"addmm: ", "mm: "};

std::string_view WithoutNewName(std::string_view message) {
  for (std::string_view name : kNewNames)
    if (message.starts_with(name)) return message.substr(name.size());
  return message;
}

}  // namespace

ErrorClass ClassOfMessage(std::string_view message) {
  std::string lower(message);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  for (const Clue& clue : kClues)
    if (lower.find(clue.words) != std::string::npos) return clue.error_class;
  return ErrorClass::kValueError;
}

std::string PlainMessage(std::string_view message) {
  message = WithoutNewName(message.substr(0, message.find('\n')));
  const size_t assertion = message.find(kBeforeAssertion);
  if (assertion != std::string_view::npos) return "LibTorch asserts " + std::string(message.substr(0, assertion));
  return std::string(message.substr(0, message.find(kBeforeBuild)));
}

OpError ToOpError(const c10::Error& error) {
  const std::string message = PlainMessage(error.what_without_backtrace());
  if (dynamic_cast<const c10::IndexError*>(&error)) return {ErrorClass::kIndexOutOfRange, message};
  const ErrorClass found = ClassOfMessage(message);
  // LibTorch says this about missing kernels, about dtypes without a kernel, and about the data of a fake tensor.
  const bool is_clear = found == ErrorClass::kDataDependentOutput || found == ErrorClass::kDtypeMismatch;
  if (dynamic_cast<const c10::NotImplementedError*>(&error) && !is_clear)
    return {ErrorClass::kUnsupportedOperator, message};
  return {found, message};
}

}  // namespace fakeprop::dispatch
