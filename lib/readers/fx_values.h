// The leaves of FX JSON: names of dtypes and devices, metadata of tensors, and arguments. All throw JsonError.
#pragma once

#include <functional>

#include "lib/graph/graph.h"
#include "lib/json/json_tree.h"

namespace fakeprop {

ScalarType ReadDtypeName(JsonValue json);
Device ReadDeviceName(JsonValue json);
Layout ReadLayoutName(JsonValue json);

// {"shape", "dtype", "stride", "storage_offset", "device", "layout", "requires_grad"}: shape and dtype are required, a
// tensor without strides is contiguous.
RecordedTensor ReadTensorFields(JsonValue json);

// The elements of a tensor of integers or bools: nested lists as deep as its rank.
Constant ReadTensorElements(JsonValue json, const RecordedTensor& tensor);

// The questions of the argument reader about the graph around the arguments.
struct FxReferences {
  std::function<GraphValue(JsonValue name)> node;
  std::function<GraphValue(JsonValue name)> graph;
  std::function<GraphValue(JsonValue spelling)> size;  // with symbols in it
};

// An argument: null, numbers, strings and lists as they are, the rest by its tag.
GraphValue ReadFxArgument(JsonValue json, const FxReferences& references);

// The same for a value that may not refer to the graph: no node, no graph and no size with symbols.
Value ReadFxValue(JsonValue json);

// A value in the form of annotations, if it is a tensor or a number. Nothing for any other value.
std::optional<Recorded> ReadRecordedValue(JsonValue json);

}  // namespace fakeprop
