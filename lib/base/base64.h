// Bytes as base64 text (RFC 4648, with padding).
#pragma once

#include <string>
#include <string_view>

namespace fakeprop {

std::string EncodeBase64(std::string_view bytes);

// Throws std::invalid_argument for text that EncodeBase64 does not write.
std::string DecodeBase64(std::string_view text);

}  // namespace fakeprop
