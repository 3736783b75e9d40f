// Compares expressions of two runs, whose symbols may have other names.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "lib/diff/diff_side.h"
#include "lib/symbolic/build.h"

namespace fakeprop {

// The symbols of one run, each with the symbol of the other run that stands for the same size.
class SymbolPairs {
 public:
  SymbolPairs(const DiffSide& a, const DiffSide& b) : a_(a), b_(b) {}

  // The two sizes stand for the same. If both are symbols without a partner, they become partners.
  void Meet(JsonValue a, JsonValue b);
  void MeetNames(std::string_view a, std::string_view b);
  // Symbols without a partner get the one of their own name, if that has none either. Call it after the last Meet.
  void MeetByName();

  // Returns true if both are the same number, text or expression.
  bool AreEqual(JsonValue a, JsonValue b);
  // The expression of one run as a node; equal expressions are one node. Null if it is not understood.
  Sym NodeOfA(std::string_view expression) { return NodeOf(expression, symbols_a_, memo_a_); }
  Sym NodeOfB(std::string_view expression) { return NodeOf(expression, symbols_b_, memo_b_); }

  // In the order of `a`'s symbols.
  std::vector<std::pair<JsonValue, JsonValue>> Partners() const;

 private:
  using Memo = std::unordered_map<std::string_view, Sym>;
  using Partner = std::map<std::string_view, std::string_view>;

  Sym NodeOf(std::string_view expression, const Renamed& symbols, Memo& memo);
  void MakeNodes();
  static std::optional<JsonValue> SymbolOf(JsonValue size, const DiffSide& side);
  static JsonValue Symbols(const DiffSide& side) { return side.root().Get("symbols"); }

  const DiffSide& a_;
  const DiffSide& b_;
  Partner of_a_, of_b_;
  ShapeEnv env_;
  Renamed symbols_a_, symbols_b_;
  Memo memo_a_, memo_b_;
};

}  // namespace fakeprop
