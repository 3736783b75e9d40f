#include "lib/archive/elements.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>

#include "lib/error/error.h"

namespace fakeprop {
namespace {

constexpr int64_t kMostElements = 64;
constexpr uint64_t kMostBytes = uint64_t{64} << 10;

template <typename T>
int64_t Load(const char* bytes) {
  T element;
  std::memcpy(&element, bytes, sizeof element);
  return static_cast<int64_t>(element);
}

template <typename T>
double LoadReal(const char* bytes) {
  T element;
  std::memcpy(&element, bytes, sizeof element);
  return static_cast<double>(element);
}

template <typename T>
std::complex<double> LoadComplex(const char* bytes) {
  return {LoadReal<T>(bytes), LoadReal<T>(bytes + sizeof(T))};
}

// The upper half of a float32.
double LoadBFloat16(const char* bytes) {
  uint16_t upper = 0;
  std::memcpy(&upper, bytes, sizeof upper);
  return std::bit_cast<float>(uint32_t{upper} << 16);
}

// IEEE 754's binary16.
double LoadHalf(const char* bytes) {
  uint16_t bits = 0;
  std::memcpy(&bits, bytes, sizeof bits);
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  double size = 0;
  if (exponent == 31) size = fraction ? std::nan("") : std::numeric_limits<double>::infinity();
  else size = exponent ? std::ldexp(1024 + fraction, exponent - 25) : std::ldexp(fraction, -24);
  return bits >> 15 ? -size : size;
}

int64_t LoadInteger(const char* bytes, ScalarType dtype) {
  switch (dtype) {
    case ScalarType::Bool: return *bytes != 0;
    case ScalarType::Byte: return Load<uint8_t>(bytes);
    case ScalarType::Char: return Load<int8_t>(bytes);
    case ScalarType::Short: return Load<int16_t>(bytes);
    case ScalarType::UInt16: return Load<uint16_t>(bytes);
    case ScalarType::Int: return Load<int32_t>(bytes);
    case ScalarType::UInt32: return Load<uint32_t>(bytes);
    default: return Load<int64_t>(bytes);
  }
}

// One element, written by a little-endian machine.
Value LoadElement(const char* bytes, ScalarType dtype) {
  switch (dtype) {
    case ScalarType::Half: return LoadHalf(bytes);
    case ScalarType::BFloat16: return LoadBFloat16(bytes);
    case ScalarType::Float: return LoadReal<float>(bytes);
    case ScalarType::Double: return LoadReal<double>(bytes);
    case ScalarType::ComplexFloat: return LoadComplex<float>(bytes);
    case ScalarType::ComplexDouble: return LoadComplex<double>(bytes);
    case ScalarType::Bool: return *bytes != 0;
    default: return LoadInteger(bytes, dtype);
  }
}

// The number of elements, or more than kMostElements.
int64_t CountElements(const RecordedTensor& tensor) {
  int64_t count = 1;
  for (const RecordedSize& size : tensor.sizes) {
    if (size.number == 0) return 0;
    if (size.number > kMostElements || count > kMostElements) count = kMostElements + 1;
    else count *= size.number;
  }
  return count;
}

// The place of the element with row-major number `index`, in elements from the storage's start; past any storage where
// it leaves int64.
uint64_t PlaceOf(const RecordedTensor& tensor, int64_t index) {
  uint64_t place = static_cast<uint64_t>(tensor.storage_offset.number);
  for (size_t d = tensor.sizes.size(); d-- > 0;) {
    const int64_t at = index % tensor.sizes[d].number;
    index /= tensor.sizes[d].number;
    uint64_t step = 0;
    if (__builtin_mul_overflow(static_cast<uint64_t>(at), static_cast<uint64_t>(tensor.strides[d].number), &step) ||
        __builtin_add_overflow(place, step, &place))
      return UINT64_MAX;
  }
  return place;
}

bool IsNumber(ScalarType dtype) {
  switch (dtype) {
    case ScalarType::Half:
    case ScalarType::BFloat16:
    case ScalarType::Float:
    case ScalarType::Double:
    case ScalarType::ComplexFloat:
    case ScalarType::ComplexDouble: return true;
    default: return IsIntegral(dtype);
  }
}

Constant Read(const RecordedTensor& tensor, const ZipArchive& archive, const std::string& member_name) {
  const ZipArchive::Member* member = archive.Find(member_name);
  const int64_t count = CountElements(tensor);
  if (tensor.is_conj || tensor.is_neg) return nullptr;  // the bytes are not the elements
  if (!member || member->size > kMostBytes || count > kMostElements) return nullptr;
  std::string error;
  const std::optional<std::string> bytes = archive.Read(*member, kMostBytes, error);
  if (!bytes) return nullptr;
  const uint64_t width = ItemSize(tensor.dtype);
  auto elements = std::make_shared<std::vector<Value>>();
  try {
    for (int64_t i = 0; i < count; ++i) {
      const uint64_t place = PlaceOf(tensor, i);
      if (place >= bytes->size() / width) return nullptr;
      elements->push_back(LoadElement(bytes->data() + place * width, tensor.dtype));
    }
  } catch (const OpError&) {  // an integer near -2**63, which no Dim holds, is not known
    return nullptr;
  }
  return elements;
}

}  // namespace

Constant ReadElements(const RecordedTensor& tensor, const ZipArchive& archive, const std::string& member_name) {
  return IsIntegral(tensor.dtype) ? Read(tensor, archive, member_name) : nullptr;
}

std::optional<ElementBounds> ReadBounds(
    const RecordedTensor& tensor, const ZipArchive& archive, const std::string& member_name, uint64_t most_bytes) {
  const ZipArchive::Member* member = archive.Find(member_name);
  if (!member || member->size > most_bytes || !IsIntegral(tensor.dtype) || tensor.dtype == ScalarType::UInt64)
    return std::nullopt;
  const uint64_t width = ItemSize(tensor.dtype);
  uint64_t bytes = width;
  for (const RecordedSize& size : tensor.sizes)
    if (__builtin_mul_overflow(bytes, static_cast<uint64_t>(size.number), &bytes)) return std::nullopt;
  if (bytes == 0 || bytes != member->size) return std::nullopt;
  std::string error;
  const std::optional<std::string> content = archive.Read(*member, most_bytes, error);
  if (!content || content->size() != bytes) return std::nullopt;
  ElementBounds bounds{std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::min()};
  for (uint64_t at = 0; at < bytes; at += width) {
    const int64_t element = LoadInteger(content->data() + at, tensor.dtype);
    bounds.least = std::min(bounds.least, element);
    bounds.greatest = std::max(bounds.greatest, element);
  }
  return bounds;
}

std::optional<Value> ReadNumber(
    const RecordedTensor& tensor, const ZipArchive& archive, const std::string& member_name) {
  if (!tensor.sizes.empty() || !IsNumber(tensor.dtype)) return std::nullopt;
  const Constant elements = Read(tensor, archive, member_name);
  return elements ? std::optional(elements->front()) : std::nullopt;
}

}  // namespace fakeprop
