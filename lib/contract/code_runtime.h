// The parts of generated code that are the same for all contracts.
#pragma once

#include <string_view>

namespace fakeprop {

extern const std::string_view kCppRuntime;
extern const std::string_view kPythonRuntime;

}  // namespace fakeprop
