#include "lib/fake/testing/mode_tail.h"

#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

#include "lib/dispatch/errors.h"
#include "lib/dispatch/hazards.h"
#include "lib/dispatch/values.h"
#include "lib/fake/fake_tensor_mode.h"
#include "lib/fake/serve.h"
#include "lib/tail/results.h"
#include "lib/tail/run.h"
#include "lib/tail/walk_guard.h"

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

torch::jit::Stack Box(const c10::OperatorHandle& op, Call& call, tail::ArgumentTensors& tensors) {
  torch::jit::Stack stack;
  for (size_t i = 0; i < call.size(); ++i)
    stack.push_back(dispatch::ToIValue(
        call.Arg(static_cast<int>(i)), op.schema().arguments()[i], [&](Tensor& t) { return tensors.Make(t); }));
  return stack;
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
  dispatch::RefuseHazards(call);
  const FakeTensorMode mode;
  tail::ArgumentTensors tensors;
  torch::jit::Stack stack;
  {
    const fake::BelowMode below(*mode.state());
    stack = Box(*op, call, tensors);
  }
  try {
    const tail::WalkGuard guard(call.state());
    const FakeModeGuard on(mode);
    op->callBoxed(stack);
  } catch (const c10::Error& e) {
    throw AsOpError(e);
  }
  tail::ReadEffects(*op, stack, tensors, call);
}

ModeTail::ModeTail() { tail::Prepare(); }

bool ModeTail::Knows(std::string_view name) { return tail::IsRegistered(name); }

}  // namespace fakeprop::testing
