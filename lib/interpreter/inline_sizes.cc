#include "lib/interpreter/inline_sizes.h"

#include <algorithm>

#include "lib/error/error.h"

namespace fakeprop {

InlineSizes::InlineSizes(const Graph& graph, const std::vector<InputValue>& inputs, ShapeEnv& env) : env_(env) {
  for (size_t i = 0; i < graph.inputs.size() && i < inputs.size(); ++i) {
    const auto it = graph.recorded.find(graph.nodes[graph.inputs[i].node].name);
    if (it == graph.recorded.end()) continue;
    if (const auto* tensor = std::get_if<RecordedTensor>(&it->second); tensor && inputs[i].is_tensor) {
      const size_t rank = std::min(tensor->sizes.size(), inputs[i].meta.sizes.size());
      for (size_t d = 0; d < rank; ++d) Bind(tensor->sizes[d], inputs[i].meta.sizes[d]);
    } else if (const auto* number = std::get_if<RecordedNumber>(&it->second)) {
      if (const Dim* is = inputs[i].value.TryGet<Dim>()) Bind(number->integer, *is);
    }
  }
}

void InlineSizes::Bind(const RecordedSize& recorded, Dim is) {
  const auto expression = ParseExpression(recorded.expression);
  if (!expression || !expression->IsSymbol()) return;
  const auto number = is.TryNumber();
  symbols_.emplace(expression->name, number ? env_.Integer(*number) : is.Expression());
}

Dim InlineSizes::Of(std::string_view spelling) const {
  const auto expression = ParseExpression(spelling);
  const Sym size = expression ? Build(*expression, env_, symbols_) : nullptr;
  const auto fail = [&](const char* why) {
    Fail(ErrorClass::kValueError, "the size `" + std::string(spelling) + "` " + why);
  };
  if (!size) fail("has a symbol that no input has");
  if (size->type != SymType::kInt) fail("is no integer");
  return Dim::Of(size);
}

}  // namespace fakeprop
