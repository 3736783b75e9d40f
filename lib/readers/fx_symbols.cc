#include "lib/readers/fx_symbols.h"

#include "lib/symbolic/expression.h"

namespace fakeprop {
namespace {

void ReadSymbol(JsonValue json, Graph& graph, SymbolValues& hints) {
  SymbolRange range;
  for (JsonValue field : json.AsObject()) {
    if (field.IsNull()) continue;
    if (field.key() == "min") range.min = field.AsInt();
    else if (field.key() == "max") range.max = field.AsInt();
    else if (field.key() == "hint") hints.emplace(json.key(), field.AsInt());
    else field.Fail("a symbol has min, max and hint");
  }
  graph.ranges.emplace(json.key(), range);
}

void AddHint(RecordedSize& size, const SymbolValues& hints) {
  if (size.expression.empty() || size.hint) return;
  const std::optional<Expression> expression = ParseExpression(size.expression);
  const std::optional<Number> number = expression ? Evaluate(*expression, hints) : std::nullopt;
  if (number) size.hint = number->AsInteger();
}

void AddHints(Recorded& recorded, const SymbolValues& hints) {
  if (RecordedNumber* number = std::get_if<RecordedNumber>(&recorded)) return AddHint(number->integer, hints);
  RecordedTensor& tensor = std::get<RecordedTensor>(recorded);
  for (RecordedSize& size : tensor.sizes) AddHint(size, hints);
  for (RecordedSize& stride : tensor.strides) AddHint(stride, hints);
  AddHint(tensor.storage_offset, hints);
}

}  // namespace

void ReadFxSymbols(JsonValue json, Graph& graph) {
  SymbolValues hints;
  for (JsonValue symbol : json.AsObject()) ReadSymbol(symbol, graph, hints);
  for (const Input& input : graph.inputs)
    if (auto it = graph.recorded.find(graph.nodes[static_cast<size_t>(input.node)].name); it != graph.recorded.end())
      AddHints(it->second, hints);
}

}  // namespace fakeprop
