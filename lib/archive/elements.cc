#include "lib/archive/elements.h"

#include <c10/core/ScalarType.h>

#include <complex>
#include <cstring>

namespace fakeprop {
namespace {

constexpr int64_t kMostElements = 64;
constexpr uint64_t kMostBytes = uint64_t{64} << 10;

bool IsIntegerOrBool(ScalarType dtype) { return c10::isIntegralType(dtype, /*includeBool=*/true); }

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

// One element, written by a little-endian machine.
Value LoadElement(const char* bytes, ScalarType dtype) {
  switch (dtype) {
    case ScalarType::Half: return LoadReal<c10::Half>(bytes);
    case ScalarType::BFloat16: return LoadReal<c10::BFloat16>(bytes);
    case ScalarType::Float: return LoadReal<float>(bytes);
    case ScalarType::Double: return LoadReal<double>(bytes);
    case ScalarType::ComplexFloat: return LoadComplex<float>(bytes);
    case ScalarType::ComplexDouble: return LoadComplex<double>(bytes);
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
    default: return IsIntegerOrBool(dtype);
  }
}

Constant Read(const RecordedTensor& tensor, const ZipArchive& archive, const std::string& member_name) {
  const ZipArchive::Member* member = archive.Find(member_name);
  const int64_t count = CountElements(tensor);
  if (!member || member->size > kMostBytes || count > kMostElements) return nullptr;
  std::string error;
  const std::optional<std::string> bytes = archive.Read(*member, kMostBytes, error);
  if (!bytes) return nullptr;
  const uint64_t width = c10::elementSize(tensor.dtype);
  auto elements = std::make_shared<std::vector<Value>>();
  for (int64_t i = 0; i < count; ++i) {
    const uint64_t place = PlaceOf(tensor, i);
    if (place >= bytes->size() / width) return nullptr;
    elements->push_back(LoadElement(bytes->data() + place * width, tensor.dtype));
  }
  return elements;
}

}  // namespace

Constant ReadElements(const RecordedTensor& tensor, const ZipArchive& archive, const std::string& member_name) {
  return IsIntegerOrBool(tensor.dtype) ? Read(tensor, archive, member_name) : nullptr;
}

std::optional<Value> ReadNumber(
    const RecordedTensor& tensor, const ZipArchive& archive, const std::string& member_name) {
  if (!tensor.sizes.empty() || !IsNumber(tensor.dtype)) return std::nullopt;
  const Constant elements = Read(tensor, archive, member_name);
  return elements ? std::optional(elements->front()) : std::nullopt;
}

}  // namespace fakeprop
