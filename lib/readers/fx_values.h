// The leaves of FX JSON: names of dtypes and devices, what is known of a tensor, and arguments. All throw JsonError.
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

// What the reader of arguments asks about the graph around them.
struct FxReferences {
  std::function<GraphValue(JsonValue name)> node;
  std::function<GraphValue(JsonValue name)> graph;
  std::function<GraphValue(JsonValue spelling)> size;  // with symbols in it
};

// An argument: null, numbers, strings and lists as they are, the rest by its tag.
GraphValue ReadFxArgument(JsonValue json, const FxReferences& references);

// The same where nothing of the graph may be in it: no node, no graph and no size with symbols.
Value ReadFxValue(JsonValue json);

// A value as annotations have it, where it is a tensor or a number; nothing for anything else.
std::optional<Recorded> ReadRecordedValue(JsonValue json);

}  // namespace fakeprop
