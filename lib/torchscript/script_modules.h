// Finds which values of a TorchScript graph are modules, and which of their attributes change during a run.
#pragma once

#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "lib/torchscript/script_data.h"
#include "lib/torchscript/script_graph.h"

namespace fakeprop {

struct ScriptModule {
  PickleIndex object = 0;
  std::string path;  // "layer1.0"; empty for the outermost one
};

class ScriptModules {
 public:
  // A module with attributes that can change: the graph sets them, they are lists, dicts or objects, or the code of the
  // class sets them. It gets a new
  // value in the graph. The nodes that read or set these attributes take that value instead of the module.
  struct Stateful {
    int32_t value;
    ScriptModule module;
    std::set<std::string> attributes;
    std::optional<PickleIndex> state;  // what the class's own code sets; then there are no attributes
  };

  // Follows the module, which is the graph's first input, through the code.
  ScriptModules(ScriptGraph& script, const ScriptData& data);

  // The module that a value is. Null if the value is not a module.
  const ScriptModule* Find(int32_t value) const;
  const std::vector<Stateful>& stateful() const { return stateful_; }
  std::string_view ClassOf(const ScriptModule& module) const { return data_.ClassOf(module.object); }

 private:
  struct Access {
    ScriptNode* node;
    ScriptModule module;
  };

  void Follow(ScriptBlock& block);
  void FollowAttribute(ScriptNode& node);
  std::optional<PickleIndex> StateOf(const ScriptModule& module) const;
  bool HasState(const Access& access) const;
  void MakeStateful(const Access& access);

  ScriptGraph& script_;
  const ScriptData& data_;
  std::unordered_map<int32_t, ScriptModule> modules_;
  std::vector<Access> accesses_;
  std::set<std::pair<PickleIndex, std::string>> set_;  // attributes that the graph sets
  std::map<PickleIndex, size_t> places_;               // index of each module in stateful_
  std::vector<Stateful> stateful_;
};

}  // namespace fakeprop
