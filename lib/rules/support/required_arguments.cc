#include "lib/rules/support/required_arguments.h"

#include "lib/rules/core/results.h"

namespace fakeprop::rules {
namespace {

template <typename T>
T Required(const Call& call, ArgumentName name, std::optional<T> value) {
  if (value) return *value;
  const SchemaArgument& argument = call.schema().arguments[call.Index(name)];
  Fail(ErrorClass::kTypeError,
      Format("argument `{}` of {} takes {}, not None", argument.name, OpName(call), argument.type.text));
}

}  // namespace

ScalarType RequiredDtype(const Call& call, ArgumentName name) { return Required(call, name, call.OptionalDtype(name)); }

MemoryFormat RequiredMemoryFormat(const Call& call, ArgumentName name) {
  return Required(call, name, call.OptionalMemoryFormat(name));
}

}  // namespace fakeprop::rules
