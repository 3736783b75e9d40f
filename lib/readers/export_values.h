// The leaves of torch.export's JSON: enums, devices and recorded metadata. All throw JsonError.
// Source: torch/_export/serde/schema.py (torch 2.13).
#pragma once

#include <map>
#include <string>

#include "lib/graph/graph.h"
#include "lib/json/json_tree.h"

namespace fakeprop {

ScalarType ReadScalarType(JsonValue json);
Layout ReadLayout(JsonValue json);
MemoryFormat ReadMemoryFormat(JsonValue json);
Device ReadDevice(JsonValue json);

// One entry of tensor_values.
RecordedTensor ReadTensorMeta(JsonValue json);

// The tables tensor_values, sym_int_values, sym_float_values and sym_bool_values of a graph. Each may be missing.
std::map<std::string, Recorded, std::less<>> ReadRecordedValues(JsonValue graph);

// The table range_constraints. null, or a number outside int64, means that there is no bound.
std::map<std::string, SymbolRange, std::less<>> ReadRanges(JsonValue ranges);

// The version of torch that made a file, or the nearest one that is known. Nothing if the file does not say.
std::optional<int> ReadTorch(JsonValue root);

// The build of that torch: with CUDA unless the file says otherwise.
TorchBuild ReadBuild(JsonValue root);

}  // namespace fakeprop
