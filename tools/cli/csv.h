// Lines of comma-separated values.
#pragma once

#include <string>
#include <vector>

namespace fakeprop::cli {

// One line, with its end. By RFC 4180 a field with a comma, a quote or a line's end in it has quotes around it, and its
// quotes are doubled.
std::string CsvLine(const std::vector<std::string>& fields);

}  // namespace fakeprop::cli
