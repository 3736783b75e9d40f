#include "lib/rules/core/bind_arguments.h"

#include "lib/error/error.h"

namespace fakeprop {

std::vector<const Value*> BindArguments(const Schema& schema, const std::vector<Argument>& written) {
  std::vector<const Value*> bound(schema.arguments.size(), nullptr);
  const std::string op(schema.full_name);
  size_t position = 0;
  for (const Argument& argument : written) {
    int i = argument.name.empty() ? static_cast<int>(position) : schema.FindArgument(argument.name);
    if (argument.name.empty() && position >= bound.size())
      Fail(ErrorClass::kTypeError, op + " takes " + std::to_string(bound.size()) + " arguments, but more are given");
    if (i < 0) Fail(ErrorClass::kTypeError, op + " has no argument `" + std::string(argument.name) + "`");
    if (bound[i])
      Fail(ErrorClass::kTypeError, op + " is given argument `" + std::string(schema.arguments[i].name) + "` twice");
    bound[i] = &argument.value;
    ++position;
  }
  for (size_t i = 0; i < bound.size(); ++i) {
    if (bound[i]) continue;
    if (!schema.arguments[i].default_value)
      Fail(ErrorClass::kTypeError, op + " needs its argument `" + std::string(schema.arguments[i].name) + "`");
    bound[i] = &*schema.arguments[i].default_value;
  }
  return bound;
}

}  // namespace fakeprop
