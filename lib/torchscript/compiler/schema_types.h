// The types in the texts of schemas: "Tensor(a!)[]", "int[2]?", "Dict(str, t)".
#pragma once

#include <string_view>

#include "lib/torchscript/compiler/ir_type.h"

namespace fakeprop::script {

struct SchemaTypeText {
  TypeRef type = nullptr;  // null if the type is none that this compiler knows
  size_t repeats = 0;      // 2 for int[2]
};

SchemaTypeText ReadSchemaType(std::string_view text, TypeTable& types);

}  // namespace fakeprop::script
