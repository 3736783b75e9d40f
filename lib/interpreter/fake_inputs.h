// A graph's inputs and attributes, made fake: one object each, however often it is asked for.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/graph/graph.h"
#include "lib/inputs/inputs.h"
#include "lib/interpreter/inline_sizes.h"

namespace fakeprop {

class FakeInputs {
 public:
  // `graph`: the outermost. All of them outlive this.
  FakeInputs(const Graph& graph, const std::vector<InputValue>& inputs, ObjectTable& objects, ShapeEnv& shape_env);

  const std::vector<InputValue>& given() const { return inputs_; }

  Value InputAt(size_t index);
  // A tensor of the file.
  Tensor* AttributeAt(int32_t index);
  // By the path in the graph's module; null where the file has none.
  Tensor* FindAttribute(std::string_view path);
  // Whether the file has attributes of a submodule.
  bool HasAttributesBelow(std::string_view path) const;
  // As this run has it.
  Dim SizeOf(const InlineSize& size);

 private:
  Tensor* MakeInput(const InputValue& input);
  // What an input that is no tensor holds; TorchScript's lists and dicts can change.
  Value MakeHolder(const OpenValue<InputRef>& value);
  Tensor* MakeAttribute(const Attribute& attribute);
  // A storage for a tensor of this meta. Tensors that share one stand on that of `first`, which grows to hold the
  // largest.
  Storage* StorageFor(const TensorMeta& meta, Tensor* first);

  const Graph& graph_;
  const std::vector<InputValue>& inputs_;
  ObjectTable& objects_;
  ShapeEnv& shape_env_;
  std::vector<Tensor*> input_tensors_;
  std::vector<Tensor*> attribute_tensors_;
  std::map<std::string_view, int32_t> attributes_;  // by path
  std::optional<InlineSizes> inline_sizes_;         // from the first that is asked for
};

}  // namespace fakeprop
