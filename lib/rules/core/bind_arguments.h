// Matches the arguments that a call gives with an operator's schema.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "lib/meta/value.h"
#include "lib/schema/schema.h"

namespace fakeprop {

struct GivenArgument {
  std::string_view name;  // empty where it goes by position
  Value value;
};

// For each argument of the schema the position in `names` of the one that is given, -1 for its default. `names` has an
// empty text for what goes by position. Too many arguments, an unknown name or a missing required one is an OpError of
// class TypeError.
std::vector<int> MatchArguments(const Schema& schema, std::span<const std::string_view> names);

// For each argument of the schema the one that is given, else its default. The pointers go into `given` and the schema.
// Throws as MatchArguments does.
std::vector<const Value*> BindArguments(const Schema& schema, const std::vector<GivenArgument>& given);

}  // namespace fakeprop
