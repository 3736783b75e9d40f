// Strings. Source: torch/csrc/jit/runtime/register_string_ops.cpp and register_prim_ops.cpp (torch 2.13).
#include <algorithm>
#include <cctype>

#include "lib/torchscript/operations/script_tables.h"
#include "lib/torchscript/operations/script_values.h"

namespace fakeprop {
namespace {

// As str() has it: strings as they are.
std::string TextOf(const Value& value) {
  const auto* text = value.TryGet<std::string>();
  return text ? *text : ToString(value);
}

Value Text(HigherOrderCall& call) { return TextOf(call.At(0, "a value")); }

// "{} and {}".format(a, b)
Value Format(HigherOrderCall& call) {
  const std::string& format = StringAt(call, 0);
  std::string out;
  size_t next = 1;
  for (size_t i = 0; i < format.size(); ++i) {
    const bool is_slot = format[i] == '{' && i + 1 < format.size() && format[i + 1] == '}';
    if (!is_slot) {
      out += format[i];
      continue;
    }
    out += TextOf(call.At(next++, "a value"));
    ++i;
  }
  return out;
}

// "%d and %s" % (a, b)
Value PercentFormat(HigherOrderCall& call) {
  const std::string& format = StringAt(call, 0);
  std::string out;
  size_t next = 1;
  for (size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%' || i + 1 == format.size()) {
      out += format[i];
      continue;
    }
    ++i;
    while (i + 1 < format.size() && (std::isdigit(static_cast<unsigned char>(format[i])) || format[i] == '.')) ++i;
    out += format[i] == '%' ? "%" : TextOf(call.At(next++, "a value"));
  }
  return out;
}

template <int (*Change)(int)>
Value Mapped(HigherOrderCall& call) {
  std::string text = StringAt(call, 0);
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return static_cast<char>(Change(c)); });
  return text;
}

std::string CharsAt(HigherOrderCall& call, size_t i) {
  return i < call.size() && call.At(i, "").Is<std::string>() ? StringAt(call, i) : std::string(" \n\t\f\v\r");
}

template <bool Left, bool Right>
Value Strip(HigherOrderCall& call) {
  const std::string &text = StringAt(call, 0), chars = CharsAt(call, 1);
  const size_t begin = Left ? text.find_first_not_of(chars) : 0;
  const size_t end = Right ? text.find_last_not_of(chars) : text.size() - 1;
  if (text.empty() || begin == std::string::npos || end == std::string::npos) return "";
  return text.substr(begin, end - begin + 1);
}

Value StartsWith(HigherOrderCall& call) { return StringAt(call, 0).starts_with(StringAt(call, 1)); }
Value EndsWith(HigherOrderCall& call) { return StringAt(call, 0).ends_with(StringAt(call, 1)); }

Value Find(HigherOrderCall& call) {
  const size_t at = StringAt(call, 0).find(StringAt(call, 1));
  return at == std::string::npos ? int64_t{-1} : static_cast<int64_t>(at);
}

Value ReverseFind(HigherOrderCall& call) {
  const size_t at = StringAt(call, 0).rfind(StringAt(call, 1));
  return at == std::string::npos ? int64_t{-1} : static_cast<int64_t>(at);
}

Value Replace(HigherOrderCall& call) {
  const std::string &text = StringAt(call, 0), &old = StringAt(call, 1), &with = StringAt(call, 2);
  std::string out;
  size_t at = 0;
  if (old.empty()) return text;
  for (size_t found; (found = text.find(old, at)) != std::string::npos; at = found + old.size())
    out += text.substr(at, found - at) + with;
  return out + text.substr(at);
}

Value Split(HigherOrderCall& call) {
  const std::string& text = StringAt(call, 0);
  List list;
  const auto* separator = call.size() > 1 ? call.At(1, "").TryGet<std::string>() : nullptr;
  if (separator && separator->empty()) Fail(ErrorClass::kValueError, "split by an empty string");
  const std::string by = separator ? *separator : " ";
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find(by, at), text.size());
    if (separator || end > at) list.items.push_back(text.substr(at, end - at));
    at = end + by.size();
  }
  return Share(std::move(list));
}

// separator.join(list)
Value Join(HigherOrderCall& call) {
  std::string out;
  bool is_first = true;
  for (const Value& item : ListAt(call, 1)) {
    out += (is_first ? "" : StringAt(call, 0)) + TextOf(item);
    is_first = false;
  }
  return out;
}

size_t CharAt(const std::string& text, int64_t index) {
  const int64_t length = static_cast<int64_t>(text.size()), place = index < 0 ? index + length : index;
  if (place < 0 || place >= length)
    Fail(ErrorClass::kIndexOutOfRange,
        "the index " + std::to_string(index) + " is outside of a string of " + std::to_string(length));
  return static_cast<size_t>(place);
}

Value Index(HigherOrderCall& call) {
  const std::string& text = StringAt(call, 0);
  return std::string(1, text[CharAt(text, IntAt(call, 1))]);
}

Value Slice(HigherOrderCall& call) {
  const std::string& text = StringAt(call, 0);
  const int64_t length = static_cast<int64_t>(text.size()), step = OptionalIntAt(call, 3).value_or(1);
  if (step <= 0) Fail(ErrorClass::kValueError, "the step of a slice of a string has to be positive");
  const auto clamped = [&](int64_t i) { return std::clamp<int64_t>(i < 0 ? i + length : i, 0, length); };
  const int64_t end = clamped(OptionalIntAt(call, 2).value_or(length));
  std::string out;
  for (int64_t i = clamped(OptionalIntAt(call, 1).value_or(0)); i < end; i += step) out += text[static_cast<size_t>(i)];
  return out;
}

Value Characters(HigherOrderCall& call) {
  List list;
  for (char c : StringAt(call, 0)) list.items.push_back(std::string(1, c));
  return Share(std::move(list));
}

template <int (*Test)(int)>
Value AreAll(HigherOrderCall& call) {
  const std::string& text = StringAt(call, 0);
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) { return Test(c) != 0; });
}

Value IsPrintable(HigherOrderCall& call) {
  return std::ranges::all_of(StringAt(call, 0), [](unsigned char c) { return std::isprint(c) != 0; });
}

// Whether all letters are so, and there is one.
template <int (*Test)(int)>
Value AreLetters(HigherOrderCall& call) {
  std::string letters = StringAt(call, 0);
  std::erase_if(letters, [](unsigned char c) { return !std::isalpha(c); });
  return !letters.empty() && std::all_of(letters.begin(), letters.end(), [](unsigned char c) { return Test(c) != 0; });
}

int OtherCase(int c) { return std::isupper(c) ? std::tolower(c) : std::toupper(c); }

// Starts the text with a capital, or each of its words.
template <bool EachWord>
Value Capitalized(HigherOrderCall& call) {
  std::string text = StringAt(call, 0);
  bool is_start = true;
  for (char& c : text) {
    const auto letter = static_cast<unsigned char>(c);
    c = static_cast<char>(is_start ? std::toupper(letter) : std::tolower(letter));
    is_start = EachWord && !std::isalpha(letter);
  }
  return text;
}

enum class Place { kLeft, kRight, kCenter };

// The text in a field of at least so many characters.
template <Place place>
Value Padded(HigherOrderCall& call) {
  const std::string& text = StringAt(call, 0);
  const std::string fill = call.size() > 2 ? StringAt(call, 2) : "0";
  if (fill.size() != 1) Fail(ErrorClass::kValueError, "fills with one character, not " + ToString(call.At(2, "")));
  const auto width = static_cast<size_t>(std::max<int64_t>(0, IntAt(call, 1)));
  const size_t missing = width > text.size() ? width - text.size() : 0;
  // The odd one of a centred text is before it where the width is odd too, as in Python.
  const size_t half = missing / 2 + (missing & width & 1);
  const size_t before = place == Place::kLeft ? 0 : place == Place::kRight ? missing : half;
  return std::string(before, fill[0]) + text + std::string(missing - before, fill[0]);
}

Value Ordinal(HigherOrderCall& call) {
  const std::string& text = StringAt(call, 0);
  if (text.size() != 1) Fail(ErrorClass::kValueError, "ord takes one character, not " + ToString(call.At(0, "")));
  return static_cast<int64_t>(static_cast<unsigned char>(text[0]));
}

Value Character(HigherOrderCall& call) { return std::string(1, static_cast<char>(IntAt(call, 0))); }

Value NumberOfText(HigherOrderCall& call) {
  try {
    return static_cast<int64_t>(std::stoll(StringAt(call, 0)));
  } catch (const std::logic_error&) {
    Fail(ErrorClass::kValueError, "no number: " + ToString(call.At(0, "")));
  }
}

Value FloatOfText(HigherOrderCall& call) {
  try {
    return std::stod(StringAt(call, 0));
  } catch (const std::logic_error&) {
    Fail(ErrorClass::kValueError, "no number: " + ToString(call.At(0, "")));
  }
}

constexpr HigherOrderRow kRows[] = {
    {"aten::str*", Text},
    {"aten::format*", Format},
    {"aten::percentFormat*", PercentFormat},
    {"aten::lower*", Mapped<std::tolower>},
    {"aten::upper*", Mapped<std::toupper>},
    {"aten::strip*", Strip<true, true>},
    {"aten::lstrip*", Strip<true, false>},
    {"aten::rstrip*", Strip<false, true>},
    {"aten::startswith*", StartsWith},
    {"aten::endswith*", EndsWith},
    {"aten::find*", Find},
    {"aten::rfind*", ReverseFind},
    {"aten::replace*", Replace},
    {"aten::split.str", Split},
    {"aten::join*", Join},
    {"aten::__getitem__.str", Index},
    {"prim::StringIndex", Index},
    {"aten::slice.str", Slice},
    {"aten::list", Characters},
    {"aten::isdigit*", AreAll<std::isdigit>},
    {"aten::isdecimal*", AreAll<std::isdigit>},
    {"aten::isnumeric*", AreAll<std::isdigit>},
    {"aten::isalpha*", AreAll<std::isalpha>},
    {"aten::isalnum*", AreAll<std::isalnum>},
    {"aten::isspace*", AreAll<std::isspace>},
    {"aten::islower*", AreLetters<std::islower>},
    {"aten::isupper*", AreLetters<std::isupper>},
    {"aten::isprintable*", IsPrintable},
    {"aten::capitalize*", Capitalized<false>},
    {"aten::title*", Capitalized<true>},
    {"aten::ljust*", Padded<Place::kLeft>},
    {"aten::rjust*", Padded<Place::kRight>},
    {"aten::center*", Padded<Place::kCenter>},
    {"aten::zfill*", Padded<Place::kRight>},
    {"aten::swapcase*", Mapped<OtherCase>},
    {"aten::ord*", Ordinal},
    {"aten::chr*", Character},
    {"aten::Int.str", NumberOfText},
    {"aten::Float.str", FloatOfText},
};

}  // namespace

std::span<const HigherOrderRow> ScriptStringRows() { return kRows; }

}  // namespace fakeprop
