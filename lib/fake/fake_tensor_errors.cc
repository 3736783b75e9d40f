#include "fakeprop/fake_tensor_errors.h"

#include "lib/dispatch/dispatch_errors.h"
#include "lib/fake/throw_for.h"

namespace fakeprop {
namespace {

std::string Named(const std::string& op, std::string message) {
  return op.empty() || message.find(op) != std::string::npos ? std::move(message) : op + ": " + message;
}

// What a program can do about the error.
const char* HintFor(const std::string& op) {
  if (op == "aten::_local_scalar_dense")
    return ": item() and its like answer for literals (FakeTensorMode::FromLiteral), and give symbols with a ShapeEnv";
  return op.empty() || op.starts_with("aten::") ? "" : "; RegisterFakeImpl can say what it gives";
}

}  // namespace

FakeTensorError::FakeTensorError(std::string op, std::string message)
    : c10::Error(Named(op, std::move(message))), op_(std::move(op)) {}

void fake::ThrowFor(const std::string& op, const OpError& error) {
  const std::string message = Named(op, error.message());
  if (dynamic_cast<const dispatch::UndeclaredAliasing*>(&error)) throw UnsupportedMutationAliasing(op, message);
  switch (error.error_class()) {
    case ErrorClass::kDeviceMismatch: throw FakeTensorDeviceMismatch(op, message);
    case ErrorClass::kDynamicOutputShape: throw DynamicOutputShape(op, message);
    case ErrorClass::kDataDependentOutput: throw DataDependentOutput(op, message + HintFor(op));
    case ErrorClass::kDataDependentGuard: throw GuardOnDataDependentSymNode(op, message);
    case ErrorClass::kUnsupportedOperator: throw UnsupportedOperator(op, message + HintFor(op));
    case ErrorClass::kMetadataMismatch: throw MetadataMismatch(op, message);
    case ErrorClass::kIndexOutOfRange: throw c10::IndexError(message);
    case ErrorClass::kValueError: throw c10::ValueError(message);
    case ErrorClass::kTypeError: throw c10::TypeError(message);
    default: throw c10::Error(message);
  }
}

}  // namespace fakeprop
