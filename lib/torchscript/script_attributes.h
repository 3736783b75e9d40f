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
#include "lib/torchscript/script_packed.h"

namespace fakeprop {

// Exactly one of the fields is set.
struct ScriptAttribute {
  int32_t member = -1;                 // for a tensor: index into Graph::attributes
  std::optional<Value> plain;          // a number, string, device or None
  std::optional<PackedObject> packed;  // packed weights of a quantized layer
  std::string problem;                 // the reason why it is none of these
};

// Adds a node to a graph, and returns its index.
using AddNode = std::function<int32_t(Node)>;

class ScriptAttributes {
 public:
  ScriptAttributes(const ScriptData& data, Graph& root) : data_(data), root_(root) {}

  ScriptAttribute Find(const ScriptModule& module, const std::string& name);
  // A tensor or object among the code's constants.
  ScriptAttribute Constant(size_t number) {
    return Of(data_.constants()[number], "CONSTANTS.c" + std::to_string(number));
  }
  // The number in such a tensor, if it is of rank 0.
  std::optional<Value> NumberOfConstant(size_t number) const {
    return data_.ReadTensorNumber(data_.constants()[number]);
  }

  // The arguments of prim::Module: the class, then names and values of the attributes. A value that needs a node of its
  // own is passed to `add`, which returns the node's index.
  std::vector<Argument> StateOf(
      const ScriptModule& module, const std::set<std::string>& attributes, const AddNode& add);
  // Any value: as it is, or as nodes that make it.
  GraphValue ValueOf(PickleIndex value, const std::string& path, const AddNode& add, int level = 0);
  // The values of a tuple.
  std::vector<Argument> ItemsOf(PickleIndex tuple, const std::string& path, const AddNode& add);
  // The node that packs an object.
  Node PackingNode(const PackedObject& packed, const std::string& path, const AddNode& add, int level = 0);

 private:
  ScriptAttribute Of(PickleIndex value, const std::string& path);
  int32_t AddTensor(Attribute attribute, std::string name, const std::string& storage);
  int32_t TensorMember(PickleIndex value, const std::string& path);

  const ScriptData& data_;
  Graph& root_;
  std::map<PickleIndex, int32_t> tensors_;   // members, by their index in the pickle
  std::map<std::string, int32_t> storages_;  // the first member on each storage
};

}  // namespace fakeprop
