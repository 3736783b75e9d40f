#include "lib/fuzzer/outcomes.h"

#include <ATen/core/Tensor.h>

#include "lib/libtorch_fallback/plugin/result_tensors.h"
#include "lib/libtorch_fallback/plugin/run_operator.h"

namespace fakeprop::fuzzer {

using libtorch::Integers;

namespace {

// By its version: an operator may leave as it is what its schema marks as written.
bool IsWritten(const libtorch::ArgumentTensors& tensors, const Tensor& t) {
  for (const libtorch::ArgumentTensors::Pair& pair : tensors.pairs())
    if (pair.tensor == &t) return pair.version != pair.fake._version();
  return false;
}

void StateRealEffects(Call& call, Integers integers) {
  const c10::OperatorName name(std::string(call.schema().name), std::string(call.schema().overload));
  libtorch::RealTensors tensors(integers);
  const torch::jit::Stack results = libtorch::RunReal(call, tensors);
  libtorch::ReadEffects(*c10::Dispatcher::singleton().findSchema(name), results, tensors, call);
  for (Mutation& m : call.effects().mutations) m.writes = m.writes && IsWritten(tensors, *m.target);
}

}  // namespace

void RunOurs(const ServedRule* served, Call& call) {
  if (served) return RunRule(*served, call);
  libtorch::RunCall(call);
}

bool IsAboutData(const OpError& error) { return libtorch::MayBeAboutData(error.message()); }

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
