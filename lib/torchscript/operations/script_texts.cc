// Texts of values: str(), format, %, and numbers read from texts.
// Source: IValue's operator<< in aten/src/ATen/core/ivalue.cpp, torch/csrc/jit/runtime/vararg_functions.cpp and
// register_prim_ops.cpp (torch 2.13).
#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <limits>

#include "lib/torchscript/operations/script_tables.h"
#include "lib/torchscript/operations/script_values.h"

namespace fakeprop {
namespace {

std::string Printed(const char* format, double number) {
  std::array<char, 400> buffer{};
  std::snprintf(buffer.data(), buffer.size(), format, number);
  return buffer.data();
}

// Whole numbers as "3.", others with all their digits.
std::string FloatText(double number) {
  constexpr double kEndOfInts = 9223372036854775808.0;
  if (std::isnan(number)) return "nan";
  const bool is_whole = std::fabs(number) < kEndOfInts && number == std::trunc(number);
  return is_whole ? std::to_string(static_cast<int64_t>(number)) + "." : Printed("%.17g", number);
}

// Texts as str() has them: strings as they are, wherever they stand. A list that holds itself ends as Python prints it.
class TextWriter {
 public:
  std::string Write(const Value& given) {
    const SharedValue* shared = given.TryGet<SharedValue>();
    if (!shared) return WriteContent(given);
    const Value* content = shared->to.get();
    if (std::ranges::find(within_, content) != within_.end()) return content->Is<Dict>() ? "{...}" : "[...]";
    within_.push_back(content);
    std::string text = WriteContent(Deref(given));
    within_.pop_back();
    return text;
  }

 private:
  std::string WriteContent(const Value& value) {
    if (const auto* text = value.TryGet<std::string>()) return *text;
    if (const auto* number = value.TryGet<double>()) return FloatText(*number);
    if (const auto* number = value.TryGet<std::complex<double>>())
      return FloatText(number->real()) + (std::signbit(number->imag()) ? "" : "+") + FloatText(number->imag()) + "j";
    if (const List* list = value.TryList()) return WriteList(*list);
    return value.Is<Dict>() ? WriteDict(value.Get<Dict>()) : ToString(value);
  }

  std::string WriteList(const List& list) {
    std::string text;
    for (const Value& item : list.items) text += (text.empty() ? "" : ", ") + Write(item);
    if (!list.is_tuple) return "[" + text + "]";
    return "(" + text + (list.items.size() == 1 ? ",)" : ")");
  }

  std::string WriteDict(const Dict& dict) {
    std::string text;
    for (const auto& [key, value] : dict.items) text += (text.empty() ? "" : ", ") + Write(key) + ": " + Write(value);
    return "{" + text + "}";
  }

  std::vector<const Value*> within_;  // the lists and dicts around a value
};

std::string TextOf(const Value& value) { return TextWriter().Write(value); }

Value Text(HigherOrderCall& call) { return TextOf(call.At(0, "a value")); }

const Value& ArgumentOf(const std::string& format, std::span<const Value> arguments, size_t i) {
  if (i >= arguments.size()) Fail(ErrorClass::kValueError, "too few arguments for the format " + ToString(format));
  return arguments[i];
}

// "{} and {}".format(a, b)
Value Format(HigherOrderCall& call) {
  const std::string& format = StringAt(call, 0);
  std::string out;
  size_t at = 0, next = 0;
  for (size_t slot; (slot = format.find("{}", at)) != std::string::npos; at = slot + 2)
    out += format.substr(at, slot - at) + TextOf(ArgumentOf(format, call.From(1), next++));
  return out + format.substr(at);
}

double NumberOf(const Value& value, char specifier) {
  if (const auto* number = value.TryGet<double>()) return *number;
  if (const Dim* number = value.TryGet<Dim>()) return static_cast<double>(number->Specialize());
  Fail(ErrorClass::kTypeError, std::string("%") + specifier + " takes a number, not " + ToString(value));
}

// As x86 converts: what does not fit is the smallest int.
int AsInt(double number) {
  constexpr double kEnd = 2147483648.0;
  return std::fabs(number) < kEnd ? static_cast<int>(number) : std::numeric_limits<int>::min();
}

// PyTorch goes by way of a float32.
std::string Decimal(const char* format, const Value& value) {
  return Printed(format, static_cast<double>(static_cast<float>(NumberOf(value, format[1]))));
}

std::string CharacterOf(const Value& value) {
  const Dim* code = value.TryGet<Dim>();
  return code ? std::string(1, static_cast<char>(code->Specialize())) : TextOf(value);
}

// What a specifier writes for a value. A value that depends on data has no text of its own.
std::string Formatted(char specifier, const Value& given) {
  const Value& value = Deref(given);
  if (IsUnknown(value) || value.IsSymbolicFloat()) return ToString(value);
  switch (specifier) {
    case 's': return TextOf(value);
    case 'c': return CharacterOf(value);
    case 'd':
    case 'i':
      if (value.Is<Dim>()) return ToString(value);
      return std::to_string(AsInt(NumberOf(value, specifier)));
    case 'e': return Decimal("%e", value);
    case 'E': return Decimal("%E", value);
    case 'f': return Decimal("%f", value);
    case 'F': return Decimal("%F", value);
    default: Fail(ErrorClass::kValueError, std::string("TorchScript has no format %") + specifier);
  }
}

// What stands behind the %: a tuple has an argument for each specifier.
std::span<const Value> PercentArguments(HigherOrderCall& call) {
  const List* list = call.size() == 2 ? Deref(call.At(1, "a value")).TryList() : nullptr;
  return list && list->is_tuple ? std::span<const Value>(list->items) : call.From(1);
}

// "%d and %s" % (a, b)
Value PercentFormat(HigherOrderCall& call) {
  const std::string& format = StringAt(call, 0);
  std::string out;
  const std::span<const Value> arguments = PercentArguments(call);
  size_t at = 0, next = 0;
  for (size_t percent; (percent = format.find('%', at)) != std::string::npos; at = percent + 2) {
    if (percent + 1 == format.size()) Fail(ErrorClass::kValueError, "the format ends with %: " + ToString(format));
    out += format.substr(at, percent - at);
    const char specifier = format[percent + 1];
    out += specifier == '%' ? "%" : Formatted(specifier, ArgumentOf(format, arguments, next++));
  }
  if (next != arguments.size()) Fail(ErrorClass::kValueError, "too many arguments for the format " + ToString(format));
  return out + format.substr(at);
}

Value Ordinal(HigherOrderCall& call) {
  const std::string& text = StringAt(call, 0);
  if (text.size() != 1) Fail(ErrorClass::kValueError, "ord takes one character, not " + ToString(call.At(0, "")));
  return static_cast<int64_t>(static_cast<unsigned char>(text[0]));
}

Value Character(HigherOrderCall& call) { return std::string(1, static_cast<char>(IntAt(call, 0))); }

// Reads a number of the whole text. `parse` takes the text and where to write how much it read.
template <typename Parse>
auto Read(HigherOrderCall& call, const Parse& parse) {
  const std::string& text = StringAt(call, 0);
  try {
    size_t end = 0;
    const auto number = parse(text, &end);
    if (end == text.size()) return number;
  } catch (const std::logic_error&) {  // no number, or one that is too large
  }
  Fail(ErrorClass::kValueError, "no number: " + ToString(call.At(0, "")));
}

Value IntOfText(HigherOrderCall& call) {
  return Read(call, [](const std::string& text, size_t* end) { return static_cast<int64_t>(std::stoll(text, end)); });
}

Value FloatOfText(HigherOrderCall& call) {
  return Read(call, [](const std::string& text, size_t* end) { return std::stod(text, end); });
}

// The digits of a number to a base that is a power of two.
template <int bits>
Value Digits(HigherOrderCall& call) {
  const int64_t number = IntAt(call, 0);
  uint64_t rest = number < 0 ? -static_cast<uint64_t>(number) : static_cast<uint64_t>(number);
  std::string digits;
  do {
    digits.insert(digits.begin(), "0123456789abcdef"[rest & ((1U << bits) - 1)]);
    rest >>= bits;
  } while (rest);
  return (number < 0 ? "-0" : "0") + std::string(bits == 1 ? "b" : bits == 3 ? "o" : "x") + digits;
}

constexpr HigherOrderRow kRows[] = {
    {"aten::str*", Text},
    {"aten::format*", Format},
    {"aten::percentFormat*", PercentFormat},
    {"aten::ord*", Ordinal},
    {"aten::chr*", Character},
    {"aten::Int.str", IntOfText},
    {"aten::Float.str", FloatOfText},
    {"aten::hex.int", Digits<4>},
    {"aten::oct.int", Digits<3>},
    {"aten::bin.int", Digits<1>},
};

}  // namespace

std::span<const HigherOrderRow> ScriptTextRows() { return kRows; }

}  // namespace fakeprop
