// Questions about data in LibTorch's own formulas, answered without data.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

namespace fakeprop::fake {

// Some of LibTorch's backward formulas and composites ask for data to choose between ways of the same metadata, or to
// check their input: is a value NaN (max), where are the zeros (prod), is a matrix normal (linalg_eig). Inside of such
// a formula the answers are those for generic data: no element is zero, NaN or masked, all differ, and checks of
// closeness hold. Code of users, such as a torch::autograd::Function, gets no such answers.

// As long as it lives, this thread runs such a composite. `masked` is the number of elements that a mask selects, and
// `truth` the answer to questions for a bool.
class GenericData {
 public:
  explicit GenericData(int64_t masked = 0, bool truth = false);
  ~GenericData();
  GenericData(const GenericData&) = delete;

  int64_t masked() const { return masked_; }
  bool truth() const { return truth_; }

 private:
  const int64_t masked_;
  const bool truth_;
  const GenericData* const outer_;
};

// Returns true for calls of an operator whose results do not depend on data, although FakeTensorMode raises for the
// operator. Null if it has no such calls.
using IsDecided = bool (*)(c10::ArrayRef<c10::IValue> arguments);
IsDecided DecisionOf(const c10::OperatorHandle& op);

// Returns true for operators that AnswerForGenericData knows.
bool AsksForData(const c10::OperatorHandle& op);

// Returns true while calls are answered so.
bool AnswersForGenericData();

// Answers the call if it asks for data and this thread is inside of such a formula. Else leaves the stack as it is and
// returns false.
bool AnswerForGenericData(const c10::OperatorHandle& op, torch::jit::Stack& stack);

}  // namespace fakeprop::fake
