// Finds the dtype or device that a wrong name was meant to be.
#pragma once

#include <string>
#include <string_view>

namespace fakeprop {

// "float32" for "float", "flaot32", "f32" and "Float"; empty if nothing is near.
std::string NearestDtype(std::string_view name);

// "cuda" for "gpu", "cuda:0" for "cuda0" and "gpu:0"; empty if nothing is near.
std::string NearestDevice(std::string_view name);

}  // namespace fakeprop
