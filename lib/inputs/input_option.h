// An input on the command line instead of in a spec file: "x=4x16:int64@cuda:0".
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/graph/graph.h"

namespace fakeprop {

// NAME=SIZES:DTYPE@DEVICE. A part that is left out is as the graph recorded it. Sizes are numbers, symbols or
// expressions with an `x` or a comma between them. If there is a comma, only commas separate sizes. `[]` is a tensor
// without dimensions. For an input that is a number, a string or a bool the text is its value: "n=3".
struct InputOption {
  std::string name;
  std::string text;                               // all that follows the `=`
  std::optional<std::vector<std::string>> sizes;  // as they are spelled
  std::string dtype, device;                      // empty if they are left out
};

// Throws std::invalid_argument, whose message says what is wrong.
InputOption ParseInputOption(std::string_view text);

// The input spec that says the same (fakeprop.inputs/1). Symbols that the graph does not have are declared in it.
std::string SpecOf(const std::vector<InputOption>& options, const Graph& graph);

}  // namespace fakeprop
