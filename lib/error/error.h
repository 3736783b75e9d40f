// The errors of operator calls: mistakes in the graph, or questions that metadata cannot answer.
#pragma once

#include <exception>
#include <string>
#include <string_view>
#include <vector>

namespace fakeprop {

struct Tensor;

// Stable names, written into annotations as the error's class. Append only.
enum class ErrorClass {
  kShapeMismatch,        // sizes that do not fit together or an operator's demands
  kDtypeMismatch,        // dtypes that an operator does not take or does not mix
  kDeviceMismatch,       // operands on different devices
  kIndexOutOfRange,      // a dimension or index outside its tensor
  kValueError,           // any other argument with a value that the operator refuses
  kTypeError,            // an argument of a type that the operator's schema does not take
  kViewError,            // strides, storage or aliasing do not allow the view
  kAutogradError,        // autograd forbids it: an in-place write to a leaf, resizing a tensor that requires grad
  kOverflow,             // a size or storage beyond int64
  kDataDependentOutput,  // the result is a number that depends on data
  kDynamicOutputShape,   // the result's shape depends on data
  kUnsupportedOperator,  // fakeprop cannot serve the operator
  kMetadataMismatch,     // branches, or repeated calls of a subgraph, have different results
  kAssertionFailed,      // an assertion in the graph that metadata shows to be false
  kDataDependentGuard,   // the program has to decide by a size that depends on data
  kInternal,             // a bug in fakeprop
};

std::string_view Name(ErrorClass error_class);

// Thrown by a rule and caught in one place, around one node.
class OpError : public std::exception {
 public:
  // `operands`: the tensors in question, if they are not all tensors of the call.
  OpError(ErrorClass error_class, std::string message, std::vector<const Tensor*> operands = {})
      : error_class_(error_class), message_(std::move(message)), operands_(std::move(operands)) {}

  ErrorClass error_class() const { return error_class_; }
  const std::string& message() const { return message_; }
  const std::vector<const Tensor*>& operands() const { return operands_; }
  const char* what() const noexcept override { return message_.c_str(); }

 private:
  ErrorClass error_class_;
  std::string message_;
  std::vector<const Tensor*> operands_;
};

[[noreturn]] void Fail(ErrorClass error_class, std::string message, std::vector<const Tensor*> operands = {});

}  // namespace fakeprop
