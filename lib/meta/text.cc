#include "lib/meta/text.h"

#include "lib/base/check.h"

namespace fakeprop {
namespace {

// Values that are left over are none; places that are left over are a bug.
std::string Fill(std::string_view format, std::span<const Shown> values, bool all_have_places) {
  std::string text;
  size_t next = 0;
  for (size_t at; (at = format.find("{}")) != std::string_view::npos; format.remove_prefix(at + 2)) {
    FAKEPROP_CHECK(next < values.size());
    text += format.substr(0, at);
    text += values[next++].ToString();
  }
  FAKEPROP_CHECK(next == values.size() || (!all_have_places && next + 1 == values.size()));
  return text += format;
}

}  // namespace

std::string Show(Dim value) { return value.ToString(); }
std::string Show(DimSpan sizes) { return ToString(sizes); }
std::string Show(ScalarType dtype) { return std::string(DtypeName(dtype)); }
std::string Show(Device device) { return device.str(); }
std::string Show(const TensorMeta& t) { return ToString(t); }
std::string Show(const Value& value) { return ToString(value); }
std::string Show(std::string_view text) { return std::string(text); }
std::string Show(const std::string& text) { return text; }
std::string Show(const char* text) { return text; }

std::string Show(std::span<const int64_t> numbers) { return ToString(DimSpan(Dims(numbers.begin(), numbers.end()))); }

std::string Text::ToString() const {
  if (count_ == 0) return std::string(format_);
  return Fill(format_, {values_.data(), static_cast<size_t>(count_)}, true);
}

std::string Text::ToString(const Shown& seen) const {
  Text text = *this;
  text.values_[text.count_++] = seen;
  return Fill(format_, {text.values_.data(), static_cast<size_t>(text.count_)}, false);
}

}  // namespace fakeprop
