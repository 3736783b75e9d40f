// The values of a run as numbers, for callers that make many objects of them: text takes them longer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lib/interpreter/annotations.h"

namespace fakeprop {

// fakeprop/c_api.h has the layout.
struct PlainValues {
  std::vector<int64_t> numbers;
  std::vector<std::string> names;  // of dtypes and devices
  std::vector<std::string> expressions;
  std::string symbols;  // empty if there are none
};

// Nothing for a run with errors, subgraphs, unbacked symbols, dicts, or floats and bools over symbols.
std::optional<PlainValues> ReadPlainValues(const Annotations& annotations);

}  // namespace fakeprop
