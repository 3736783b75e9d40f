// Sizes that can be symbols: their expressions, the symbols, and the guards of a run.
//
//   for (const fakeprop::ShapeGuard& guard : annotated.guards())
//     std::cout << guard.expression << " for " << guard.node << "\n";   // Eq(Mod(batch, 8), 0) for view
//
// Source: torch/fx/experimental/symbolic_shapes.py (torch 2.13).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace fakeprop {

// A size, stride, offset or number of bytes: a number, or an expression over symbols.
struct SizeExpr {
  // Nothing if it depends on symbols.
  std::optional<int64_t> number = 0;
  // "2*s0 + 1", as SymPy reads it; empty for a number.
  std::string expression;
  // Its value at the hints of the symbols; for a number, the number. Nothing if it depends on data.
  std::optional<int64_t> hint = 0;

  friend bool operator==(const SizeExpr&, const SizeExpr&) = default;
};

// "3", "2*s0 + 1".
std::string ToString(const SizeExpr& size);
// "[3, 2*s0 + 1]".
std::string ToString(const std::vector<SizeExpr>& sizes);

// Numbers for symbols, by name: {{"batch", 8}}.
using SymbolNumbers = std::map<std::string, int64_t, std::less<>>;

// The size for these numbers of its symbols. Nothing if a symbol has none, or if the result is undefined or does not
// fit into 64 bits. Guards are not checked.
std::optional<int64_t> Evaluate(const SizeExpr& size, const SymbolNumbers& numbers);

// A symbol of a run.
struct ShapeSymbol {
  std::string name;            // "s0", "batch", "u0"
  std::optional<int64_t> min;  // the range that was declared, both ends included
  std::optional<int64_t> max;
  int64_t multiple_of = 1;
  std::optional<int64_t> hint;  // nothing for an unbacked symbol
  std::string source;           // "x.size(0)", or the node that made it; can be empty
  bool is_unbacked = false;     // it depends on data
};

// A condition that the results rely on. They are right for all sizes that satisfy the guards and the ranges.
struct ShapeGuard {
  std::string expression;     // "Eq(s0, 2*(s0//2))"
  std::string node;           // the node or operator that needed it; empty for a condition of the file or the spec
  std::string line;           // "net.py:12", if the file has Python's traces
  bool is_assertion = false;  // it depends on data: the model has to check it when it runs
};

// The symbols, all that is known about them, and the guards. A ShapeEnv also owns the expressions of the sizes that
// were made with it. Use it in one thread at a time; operators on fake tensors, which use the ShapeEnv of their mode,
// take care of this themselves.
class ShapeEnv;
std::shared_ptr<ShapeEnv> NewShapeEnv();

// In the order in which they were made.
std::vector<ShapeSymbol> ListSymbols(const ShapeEnv& env);
std::vector<ShapeGuard> ListGuards(const ShapeEnv& env);

}  // namespace fakeprop
