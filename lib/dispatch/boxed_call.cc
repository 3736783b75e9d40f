#include "lib/dispatch/boxed_call.h"

namespace fakeprop::dispatch {
namespace {

void RequireDefault(const Call& call, int argument) {
  const SchemaArgument& left_out = call.schema().arguments[argument];
  const Value& given = call.Arg(argument);
  if (left_out.default_value && ToString(*left_out.default_value) == ToString(given)) return;
  Fail(ErrorClass::kUnsupportedOperator, "LibTorch has no argument `" + std::string(left_out.name) + "` of " +
                                             std::string(call.schema().full_name) + ": it is older than the graph");
}

}  // namespace

torch::jit::Stack BoxArguments(const c10::OperatorHandle& op, const Call& call, const BoxArgument& box) {
  const auto& formal = op.schema().arguments();
  torch::jit::Stack stack(formal.size());
  size_t given = 0;
  for (int i = 0; i < static_cast<int>(call.size()); ++i) {
    const int position = PositionInLibTorch(op.schema(), call.schema(), i);
    if (position < 0) {
      RequireDefault(call, i);
      continue;
    }
    stack.at(position) = box(call.Arg(i), formal[position]);
    ++given;
  }
  if (given != formal.size())
    Fail(ErrorClass::kInternal, "the schema of " + std::string(call.schema().full_name) + " is not LibTorch's");
  return stack;
}

int PositionInLibTorch(const c10::FunctionSchema& libtorch, const Schema& schema, int argument) {
  if (!schema.varies) return argument;
  const SchemaArgument& ours = schema.arguments[argument];
  auto position = libtorch.argumentIndexWithName(ours.name);
  if (!position && !ours.former_name.empty()) position = libtorch.argumentIndexWithName(ours.former_name);
  return position.value_or(-1);
}

}  // namespace fakeprop::dispatch
