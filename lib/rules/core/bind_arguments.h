// Matches the arguments of a call with an operator's schema.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "lib/meta/value.h"
#include "lib/schema/schema.h"

namespace fakeprop {

struct GivenArgument {
  std::string_view name;  // empty if it is given by position
  Value value;
};

// For each argument of the schema, the position in `names` of the given argument, or -1 for the default. `names` has an
// empty text for an argument that is given by position. Throws an OpError of class TypeError if there are too many
// arguments, a name is unknown, or a required argument is missing.
std::vector<int> MatchArguments(const Schema& schema, std::span<const std::string_view> names);

// For each argument of the schema, the given argument or the default. The pointers point into `given` and the schema.
// Throws as MatchArguments does.
std::vector<const Value*> BindArguments(const Schema& schema, const std::vector<GivenArgument>& given);

}  // namespace fakeprop
