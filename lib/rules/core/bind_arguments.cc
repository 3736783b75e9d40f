#include "lib/rules/core/bind_arguments.h"

#include "lib/error/error.h"

namespace fakeprop {

std::vector<int> MatchArguments(const Schema& schema, std::span<const std::string_view> names) {
  std::vector<int> matched(schema.arguments.size(), -1);
  const std::string op(schema.full_name);
  for (size_t position = 0; position < names.size(); ++position) {
    const std::string_view name = names[position];
    if (name.empty() && position >= matched.size())
      Fail(ErrorClass::kTypeError, op + " takes " + std::to_string(matched.size()) + " arguments, but more are given");
    const int i = name.empty() ? static_cast<int>(position) : schema.FindArgument(name);
    if (i < 0) Fail(ErrorClass::kTypeError, op + " has no argument `" + std::string(name) + "`");
    if (matched[i] >= 0)
      Fail(ErrorClass::kTypeError, op + " is given argument `" + std::string(schema.arguments[i].name) + "` twice");
    matched[i] = static_cast<int>(position);
  }
  for (size_t i = 0; i < matched.size(); ++i)
    if (matched[i] < 0 && !schema.arguments[i].default_value)
      Fail(ErrorClass::kTypeError, op + " needs its argument `" + std::string(schema.arguments[i].name) + "`");
  return matched;
}

std::vector<const Value*> BindArguments(const Schema& schema, const std::vector<GivenArgument>& given) {
  std::vector<std::string_view> names;
  for (const GivenArgument& argument : given) names.push_back(argument.name);
  std::vector<const Value*> bound;
  for (const int position : MatchArguments(schema, names))
    bound.push_back(position >= 0 ? &given[position].value : &*schema.arguments[bound.size()].default_value);
  return bound;
}

}  // namespace fakeprop
