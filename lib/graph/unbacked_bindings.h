// The symbols that a node makes of data: what they are called, and where in its result they stand.
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

// A symbol and the place in the node's result that has its value: "size(0)", "[1].stride(2)", "storage_offset()";
// empty where the result is the symbol itself, "__int__()" where it is a bool. Source: compute_unbacked_bindings in
// torch/fx/experimental/symbolic_shapes.py (torch 2.13).
struct UnbackedBinding {
  const SymNode* symbol = nullptr;
  std::string place;
};

// Where the unbacked symbols from `first` on (by their order in the environment) stand in a result. Those that are not
// in it, such as of a branch that another was merged with, are left out.
std::vector<UnbackedBinding> FindBindings(const ShapeEnv& env, size_t first, const Value& result);

// Names that a file recorded for unbacked symbols, by the node at which they first show.
class RecordedNames {
 public:
  explicit RecordedNames(const Graph& graph);
  // In the order of their numbers.
  const std::vector<std::string>& Of(int32_t node) const;

 private:
  std::vector<std::vector<std::string>> names_;
};

}  // namespace fakeprop
