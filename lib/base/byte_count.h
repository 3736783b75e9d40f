// Numbers of bytes as people write and read them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace fakeprop {

// "24GiB", "24G" (the same), "24GB" (10**9), "1.5T", "1000". Nothing if it is no positive number of bytes.
std::optional<int64_t> ReadByteCount(const std::string& text);

// A count as ReadByteCount, without units of two: "2T" is 2 * 10**12.
std::optional<int64_t> ReadCount(const std::string& text);

// "336 B", "1.0 KiB", "24.5 GiB".
std::string BytesText(int64_t bytes);

// A limit exactly, in the largest unit that holds it: "150 MiB", "1000 B".
std::string ExactBytesText(uint64_t bytes);

// "50,087,936".
std::string WithCommas(int64_t number);

}  // namespace fakeprop
