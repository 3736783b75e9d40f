#include "lib/interpreter/node_host.h"

#include "lib/interpreter/operator_call.h"

namespace fakeprop {

const ServedOperator& OperatorCache::Find(const Schema& schema, int torch) {
  const auto it = found_.find(&schema);
  if (it != found_.end()) return it->second;
  const ServedRule* rule = FindRule(schema);
  return found_.emplace(&schema, ServedOperator{schema, rule, FindGradRule(schema, rule, torch)}).first->second;
}

Value NodeHost::CallOperator(const Schema& schema, std::span<const Value* const> arguments) {
  CallArguments given(arguments);
  Value result = fakeprop::CallOperator(site_, site_.runtime.operators.Find(schema, site_.runtime.state.torch), given);
  if (site_.keeps_calls) site_.runtime.annotations.AddCall(schema, given.span(), result);
  return result;
}

}  // namespace fakeprop
