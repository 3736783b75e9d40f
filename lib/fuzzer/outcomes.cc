#include "lib/fuzzer/outcomes.h"

#include <ATen/core/Tensor.h>

#include <algorithm>

#include "lib/libtorch_fallback/plugin/result_tensors.h"
#include "lib/libtorch_fallback/plugin/run_operator.h"

namespace fakeprop::fuzzer {
namespace {

// Of messages about elements rather than metadata.
constexpr std::string_view kDataWords[] = {"allocated size does not match", "Boolean value of Tensor",
    "Class values must be", "converge", "Expected p_in >=", "Index out of range", "index out of range",
    "Invalid packed weight", "is out of bounds", "Length of all samples", "max must be larger than min",
    "must be in range", "must be in the range", "negative dimensions are not", "not positive", "offsets[",
    "out of bounds:", "Pivots given", "probabilities", "probability", "should be between 0 and 1",
    "should be non-negative", "singular", "value cannot be converted to type", "ZeroDivisionError"};

// By its version: an operator may leave as it is what its schema marks as written.
bool IsWritten(const libtorch::ArgumentTensors& tensors, const Tensor& t) {
  for (const libtorch::ArgumentTensors::Pair& pair : tensors.pairs())
    if (pair.tensor == &t) return pair.version != pair.fake._version();
  return false;
}

void StateRealEffects(Call& call, Integers integers) {
  const c10::OperatorName name(std::string(call.schema().name), std::string(call.schema().overload));
  RealTensors tensors(integers);
  const torch::jit::Stack results = RunReal(call, tensors);
  libtorch::ReadEffects(*c10::Dispatcher::singleton().findSchema(name), results, tensors, call);
  for (Mutation& m : call.effects().mutations) m.writes = m.writes && IsWritten(tensors, *m.target);
}

}  // namespace

void RunOurs(const ServedRule* served, Call& call) {
  if (served) return RunRule(*served, call);
  libtorch::RunCall(call);
}

bool IsAboutData(const OpError& error) {
  const std::string& message = error.message();
  return std::any_of(std::begin(kDataWords), std::end(kDataWords),
      [&](std::string_view words) { return message.find(words) != std::string::npos; });
}

bool IsDataDependent(const OpError& error) {
  return error.error_class() == ErrorClass::kDataDependentOutput ||
         error.error_class() == ErrorClass::kDynamicOutputShape;
}

Outcome RealOutcome(Call& call) {
  Outcome first;
  for (Integers integers : {Integers::kZerosAndOnes, Integers::kZeros, Integers::kOnes}) {
    Outcome outcome = OutcomeOf(call, [&](Call& c) { StateRealEffects(c, integers); });
    if (!outcome.error) return outcome;
    if (!first.error || (IsAboutData(*first.error) && !IsAboutData(*outcome.error))) first = std::move(outcome);
  }
  return first;
}

}  // namespace fakeprop::fuzzer
