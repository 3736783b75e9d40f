// Rules for operators that well-known Python libraries register, which exports of their models call.
#pragma once

#include <span>
#include <string_view>

namespace fakeprop {

struct ShippedRules {
  std::string_view name;  // of the library: "transformers"
  std::string_view text;  // fakeprop.op_rules/1
};

std::span<const ShippedRules> AllShippedRules();

}  // namespace fakeprop
