// Which modules the values of a TorchScript graph are, and which of their attributes change during a run.
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
  // A module with attributes that the graph sets, or that are lists, dicts and objects, which can change: it is a value
  // of its own, new in the graph, which the nodes that read or set those attributes take in place of the module.
  struct Stateful {
    int32_t value;
    ScriptModule module;
    std::set<std::string> attributes;
  };

  // Follows the module, which is the graph's first input, through the code.
  ScriptModules(ScriptGraph& script, const ScriptData& data);

  // The module that a value is; null for what is none.
  const ScriptModule* Find(int32_t value) const;
  const std::vector<Stateful>& stateful() const { return stateful_; }

 private:
  struct Access {
    ScriptNode* node;
    ScriptModule module;
  };

  void Follow(ScriptBlock& block);
  void FollowAttribute(ScriptNode& node);
  bool HasState(const Access& access) const;
  void MakeStateful(const Access& access);

  ScriptGraph& script_;
  const ScriptData& data_;
  std::unordered_map<int32_t, ScriptModule> modules_;
  std::vector<Access> accesses_;
  std::set<std::pair<PickleIndex, std::string>> set_;  // attributes that the graph sets
  std::map<PickleIndex, size_t> places_;               // of modules in stateful_
  std::vector<Stateful> stateful_;
};

}  // namespace fakeprop
