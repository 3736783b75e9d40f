// What calls on fake tensors end in, beside LibTorch's own exceptions: c10::IndexError, c10::ValueError, c10::TypeError
// and c10::Error are thrown where eager throws them. Source: the exceptions of torch/_subclasses/fake_tensor.py
// (torch 2.13).
#pragma once

#include <c10/util/Exception.h>

#include <string>

namespace fakeprop {

// Its message names the operator. A c10::Error, so that whoever catches LibTorch's exceptions catches it.
class FakeTensorError : public c10::Error {
 public:
  FakeTensorError(std::string op, std::string message);
  // "aten::nonzero"; empty where no operator was called.
  const std::string& op() const { return op_; }

 private:
  std::string op_;
};

// A tensor of a kind that has no fake (sparse, quantized, nested).
class UnsupportedFakeTensor : public FakeTensorError {
  using FakeTensorError::FakeTensorError;
};
// Operands on different devices.
class FakeTensorDeviceMismatch : public FakeTensorError {
  using FakeTensorError::FakeTensorError;
};
// A result whose shape depends on data.
class DynamicOutputShape : public FakeTensorError {
  using FakeTensorError::FakeTensorError;
};
// A number, or a decision, that depends on data.
class DataDependentOutput : public FakeTensorError {
  using FakeTensorError::FakeTensorError;
};
// Nothing serves the operator.
class UnsupportedOperator : public FakeTensorError {
  using FakeTensorError::FakeTensorError;
};
// A fallback kernel whose results alias its arguments in a way that its schema does not say.
class UnsupportedMutationAliasing : public FakeTensorError {
  using FakeTensorError::FakeTensorError;
};
// A decision about a size or number that data decides: the message names where it comes from, and what would settle it.
class GuardOnDataDependentSymNode : public FakeTensorError {
  using FakeTensorError::FakeTensorError;
};
// Real and fake run of an operator disagree (CrossCheck).
class MetadataMismatch : public FakeTensorError {
  using FakeTensorError::FakeTensorError;
};
// Real tensors, or those of another mode, where fakes of one mode are wanted.
class NotFake : public FakeTensorError {
  using FakeTensorError::FakeTensorError;
};

}  // namespace fakeprop
