// Attributes of a TorchScript module as a graph uses them: tensors in Graph::attributes, plain values as they are.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "lib/graph/graph.h"
#include "lib/torchscript/script_data.h"
#include "lib/torchscript/script_modules.h"

namespace fakeprop {

// Exactly one of the three fields is set.
struct ScriptAttribute {
  int32_t member = -1;         // for a tensor: index into Graph::attributes
  std::optional<Value> plain;  // a number, string, device or None
  std::string problem;         // the reason why it is neither
};

class ScriptAttributes {
 public:
  ScriptAttributes(const ScriptData& data, Graph& root) : data_(data), root_(root) {}

  ScriptAttribute Find(const ScriptModule& module, const std::string& name);
  // A tensor among the code's constants.
  ScriptAttribute Constant(size_t number);
  // The number in such a tensor, if it is of rank 0.
  std::optional<Value> NumberOfConstant(size_t number) const { return data_.ReadConstantNumber(number); }

  // The arguments of prim::Module: the class, then names and values of the attributes. A value that needs a node of its
  // own is passed to `add`, which returns the node's index.
  std::vector<Argument> StateOf(
      const ScriptModule& module, const std::set<std::string>& attributes, const std::function<int32_t(Node)>& add);

 private:
  int32_t AddTensor(Attribute attribute, std::string name, const std::string& storage);
  int32_t TensorMember(PickleIndex value, const std::string& path);
  GraphValue ValueOf(PickleIndex value, const std::string& path, const std::function<int32_t(Node)>& add, int level);

  const ScriptData& data_;
  Graph& root_;
  std::map<PickleIndex, int32_t> tensors_;   // members, by their index in the pickle
  std::map<size_t, int32_t> constants_;      // the same for the code's constants
  std::map<std::string, int32_t> storages_;  // the first member on each storage
};

}  // namespace fakeprop
