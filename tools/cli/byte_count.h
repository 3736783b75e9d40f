// Numbers of bytes as people write them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace fakeprop::cli {

// "24GiB", "24G" (the same), "24GB" (10**9), "1.5T", "1000". Nothing if it is no positive number of bytes.
std::optional<int64_t> ReadByteCount(const std::string& text);

// A count as ReadByteCount, without units of two: "2T" is 2 * 10**12.
std::optional<int64_t> ReadCount(const std::string& text);

// "50,087,936".
std::string WithCommas(int64_t number);

}  // namespace fakeprop::cli
