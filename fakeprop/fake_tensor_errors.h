// The exceptions that calls on fake tensors throw. LibTorch's own (c10::IndexError, c10::ValueError, c10::TypeError and
// c10::Error) are thrown too, wherever eager mode throws them. Source: the exceptions in
// torch/_subclasses/fake_tensor.py (torch 2.13).
#pragma once

#include <c10/util/Exception.h>

#include <string>

namespace fakeprop {

// Its message names the operator. It is a c10::Error, so code that catches LibTorch's exceptions catches it too.
class FakeTensorError : public c10::Error {
 public:
  FakeTensorError(std::string op, std::string message);
  // "aten::nonzero"; empty if no operator was called.
  const std::string& op() const { return op_; }

 private:
  std::string op_;
};

// The tensor is of a kind that cannot be fake: sparse, quantized or nested.
class UnsupportedFakeTensor : public FakeTensorError {
  using FakeTensorError::FakeTensorError;
};
// The operands are on different devices.
class FakeTensorDeviceMismatch : public FakeTensorError {
  using FakeTensorError::FakeTensorError;
};
// The shape of a result depends on data.
class DynamicOutputShape : public FakeTensorError {
  using FakeTensorError::FakeTensorError;
};
// A number or a decision depends on data.
class DataDependentOutput : public FakeTensorError {
  using FakeTensorError::FakeTensorError;
};
// No rule, registered implementation or kernel serves the operator.
class UnsupportedOperator : public FakeTensorError {
  using FakeTensorError::FakeTensorError;
};
// The results of a fallback kernel alias its arguments, and its schema does not say so.
class UnsupportedMutationAliasing : public FakeTensorError {
  using FakeTensorError::FakeTensorError;
};
// The program has to decide about a size or number that depends on data. The message names the origin of the number,
// and the checks that would settle the question.
class GuardOnDataDependentSymNode : public FakeTensorError {
  using FakeTensorError::FakeTensorError;
};
// The real and the fake run of an operator disagree (cross_check in FakeTensorModeOptions).
class MetadataMismatch : public FakeTensorError {
  using FakeTensorError::FakeTensorError;
};
// A call mixes fakes with real tensors or with fakes of another mode.
class NotFake : public FakeTensorError {
  using FakeTensorError::FakeTensorError;
};

}  // namespace fakeprop
