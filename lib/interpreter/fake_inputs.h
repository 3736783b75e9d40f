// The fake tensors for a graph's inputs and attributes. There is one object for each, however often it is asked for.
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
  // `graph` is the outermost one. All arguments must outlive the FakeInputs.
  FakeInputs(const Graph& graph, const std::vector<InputValue>& inputs, ObjectTable& objects, ShapeEnv& shape_env);

  const std::vector<InputValue>& given() const { return inputs_; }

  Value InputAt(size_t index);
  // A tensor of the file.
  Tensor* AttributeAt(int32_t index);
  // Finds an attribute by its path in the graph's module. Null if the file has none.
  Tensor* FindAttribute(std::string_view path);
  // Returns true if the file has attributes of a submodule.
  bool HasAttributesBelow(std::string_view path) const;
  // The value of an inline size in this run.
  Dim SizeOf(const InlineSize& size);

 private:
  Tensor* MakeInput(const InputValue& input);
  // A tensor of any layout. What is not known of a sparse one becomes a symbol.
  Tensor* Make(const TensorMeta& meta, const SparseInput& sparse, Tensor* first);
  Tensor* MakeSparse(const TensorMeta& meta, const SparseInput& sparse);
  // The value of an input that is not a tensor. In TorchScript, its lists and dicts can change.
  Value MakeHolder(const OpenValue<InputRef>& value);
  Tensor* MakeAttribute(const Attribute& attribute);
  // The storage for a tensor of this meta. Tensors that share a storage get that of `first`, which grows to hold the
  // largest tensor.
  Storage* StorageFor(const TensorMeta& meta, Tensor* first);

  const Graph& graph_;
  const std::vector<InputValue>& inputs_;
  ObjectTable& objects_;
  ShapeEnv& shape_env_;
  std::vector<Tensor*> input_tensors_;
  std::vector<Tensor*> attribute_tensors_;
  std::map<std::string_view, int32_t> attributes_;  // by path
  std::optional<InlineSizes> inline_sizes_;         // made when the first one is asked for
};

}  // namespace fakeprop
