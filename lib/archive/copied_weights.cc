#include "lib/archive/copied_weights.h"

#include <zlib.h>

#include <map>
#include <optional>
#include <string_view>
#include <utility>

namespace fakeprop {
namespace {

// The CRC-32 of `count` times the bytes of `unit`. It doubles, so a gigabyte takes 30 steps.
uint32_t ChecksumOfRepeated(std::string_view unit, uint64_t count) {
  uLong all = crc32(0, nullptr, 0), block = crc32(0, reinterpret_cast<const Bytef*>(unit.data()), unit.size());
  for (uint64_t length = unit.size(); count > 0; count /= 2, length *= 2) {
    if (count % 2 == 1) all = crc32_combine(all, block, static_cast<z_off_t>(length));
    block = crc32_combine(block, block, static_cast<z_off_t>(length));
  }
  return static_cast<uint32_t>(all);
}

// The bytes of the number one, little-endian; nothing for dtypes in which no layer starts with ones.
std::optional<std::string_view> BytesOfOne(ScalarType dtype) {
  using namespace std::string_view_literals;
  switch (dtype) {
    case ScalarType::Double: return "\0\0\0\0\0\0\xf0\x3f"sv;
    case ScalarType::Float: return "\0\0\x80\x3f"sv;
    case ScalarType::Half: return "\0\x3c"sv;
    case ScalarType::BFloat16: return "\x80\x3f"sv;
    default: return std::nullopt;
  }
}

bool IsFilled(uint64_t size, uint32_t checksum, ScalarType dtype) {
  if (checksum == ChecksumOfRepeated(std::string_view("\0", 1), size)) return true;
  const std::optional<std::string_view> one = BytesOfOne(dtype);
  return one && size % one->size() == 0 && checksum == ChecksumOfRepeated(*one, size / one->size());
}

}  // namespace

void FindCopiedWeights(const std::vector<StoredWeight>& weights, const ZipArchive& archive, Graph& graph) {
  struct First {
    size_t input;
    std::optional<bool> is_filled;
  };
  std::map<std::pair<uint64_t, uint32_t>, First> first_of;  // by size and checksum
  for (const StoredWeight& weight : weights) {
    const ZipArchive::Member* member = archive.Find(weight.member);
    if (!member) continue;
    const uint32_t checksum = archive.ChecksumOf(*member);
    const auto [it, is_first] = first_of.emplace(std::pair(member->size, checksum), First{weight.input, {}});
    First& first = it->second;
    if (is_first) continue;
    if (!first.is_filled) first.is_filled = IsFilled(member->size, checksum, weight.dtype);
    if (!*first.is_filled) graph.inputs[weight.input].copy_of = static_cast<int32_t>(first.input);
  }
}

}  // namespace fakeprop
