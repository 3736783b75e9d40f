#include "lib/libtorch_fallback/plugin/run_operator.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>
#include <c10/util/Exception.h>

#include "lib/dispatch/boxed_call.h"
#include "lib/dispatch/dispatch_errors.h"
#include "lib/dispatch/fake_devices.h"
#include "lib/dispatch/fallback.h"
#include "lib/dispatch/ivalues.h"
#include "lib/dispatch/refused_calls.h"
#include "lib/dispatch/rule_service.h"
#include "lib/libtorch_fallback/plugin/plugin_session.h"
#include "lib/libtorch_fallback/plugin/result_tensors.h"
#include "lib/libtorch_fallback/plugin/thread_state_guard.h"

namespace fakeprop::libtorch {

using namespace dispatch;

namespace {

std::optional<c10::OperatorHandle> FindOperator(std::string_view full_name) {
  const size_t space = full_name.find("::");
  const size_t dot = full_name.find('.', space == std::string_view::npos ? 0 : space);
  c10::OperatorName name(std::string(full_name.substr(0, dot)),
      dot == std::string_view::npos ? "" : std::string(full_name.substr(dot + 1)));
  return c10::Dispatcher::singleton().findSchema(name);
}

// What LibTorch warns of (deprecations, unreached fast paths) is no finding about a graph.
struct NoWarnings final : c10::WarningHandler {
  void process(const c10::Warning&) override {}
};
NoWarnings no_warnings;

torch::jit::Stack Box(const c10::OperatorHandle& op, const Call& call, ArgumentTensors& tensors) {
  const MakeTensor make = [&](Tensor& t) { return tensors.Make(t); };
  return BoxArguments(
      op, call, [&](const Value& value, const c10::Argument& argument) { return ToIValue(value, argument, make); });
}

void RunDispatched(const c10::OperatorHandle& op, Call& call) {
  const c10::WarningUtils::WarningHandlerGuard quiet(&no_warnings);
  Session session(call.state());
  torch::jit::Stack stack = Box(op, call, session.arguments());
  try {
    const ThreadStateGuard guard(call.state());
    op.callBoxed(stack);
  } catch (const c10::Error& e) {
    throw ToOpError(e);
  }
  ReadEffects(op, stack, session.arguments(), call);
}

}  // namespace

void Prepare() {
  RegisterFakeDevices();
  RegisterFakeFallback();
}

bool IsRegistered(std::string_view full_name) { return FindOperator(full_name).has_value(); }

void RunCall(Call& call, Rules rules) {
  const Schema& schema = call.schema();
  const auto op = FindOperator(schema.full_name);
  if (!op) Fail(ErrorClass::kUnsupportedOperator, "LibTorch has no operator " + std::string(schema.full_name));
  RefuseCalls(call);
  const WithoutRule left_out(rules == Rules::kInnerOnly ? schema.full_name : "");
  RunDispatched(*op, call);
}

}  // namespace fakeprop::libtorch
