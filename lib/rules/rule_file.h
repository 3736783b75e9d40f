// Where rules are written.
#pragma once

#include <string_view>

#include "lib/rules/rule_table.h"

namespace fakeprop {

// The source file of a row of the rule table, from the root of the repository: "lib/rules/views/view.cc".
std::string_view RuleFile(const RuleRow& row);

}  // namespace fakeprop
