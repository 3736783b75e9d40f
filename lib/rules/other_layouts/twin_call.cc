#include "lib/rules/other_layouts/twin_call.h"

#include "lib/base/check.h"
#include "lib/meta/value_visit.h"
#include "lib/rules/rule_table.h"
#include "lib/schema/schema_table.h"

namespace fakeprop::rules {

TwinCall::TwinCall(Call& call, std::string_view op) : call_(call), schema_(*FindSchema(op)) {}

TwinCall& TwinCall::Put(ArgumentName name, TensorMeta meta) {
  given_.emplace_back(&call_.TensorArg(name), std::move(meta));
  return *this;
}

Effects& TwinCall::Run() {
  std::vector<const Value*> arguments;
  for (const Value* argument : call_.arguments()) arguments.push_back(&values_.emplace_back(Twin(*argument)));
  const ServedRule* served = FindRule(schema_);
  FAKEPROP_CHECK(served);
  Call twin(schema_, arguments, call_.state(), call_.device(), effects_);
  RunRule(*served, twin);
  return effects_;
}

TensorMeta TwinCall::Result() {
  const Output& result = Run().outputs.at(0);
  return result.kind == Output::Kind::kArgument ? result.source->meta : result.meta;
}

Value TwinCall::Twin(const Value& value) {
  return MapTensors(value, [this](Tensor& t) { return TwinOf(t); });
}

Tensor* TwinCall::TwinOf(const Tensor& t) {
  Tensor& twin = tensors_.emplace_back(t);
  twin.parts = nullptr;
  for (const auto& [tensor, meta] : given_)
    if (tensor == &t) return twin.meta = meta, &twin;
  if (OtherLayoutOf(t.meta.layout)) twin.meta = ContiguousMeta(t.meta.size_span(), t.meta.dtype, t.meta.device);
  return &twin;
}

void StridedResult(Call& call) {
  TwinCall twin(call);
  for (Output& output : twin.Run().outputs) {
    if (output.kind == Output::Kind::kValue) {
      call.ReturnNumber(output.value);
      continue;
    }
    const TensorMeta& meta = output.kind == Output::Kind::kArgument ? output.source->meta : output.meta;
    call.ReturnNew(ContiguousMeta(meta.size_span(), meta.dtype, meta.device));
  }
}

}  // namespace fakeprop::rules
