#include "lib/diff/diff_symbols.h"

#include "lib/error/error.h"

namespace fakeprop {

// The symbol that a size is; nothing for numbers and other expressions.
std::optional<JsonValue> SymbolPairs::SymbolOf(JsonValue size, const DiffSide& side) {
  return size.kind() == JsonKind::kString ? Symbols(side).Find(size.AsString()) : std::nullopt;
}

void SymbolPairs::Meet(JsonValue a, JsonValue b) {
  const std::optional<JsonValue> of_a = SymbolOf(a, a_), of_b = SymbolOf(b, b_);
  if (of_a && of_b) MeetNames(of_a->key(), of_b->key());
}

void SymbolPairs::MeetNames(std::string_view a, std::string_view b) {
  if (of_a_.contains(a) || of_b_.contains(b) || !Symbols(a_).Find(a) || !Symbols(b_).Find(b)) return;
  of_a_.emplace(a, b);
  of_b_.emplace(b, a);
}

void SymbolPairs::MeetByName() {
  for (JsonValue symbol : Symbols(a_)) MeetNames(symbol.key(), symbol.key());
  MakeNodes();
}

void SymbolPairs::MakeNodes() {
  const auto make = [&](const std::string& name) { return env_.NewSymbol(name, Range{}, std::nullopt, ""); };
  for (JsonValue symbol : Symbols(b_)) symbols_b_.emplace(symbol.key(), make(std::string(symbol.key())));
  for (JsonValue symbol : Symbols(a_)) {
    const auto partner = of_a_.find(symbol.key());
    symbols_a_.emplace(symbol.key(), partner != of_a_.end() ? symbols_b_.find(partner->second)->second
                                                            : make(std::string(symbol.key()) + " of the first"));
  }
}

Sym SymbolPairs::NodeOf(std::string_view text, const Renamed& symbols, Memo& memo) {
  const auto [known, is_new] = memo.emplace(text, nullptr);
  if (!is_new) return known->second;
  try {
    const std::optional<Expression> expression = ParseExpression(text);
    // A symbol that the annotations do not declare stands for nothing.
    if (expression) known->second = Build(*expression, env_, symbols);
  } catch (const OpError&) {  // undefined, or beyond 64 bits: compared as text
  }
  return known->second;
}

bool SymbolPairs::AreEqual(JsonValue a, JsonValue b) {
  if (a.kind() != b.kind()) return false;
  if (a.kind() == JsonKind::kInteger) return a.AsInt() == b.AsInt();
  if (a.kind() != JsonKind::kString) return false;
  const Sym in_a = NodeOfA(a.AsString()), in_b = NodeOfB(b.AsString());
  return in_a && in_b ? in_a == in_b : a.AsString() == b.AsString();
}

std::vector<std::pair<JsonValue, JsonValue>> SymbolPairs::Partners() const {
  std::vector<std::pair<JsonValue, JsonValue>> pairs;
  for (JsonValue symbol : Symbols(a_))
    if (const auto partner = of_a_.find(symbol.key()); partner != of_a_.end())
      pairs.emplace_back(symbol, Symbols(b_).Get(partner->second));
  return pairs;
}

}  // namespace fakeprop
