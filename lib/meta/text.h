// Messages with values in them: Format("takes {} rows, not {}", rows, t.sizes). A value is written only when the
// message is needed.
#pragma once

#include <array>
#include <concepts>
#include <string>
#include <string_view>

#include "lib/meta/dtype.h"
#include "lib/meta/value.h"

namespace fakeprop {

// How values are written: sizes as "[2, 3]", a dtype as "float32", a tensor as "f32[2, 3] on cpu".
std::string Show(Dim value);
std::string Show(DimSpan sizes);
std::string Show(std::span<const int64_t> numbers);
std::string Show(ScalarType dtype);
std::string Show(Device device);
std::string Show(const TensorMeta& t);
std::string Show(const Value& value);
std::string Show(std::string_view text);
std::string Show(const std::string& text);
std::string Show(const char* text);
template <std::integral T>
requires(!std::same_as<T, bool>) std::string Show(T number) { return std::to_string(number); }

// Refers to a value that a message shows. The value must outlive it.
class Shown {
 public:
  Shown() {}  // shows nothing, costs nothing
  template <typename T>
  explicit Shown(const T& value)
      : value_(&value), show_([](const void* v) { return Show(*static_cast<const T*>(v)); }) {}

  std::string ToString() const { return show_(value_); }

 private:
  const void* value_;
  std::string (*show_)(const void*);
};

// A message: a text, and the values for its `{}`. A function that takes one is called with "a text" or with
// {"a text of {} and {}", a, b}. A text without values is written as it is.
class Text {
 public:
  Text() {}  // does not initialise the values; `= default` would set them to zero at each demand
  Text(const char* text) : format_(text) {}         // NOLINT: a text is a message
  Text(std::string_view text) : format_(text) {}    // NOLINT
  Text(const std::string& text) : format_(text) {}  // NOLINT
  template <typename... Values>
  requires(sizeof...(Values) > 0 && sizeof...(Values) <= 6) Text(std::string_view format, const Values&... values)
      : format_(format), values_{Shown(values)...}, count_(sizeof...(Values)) {}

  bool IsEmpty() const { return format_.empty(); }
  std::string ToString() const;
  // The message with one more value after the others. It is left out if the text has no place for it.
  std::string ToString(const Shown& seen) const;

 private:
  std::string_view format_;
  std::array<Shown, 7> values_;
  int count_ = 0;
};

template <typename... Values>
std::string Format(std::string_view format, const Values&... values) {
  return Text(format, values...).ToString();
}

}  // namespace fakeprop
