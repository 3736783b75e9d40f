// Reads files for tests.
#pragma once

#include <fstream>
#include <sstream>
#include <string>

namespace fakeprop {

// The content of a file; empty if there is none.
inline std::string ReadTextFile(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

}  // namespace fakeprop
