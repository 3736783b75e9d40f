// When two constants of a graph are one.
#pragma once

#include <string>

#include "lib/meta/value.h"

namespace fakeprop::script {

// Equal values have equal texts. A NaN equals nothing, and neither does a value of an enum.
std::string TextForComparison(const Value& value);

inline bool IsSameValue(const Value& a, const Value& b) {
  const std::string text = TextForComparison(a);
  return text == TextForComparison(b) && text.find("nan") == std::string::npos;
}

}  // namespace fakeprop::script
