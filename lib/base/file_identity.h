#pragma once

#include <string>

namespace fakeprop {

// A text that is the same for all paths which lead to one file, through links too, and of no other file.
std::string FileIdentity(const std::string& path);

}  // namespace fakeprop
