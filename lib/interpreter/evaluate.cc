#include "lib/interpreter/evaluate.h"

#include "lib/graph/inline_size.h"
#include "lib/meta/value_visit.h"

namespace fakeprop {

void Evaluate(const Frame& frame, const ResolvedNode& resolved, FakeInputs& inputs, CallArguments& arguments) {
  for (const ArgumentSource& source : resolved.arguments) {
    if (source.node >= 0) arguments.Add(&frame.values[source.node]);
    else if (source.has_nodes) arguments.AddMade(Substitute(frame, inputs, *source.written));
    else arguments.Add(source.written);
  }
}

Value Substitute(const Frame& frame, FakeInputs& inputs, const Value& written) {
  return MapValues(written, [&](const Value& inner) -> Value {
    if (const NodeRef* ref = inner.TryGet<NodeRef>()) return frame.values[ref->index];
    const Opaque* opaque = inner.TryGet<Opaque>();
    const bool is_size = opaque && opaque->class_name == kInlineSize;
    return is_size ? Value(inputs.InlineSize(opaque->name)) : inner;
  });
}

}  // namespace fakeprop
