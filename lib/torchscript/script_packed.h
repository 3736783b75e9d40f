// Packed objects of quantized models, as archives hold them: the call of the operator that would pack them.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "lib/torchscript/script_data.h"

namespace fakeprop {

// An argument of the call: a tensor or packed object of the archive by its index, or a plain value.
struct PackedArgument {
  std::string name;
  std::variant<PickleIndex, Value> value;
};

struct PackedObject {
  std::string prepack;  // "quantized::linear_prepack"
  std::vector<PackedArgument> arguments;
};

// Nothing if the value is no packed object, or one of a kind or an age that is not known here.
std::optional<PackedObject> ReadPackedObject(const ScriptData& data, PickleIndex value);

}  // namespace fakeprop
