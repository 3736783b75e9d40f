#pragma once

#include <string>

namespace fakeprop::cli {

// Whether a name fits a pattern: `*` stands for any text, `?` for one character, `[a-z]` and `[!a-z]` for one of some
// or none of them, `\` before a character for that one. As POSIX's fnmatch without flags, which Windows lacks; but sets
// do not know classes such as `[[:alpha:]]`.
bool FitsName(const std::string& pattern, const std::string& name);

}  // namespace fakeprop::cli
