#include "lib/inputs/read_elements.h"

#include <algorithm>
#include <limits>

#include "lib/inputs/input_codes.h"
#include "lib/meta/dtype.h"
#include "lib/meta/value.h"

namespace fakeprop {
namespace {

struct IntegerRange {
  int64_t min = std::numeric_limits<int64_t>::min();
  int64_t max = std::numeric_limits<int64_t>::max();
};

IntegerRange RangeOf(ScalarType dtype) {
  switch (dtype) {
    case ScalarType::Byte: return {0, 255};
    case ScalarType::Char: return {-128, 127};
    case ScalarType::Short: return {-32768, 32767};
    case ScalarType::UInt16: return {0, 65535};
    case ScalarType::Int: return {std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max()};
    case ScalarType::UInt32: return {0, std::numeric_limits<uint32_t>::max()};
    case ScalarType::UInt64: return {0, std::numeric_limits<int64_t>::max()};
    default: return {};
  }
}

Value ReadIntegerElement(JsonValue json, ScalarType dtype) {
  int64_t value = json.AsInt();
  IntegerRange range = RangeOf(dtype);
  if (value < range.min || value > range.max)
    throw SpecError(
        kInvalidSpecValue, json, std::to_string(value) + " does not fit in " + std::string(DtypeName(dtype)));
  return value;
}

Value ReadComplexElement(JsonValue json) {
  if (json.kind() != JsonKind::kArray) return std::complex<double>(json.AsReal(), 0);
  if (json.size() != 2) json.FailExpected("a number or [re, im]");
  JsonValue::Iterator part = json.begin();
  double real = (*part).AsReal();
  ++part;
  return std::complex<double>(real, (*part).AsReal());
}

class ElementReader {
 public:
  ElementReader(const std::vector<int64_t>& shape, ScalarType dtype) : shape_(shape), dtype_(dtype) {}

  std::vector<Value> Read(JsonValue json) {
    if (IsFlat(json)) ReadFlat(json);
    else ReadNested(json, 0);
    return std::move(elements_);
  }

 private:
  // A matrix as one list of numbers.
  bool IsFlat(JsonValue json) const {
    if (shape_.size() < 2 || json.kind() != JsonKind::kArray || json.size() == 0) return false;
    return (*json.begin()).kind() != JsonKind::kArray;
  }

  void ReadFlat(JsonValue json) {
    int64_t count = 1;
    for (int64_t size : shape_)
      if (__builtin_mul_overflow(count, size, &count)) count = std::numeric_limits<int64_t>::max();
    CheckCount(json, count);
    for (JsonValue element : json) elements_.push_back(ReadElement(element, dtype_));
  }

  void ReadNested(JsonValue json, size_t depth) {
    if (depth == shape_.size()) {
      elements_.push_back(ReadElement(json, dtype_));
      return;
    }
    CheckCount(json.AsArray(), shape_[depth]);
    for (JsonValue item : json) ReadNested(item, depth + 1);
  }

  void CheckCount(JsonValue json, int64_t expected) const {
    if (static_cast<int64_t>(json.size()) == expected) return;
    throw SpecError(kInvalidSpecValue, json,
        "expected " + std::to_string(expected) + " elements for shape " + DescribeShape() + " but found " +
            std::to_string(json.size()));
  }

  std::string DescribeShape() const {
    std::string text;
    for (int64_t size : shape_) text += (text.empty() ? "" : ", ") + std::to_string(size);
    return "[" + text + "]";
  }

  const std::vector<int64_t>& shape_;
  ScalarType dtype_;
  std::vector<Value> elements_;
};

}  // namespace

Value ReadElement(JsonValue json, ScalarType dtype) {
  if (dtype == ScalarType::Bool) return json.AsBool();
  if (IsComplex(dtype)) return ReadComplexElement(json);
  if (IsFloat(dtype)) return json.AsReal();
  return ReadIntegerElement(json, dtype);
}

Constant ReadTensorValue(JsonValue json, const std::vector<int64_t>& shape, ScalarType dtype) {
  return std::make_shared<const std::vector<Value>>(ElementReader(shape, dtype).Read(json));
}

}  // namespace fakeprop
