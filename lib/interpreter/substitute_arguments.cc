#include "lib/interpreter/substitute_arguments.h"

namespace fakeprop {

void Evaluate(const Frame& frame, const ResolvedNode& resolved, FakeInputs& inputs, CallArguments& arguments) {
  for (const ArgumentSource& source : resolved.arguments) {
    if (source.node >= 0) arguments.Add(&frame.values[source.node]);
    else if (source.plain) arguments.Add(source.plain);
    else arguments.AddMade(Substitute(frame, inputs, *source.written));
  }
}

Value Substitute(const Frame& frame, FakeInputs& inputs, const GraphValue& written) {
  return Fill(written, Overloaded{[&](NodeRef ref) { return frame.values[ref.index]; },
                           [&](const InlineSize& size) { return Value(inputs.SizeOf(size)); }});
}

}  // namespace fakeprop
