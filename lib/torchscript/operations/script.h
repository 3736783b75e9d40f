// TorchScript's own operations: control flow, lists, dicts, strings and objects that change, exceptions.
#pragma once

#include <string_view>

#include "lib/higher_order/higher_order.h"

namespace fakeprop {

// Finds the handler by the operator's name ("prim::If", "aten::append.t"). Null for an operator with a schema and
// without lists, dicts and objects: RunScriptOperator serves it.
HigherOrder FindScriptHandler(std::string_view op);

// Runs a node that calls an operator with a schema. All arguments are given by position. Converts TorchScript's values:
// dtypes, layouts and memory formats are ints there, and lists can change. A number that depends on data is
// no error: an integer becomes a symbol, any other number is unknown.
Value RunScriptOperator(HigherOrderCall& call);

}  // namespace fakeprop
