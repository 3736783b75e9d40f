// The names that torch.fx gives to nodes. Source: _Namespace, _snake_case and Graph._target_to_str in
// torch/fx/graph.py (torch 2.13).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace fakeprop {

// The names in use in one graph.
class FxNamespace {
 public:
  // Makes a new name from `candidate` and notes that it is in use.
  std::string CreateName(std::string_view candidate);

 private:
  std::unordered_set<std::string> used_;
  std::unordered_map<std::string, int64_t> base_count_;
};

// The candidate for a node that has no name of its own: "torch.ops.aten.add.Tensor" -> "add.tensor",
// "_operator.getitem" -> "getitem", "torch.ops.higher_order.cond" -> "cond".
std::string NameOfTarget(std::string_view target);

// The candidate for a placeholder or attribute: "someInput" -> "some_input".
std::string NameOfAttribute(std::string_view target);

}  // namespace fakeprop
