// Names of nodes: "layer1.0.conv1/conv2d". Each name is unique in its graph.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "lib/base/text_arena.h"
#include "lib/torchscript/script_data.h"
#include "lib/torchscript/script_graph.h"

namespace fakeprop {

// Appends _1, _2 ... to names that exist already.
class UniqueNames {
 public:
  std::string Make(std::string name);

 private:
  std::unordered_map<std::string, size_t> used_;  // names, with the number of names that were made from each
};

// A value's name without the number that makes it unique: "input.7" -> "input". If the name is only a number: "28" ->
// "v28".
std::string PlainName(std::string_view name);

class ScriptNames {
 public:
  ScriptNames(const ScriptData& data, const std::vector<std::string>& texts, TextArena& arena)
      : data_(data), texts_(texts), arena_(arena) {}

  // The module's path and the operator's bare name.
  std::string NameOf(const ScriptNode& node) const;
  // The modules around the node, as export files write them: ",,zoo.MLP;,fc,torch.nn.modules.linear.Linear".
  std::string_view StackOf(const ScriptNode& node);

 private:
  const ScriptData& data_;
  const std::vector<std::string>& texts_;
  TextArena& arena_;
  std::unordered_map<int32_t, std::string_view> stacks_;  // by the text of the path
};

}  // namespace fakeprop
