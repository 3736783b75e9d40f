// Rules for operators that well-known Python libraries register, which exports of their models call.
#pragma once

#include <span>
#include <string_view>

#include "lib/graph/graph.h"

namespace fakeprop {

struct ShippedRules {
  std::string_view name;  // of the library and the namespace of its operators: "transformers"
  std::string_view text;  // fakeprop.op_rules/1
};

std::span<const ShippedRules> AllShippedRules();

// Whether rules for a library of this name are shipped.
bool IsShippedLibrary(std::string_view name);

// Adds the schemas of the operators of such a library. Returns false if no rules are shipped for it.
bool AddShippedLibrary(std::string_view library);

// Whether the graph or a subgraph calls an operator of such a library, so that its run needs the rules.
bool CallsShippedOperators(const Graph& graph);

}  // namespace fakeprop
