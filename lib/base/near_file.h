// Finds the file that a path with a typo was meant to be.
#pragma once

#include <string>

namespace fakeprop {

// For a path where nothing is: a file beside it with the same name up to its ending, else one of the same ending with
// the nearest name. Empty if there is none.
std::string NearFile(const std::string& path);

}  // namespace fakeprop
