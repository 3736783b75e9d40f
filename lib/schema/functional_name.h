// Names of operators by which tables find the in-place forms too.
#pragma once

#include <string_view>

namespace fakeprop {

// "aten::add" for "aten::add_" and "aten::add". A name such as "aten::__and__" is not that of an in-place form.
constexpr std::string_view FunctionalName(std::string_view name) {
  if (name.ends_with('_') && !name.ends_with("__")) name.remove_suffix(1);
  return name;
}

}  // namespace fakeprop
