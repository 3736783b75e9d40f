// The values that blocks of TorchScript use without defining them.
#pragma once

#include <unordered_map>
#include <vector>

#include "lib/torchscript/script_graph.h"

namespace fakeprop {

class ScriptCaptures {
 public:
  // The values that a node's blocks take from outside of them, each once, in order of their first use.
  const std::vector<int32_t>& Of(const ScriptNode& node);

 private:
  std::unordered_map<const ScriptNode*, std::vector<int32_t>> found_;
};

}  // namespace fakeprop
