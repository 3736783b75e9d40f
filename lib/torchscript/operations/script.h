// TorchScript's own operations: control flow, lists, dicts, strings and objects that change, exceptions.
#pragma once

#include <string_view>

#include "lib/higher_order/higher_order.h"

namespace fakeprop {

// By the operator's name ("prim::If", "aten::append.t"); null for what has a schema and no list, dict or object, which
// RunScriptOperator serves.
HigherOrder FindScriptHandler(std::string_view op);

// Of a node that calls an operator with a schema, all of whose arguments are there by position: TorchScript has ints
// for dtypes, layouts and memory formats, and lists that change. A number that depends on data is unknown and not an
// error.
Value RunScriptOperator(HigherOrderCall& call);

}  // namespace fakeprop
