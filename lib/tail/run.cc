#include "lib/tail/run.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

#include "lib/tail/devices.h"
#include "lib/tail/fallback.h"
#include "lib/tail/results.h"
#include "lib/tail/session.h"
#include "lib/tail/values.h"
#include "lib/tail/walk_guard.h"

namespace fakeprop::tail {
namespace {

std::optional<c10::OperatorHandle> FindOperator(std::string_view full_name) {
  const size_t space = full_name.find("::");
  const size_t dot = full_name.find('.', space == std::string_view::npos ? 0 : space);
  c10::OperatorName name(std::string(full_name.substr(0, dot)),
                         dot == std::string_view::npos ? "" : std::string(full_name.substr(dot + 1)));
  return c10::Dispatcher::singleton().findSchema(name);
}

torch::jit::Stack BoxArguments(const c10::OperatorHandle& op, const Call& call, ArgumentTensors& tensors) {
  const auto& arguments = op.schema().arguments();
  if (arguments.size() != call.size())
    Fail(ErrorClass::kInternal, "the schema of " + std::string(call.schema().full_name) + " is not LibTorch's");
  const MakeTensor make = [&](Tensor& t) { return tensors.Make(t); };
  torch::jit::Stack stack;
  for (size_t i = 0; i < arguments.size(); ++i) stack.push_back(ToIValue(call.Arg(static_cast<int>(i)), arguments[i], make));
  return stack;
}

}  // namespace

void Prepare() {
  RegisterFakeDevices();
  RegisterFakeFallback();
}

bool IsRegistered(std::string_view full_name) { return FindOperator(full_name).has_value(); }

void RunCall(Call& call) {
  const auto op = FindOperator(call.schema().full_name);
  if (!op) Fail(ErrorClass::kUnsupportedOperator, "LibTorch has no operator " + std::string(call.schema().full_name));
  Session session(call.state());
  torch::jit::Stack stack = BoxArguments(*op, call, session.arguments());
  {
    const WalkGuard guard(call.state());
    op->callBoxed(stack);
  }
  ReadEffects(*op, stack, session.arguments(), call);
}

}  // namespace fakeprop::tail
