#include "lib/fake/testing/mode_fallback.h"

#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

#include "fakeprop/fake_tensor_mode.h"
#include "lib/dispatch/boxed_call.h"
#include "lib/dispatch/dispatch_errors.h"
#include "lib/dispatch/ivalues.h"
#include "lib/dispatch/refused_calls.h"
#include "lib/fake/serve.h"
#include "lib/libtorch_fallback/plugin/result_tensors.h"
#include "lib/libtorch_fallback/plugin/run_operator.h"
#include "lib/libtorch_fallback/plugin/thread_state_guard.h"

namespace fakeprop::testing {
namespace {

struct NoWarnings final : c10::WarningHandler {
  void process(const c10::Warning&) override {}
};

std::optional<c10::OperatorHandle> Find(std::string_view full_name) {
  const size_t dot = full_name.find('.', full_name.find("::"));
  const std::string name(full_name.substr(0, dot)),
      overload(dot == std::string_view::npos ? "" : full_name.substr(dot + 1));
  return c10::Dispatcher::singleton().findSchema({name, overload});
}

torch::jit::Stack Box(const c10::OperatorHandle& op, Call& call, libtorch::ArgumentTensors& tensors) {
  const dispatch::MakeTensor make = [&](Tensor& t) { return tensors.Make(t); };
  return dispatch::BoxArguments(op, call,
      [&](const Value& value, const c10::Argument& argument) { return dispatch::ToIValue(value, argument, make); });
}

OpError AsOpError(const c10::Error& e) {
  if (dynamic_cast<const DataDependentOutput*>(&e)) return {ErrorClass::kDataDependentOutput, e.msg()};
  if (dynamic_cast<const DynamicOutputShape*>(&e)) return {ErrorClass::kDynamicOutputShape, e.msg()};
  if (dynamic_cast<const FakeTensorDeviceMismatch*>(&e)) return {ErrorClass::kDeviceMismatch, e.msg()};
  if (dynamic_cast<const UnsupportedOperator*>(&e)) return {ErrorClass::kUnsupportedOperator, e.msg()};
  return dispatch::ToOpError(e);
}

}  // namespace

void RunInMode(Call& call) {
  static NoWarnings no_warnings;
  const c10::WarningUtils::WarningHandlerGuard quiet(&no_warnings);
  const auto op = Find(call.schema().full_name);
  if (!op) Fail(ErrorClass::kUnsupportedOperator, "LibTorch has no operator " + std::string(call.schema().full_name));
  dispatch::RefuseCalls(call);
  const FakeTensorMode mode;
  libtorch::ArgumentTensors tensors;
  torch::jit::Stack stack;
  {
    const fake::BelowMode below(*fake::StateOf(mode));
    stack = Box(*op, call, tensors);
  }
  try {
    const libtorch::ThreadStateGuard guard(call.state());
    const FakeModeGuard on(mode);
    op->callBoxed(stack);
  } catch (const c10::Error& e) {
    throw AsOpError(e);
  }
  libtorch::ReadEffects(*op, stack, tensors, call);
}

ModeFallback::ModeFallback() { libtorch::Prepare(); }

bool ModeFallback::Knows(std::string_view name) { return libtorch::IsRegistered(name); }

}  // namespace fakeprop::testing
