// The unbacked symbols that a node makes: their names, and where its result has them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace fakeprop {

class ShapeEnv;
class Value;
struct Graph;
struct SymNode;

// A symbol and the place in the node's result that has its value: "size(0)", "[1].stride(2)", "storage_offset()". The
// place is empty if the result is the symbol itself, and "__int__()" if that is a bool. Source:
// compute_unbacked_bindings in torch/fx/experimental/symbolic_shapes.py (torch 2.13).
struct UnbackedBinding {
  const SymNode* symbol = nullptr;
  std::string place;
};

// Finds the unbacked symbols from `first` on (by their order in the environment) in a result. Symbols that are not in
// the result are left out, such as those of a branch that was merged with another.
std::vector<UnbackedBinding> FindBindings(const ShapeEnv& env, size_t first, const Value& result);

// The names that a file recorded for unbacked symbols, by the node whose result has them first.
class RecordedNames {
 public:
  explicit RecordedNames(const Graph& graph);
  // In the order of their numbers.
  const std::vector<std::string>& Of(int32_t node) const;

 private:
  std::vector<std::vector<std::string>> names_;
};

}  // namespace fakeprop
