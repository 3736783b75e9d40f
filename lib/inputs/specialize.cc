// Replaces symbols by their hints.
#include "lib/inputs/inputs.h"
#include "lib/symbolic/shape_env.h"

namespace fakeprop {
namespace {

void PutInHints(TensorMeta& meta) {
  for (Dim& size : meta.sizes) size = size.Hint().value_or(0);
  for (Dim& stride : meta.strides) stride = stride.Hint().value_or(0);
  meta.storage_offset = meta.storage_offset.Hint().value_or(0);
}

Value HintOf(const Value& value) {
  if (auto d = value.TryGet<Dim>()) return Dim(d->Hint().value_or(0));
  auto s = value.TryGet<Symbolic>();
  return s && s->expression->hint ? Value::Of(s->expression->env->Constant(*s->expression->hint)) : value;
}

}  // namespace

std::string SpecializeToHints(std::vector<InputValue>& inputs, const ShapeEnv& env) {
  for (InputValue& input : inputs) {
    if (input.is_tensor) PutInHints(input.meta);
    else if (const Value* plain = input.value.TryPlain()) input.value = HintOf(*plain);
  }
  std::string text;
  for (const SymbolInfo& symbol : env.symbols())
    if (symbol.hint) text += (text.empty() ? "" : ", ") + symbol.node->name + " = " + std::to_string(*symbol.hint);
  return text;
}

}  // namespace fakeprop
