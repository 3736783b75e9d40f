// Zip archives for tests.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace fakeprop::testing {

using ZipContent = std::vector<std::pair<std::string, std::string>>;  // names and bytes, in order

// The bytes of an archive. The members are stored, or compressed with deflate.
std::string MakeZip(const ZipContent& content, bool compressed = false);

}  // namespace fakeprop::testing
