// Runs the operators that the Python function or higher-order operator of one node calls.
#pragma once

#include "lib/interpreter/call_site.h"

namespace fakeprop {

class NodeHost final : public OperatorHost {
 public:
  explicit NodeHost(CallSite site) : site_(site) {}

  Value CallOperator(const Schema& schema, std::span<const Value* const> arguments) override;
  Tensor* FindAttribute(std::string_view path) override { return site_.runtime.inputs.FindAttribute(path); }
  bool HasAttributesBelow(std::string_view path) override { return site_.runtime.inputs.HasAttributesBelow(path); }
  ExecutionState& state() override { return site_.runtime.state; }
  ObjectTable& objects() override { return site_.runtime.objects; }

 private:
  const CallSite site_;
};

}  // namespace fakeprop
