#include "lib/rules/support/outputs.h"

#include "lib/meta/dtype.h"
#include "lib/rules/core/failures.h"
#include "lib/rules/support/memory_overlap.h"

namespace fakeprop::rules {

Output NewOutput(TensorMeta meta) {
  Output out;
  out.kind = Output::Kind::kNew;
  out.meta = std::move(meta);
  return out;
}

Output ViewOutput(Tensor& of, TensorMeta meta) {
  Output out = NewOutput(std::move(meta));
  out.kind = Output::Kind::kView;
  out.source = &of;
  return out;
}

Output ArgumentOutput(Tensor& argument) {
  Output out;
  out.kind = Output::Kind::kArgument;
  out.source = &argument;
  return out;
}

Output UntrackedViewOutput(const Call& call, Tensor& of, TensorMeta meta) {
  Output out = ViewOutput(of, std::move(meta));
  out.kind = Output::Kind::kAlias;
  out.requires_grad = call.state().grad_enabled && of.RequiresGrad() && IsFloatOrComplex(out.meta.dtype);
  return out;
}

Output& Return(Call& call, Output output) { return call.effects().outputs.emplace_back(std::move(output)); }

void ReturnList(Call& call, std::vector<Output> items) {
  Output& list = call.effects().outputs.emplace_back();
  list.kind = Output::Kind::kList;
  list.items = std::move(items);
}

Output& ReturnViewOfSelf(Call& call, TensorMeta meta) {
  return call.ReturnView(call.In("self").tensor(), std::move(meta));
}

void ReturnWritten(Call& call, const Operand& t) {
  RequireUnshared(call, t);
  call.Write(t.tensor());
  call.ReturnArgument(t.tensor());
}

void WriteExpanded(Call& call, Rule functional) {
  functional(call);
  const Operand self = call.In("self");
  const DimSpan sizes = call.effects().outputs[0].meta.size_span();
  RequireShape(call, ExpectSame(sizes, self->size_span()),
      {"keeps its shape: output with shape {} doesn't match the broadcast shape {}", self->sizes, sizes});
  call.effects().outputs.clear();
  call.Write(self.tensor());
  call.ReturnArgument(self.tensor());
}

void ReturnSelf(Call& call) { call.ReturnArgument(call.In("self").tensor()); }
void ReturnAliasOfSelf(Call& call) { call.ReturnAlias(call.In("self").tensor(), *call.In("self")); }

}  // namespace fakeprop::rules
