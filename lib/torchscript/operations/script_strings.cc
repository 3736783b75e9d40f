// Functions of strings. Strings are bytes, as in TorchScript: a letter beyond ASCII is several characters, none a
// letter. Source: torch/csrc/jit/runtime/register_prim_ops.cpp and register_ops_utils.cpp (torch 2.13).
#include <algorithm>
#include <cctype>

#include "lib/meta/lists.h"
#include "lib/torchscript/operations/script_tables.h"
#include "lib/torchscript/operations/script_values.h"

namespace fakeprop {
namespace {

Value ListOf(const std::vector<std::string>& texts) {
  List list;
  list.items.assign(texts.begin(), texts.end());
  return Share(std::move(list));
}

Value TupleOf(std::string a, std::string b, std::string c) {
  List tuple;
  tuple.is_tuple = true;
  for (std::string* text : {&a, &b, &c}) tuple.items.emplace_back(std::move(*text));
  return tuple;
}

// Each of these bytes ends a line, so \r\n ends two. PyTorch names two of the characters by their bytes in UTF-8.
constexpr const char* kLineEnds = "\n\r\v\f\x1c\x1d\x1e\x85\xe2\x80\xa8\xa9";

// PyTorch's loops over occurrences of "" never end.
const std::string& NonemptyAt(HigherOrderCall& call, size_t i) {
  const std::string& text = StringAt(call, i);
  if (text.empty()) Fail(ErrorClass::kValueError, "searches for an empty string");
  return text;
}

// ---- changed texts

template <int (*Change)(int)>
Value Mapped(HigherOrderCall& call) {
  std::string text = StringAt(call, 0);
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(Change(c)); });
  return text;
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

template <bool Left, bool Right>
Value Strip(HigherOrderCall& call) {
  const std::string &text = StringAt(call, 0), &chars = StringAt(call, 1);
  const size_t begin = Left ? text.find_first_not_of(chars) : 0;
  const size_t end = Right ? text.find_last_not_of(chars) : text.size() - 1;
  if (text.empty() || begin == std::string::npos || end == std::string::npos) return "";
  return text.substr(begin, end - begin + 1);
}

enum class Place { kLeft, kRight, kCenter };

// The text in a field of at least so many characters.
template <Place place>
Value Padded(HigherOrderCall& call) {
  const std::string& text = StringAt(call, 0);
  const std::string fill = call.size() > 2 ? StringAt(call, 2) : "0";
  if (fill.size() != 1) Fail(ErrorClass::kValueError, "fills with one character, not " + ToString(call.At(2, "")));
  const auto width = static_cast<size_t>(std::max<int64_t>(0, IntAt(call, 1)));
  CheckTextLength(width);
  const size_t missing = width > text.size() ? width - text.size() : 0;
  // The odd one of a centred text is before it where the width is odd too, as in Python.
  const size_t half = missing / 2 + (missing & width & 1);
  const size_t before = place == Place::kLeft ? 0 : place == Place::kRight ? missing : half;
  return std::string(before, fill[0]) + text + std::string(missing - before, fill[0]);
}

// Newlines do not start the columns anew, as in PyTorch.
Value ExpandTabs(HigherOrderCall& call) {
  const int64_t width = IntAt(call, 1);
  CheckTextLength(static_cast<uint64_t>(std::max<int64_t>(0, width)));
  std::string out;
  for (char c : StringAt(call, 0)) {
    if (c != '\t') out += c;
    else if (width > 0) out.append(static_cast<size_t>(width - static_cast<int64_t>(out.size()) % width), ' ');
    CheckTextLength(out.size());
  }
  return out;
}

Value Replace(HigherOrderCall& call) {
  const std::string &text = StringAt(call, 0), &old = NonemptyAt(call, 1), &with = StringAt(call, 2);
  std::string out;
  size_t at = 0;
  int64_t left = IntAt(call, 3);
  for (size_t found; left-- != 0 && (found = text.find(old, at)) != std::string::npos; at = found + old.size()) {
    out += text.substr(at, found - at) + with;
    CheckTextLength(out.size());
  }
  return out + text.substr(at);
}

// ---- parts

size_t CharAt(const std::string& text, int64_t index) {
  const int64_t length = static_cast<int64_t>(text.size()), place = index < 0 ? index + length : index;
  if (place < 0 || place >= length)
    Fail(ErrorClass::kIndexOutOfRange,
        "the index " + std::to_string(index) + " is outside of a string of " + std::to_string(length));
  return static_cast<size_t>(place);
}

Value Character(HigherOrderCall& call) {
  const std::string& text = StringAt(call, 0);
  return std::string(1, text[CharAt(text, IntAt(call, 1))]);
}

Value Slice(HigherOrderCall& call) {
  const std::string& text = StringAt(call, 0);
  const int64_t step = OptionalIntAt(call, 3).value_or(1);
  if (step == 0) Fail(ErrorClass::kValueError, "the step of a slice is 0");
  const PythonRange places =
      PlacesOfSlice(OptionalIntAt(call, 1), OptionalIntAt(call, 2), step, static_cast<int64_t>(text.size()));
  std::string out;
  for (uint64_t i = 0; i < places.size(); ++i) out += text[static_cast<size_t>(places[i])];
  return out;
}

Value Characters(HigherOrderCall& call) {
  std::vector<std::string> texts;
  for (char c : StringAt(call, 0)) texts.emplace_back(1, c);
  return ListOf(texts);
}

// Words between white space.
std::vector<std::string> Words(const std::string& text) {
  std::vector<std::string> words;
  const std::string space = std::string(" \t") + kLineEnds;
  for (size_t at = 0; (at = text.find_first_not_of(space, at)) != std::string::npos;) {
    const size_t end = std::min(text.find_first_of(space, at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

// At most `most` times, if it is not negative. Between words it does not count, as in PyTorch.
Value Split(HigherOrderCall& call) {
  const std::string& text = StringAt(call, 0);
  if (call.At(1, "a separator").IsNone()) return ListOf(Words(text));
  const std::string& separator = NonemptyAt(call, 1);
  std::vector<std::string> parts;
  size_t at = 0;
  int64_t left = IntAt(call, 2);
  for (size_t end; left-- != 0 && (end = text.find(separator, at)) != std::string::npos; at = end + separator.size())
    parts.push_back(text.substr(at, end - at));
  parts.push_back(text.substr(at));
  return ListOf(parts);
}

// From the end.
Value ReverseSplit(HigherOrderCall& call) {
  std::string text = StringAt(call, 0);
  const std::string& separator = NonemptyAt(call, 1);
  std::vector<std::string> parts;
  int64_t left = IntAt(call, 2);
  for (size_t at; left-- != 0 && (at = text.rfind(separator)) != std::string::npos; text.resize(at))
    parts.insert(parts.begin(), text.substr(at + separator.size()));
  parts.insert(parts.begin(), text);
  return ListOf(parts);
}

Value SplitLines(HigherOrderCall& call) {
  const std::string& text = StringAt(call, 0);
  const bool* keeps_ends = call.TryBool(1);
  std::vector<std::string> lines;
  size_t at = 0;
  for (size_t end; (end = text.find_first_of(kLineEnds, at)) != std::string::npos; at = end + 1) {
    lines.push_back(text.substr(at, end - at));
    if (keeps_ends && *keeps_ends) lines.emplace_back(1, text[end]);
  }
  if (at != text.size()) lines.push_back(text.substr(at));
  return ListOf(lines);
}

Value Partition(HigherOrderCall& call) {
  const std::string &text = StringAt(call, 0), &separator = StringAt(call, 1);
  const size_t at = text.find(separator);
  if (at == std::string::npos) return TupleOf(text, "", "");
  return TupleOf(text.substr(0, at), separator, text.substr(at + separator.size()));
}

Value ReversePartition(HigherOrderCall& call) {
  const std::string &text = StringAt(call, 0), &separator = StringAt(call, 1);
  const size_t at = text.rfind(separator);
  if (at == std::string::npos) return TupleOf("", "", text);
  return TupleOf(text.substr(0, at), separator, text.substr(at + separator.size()));
}

// separator.join(list)
Value Join(HigherOrderCall& call) {
  std::string out;
  bool is_first = true;
  for (const Value& item : ListAt(call, 1)) {
    const auto* text = item.TryGet<std::string>();
    out += (is_first ? "" : StringAt(call, 0)) + (text ? *text : ToString(item));
    CheckTextLength(out.size());
    is_first = false;
  }
  return out;
}

// ---- searches

// The characters from `begin` to `end`, arguments 2 and 3 of a search. The end -1 is that of the text.
struct Section {
  size_t begin, end;
};

Section SectionAt(HigherOrderCall& call) {
  const int64_t length = static_cast<int64_t>(StringAt(call, 0).size());
  const int64_t begin = IntAt(call, 2), end = IntAt(call, 3);
  return {static_cast<size_t>(begin < 0 ? std::max<int64_t>(0, length + begin) : begin),
      static_cast<size_t>(end < 0 ? std::max<int64_t>(0, length + end + 1) : end)};
}

std::string PieceOf(const std::string& text, size_t begin, size_t count) {
  if (begin > text.size())
    Fail(ErrorClass::kIndexOutOfRange,
        "searches from " + std::to_string(begin) + " on in a string of " + std::to_string(text.size()));
  return text.substr(begin, count);
}

enum class From { kLeft, kRight };
enum class Missing { kMinusOne, kError };

template <From from, Missing missing>
Value Find(HigherOrderCall& call) {
  const Section section = SectionAt(call);
  const std::string piece =
      section.end > section.begin ? PieceOf(StringAt(call, 0), section.begin, section.end - section.begin) : "";
  const size_t at = from == From::kLeft ? piece.find(StringAt(call, 1)) : piece.rfind(StringAt(call, 1));
  if (at != std::string::npos) return static_cast<int64_t>(at + section.begin);
  if (missing == Missing::kError) Fail(ErrorClass::kValueError, ToString(call.At(1, "")) + " is not in the string");
  return int64_t{-1};
}

// An end before the begin stands for the end of the text, as in PyTorch.
template <From from>
Value IsAtEdge(HigherOrderCall& call) {
  const Section section = SectionAt(call);
  const std::string piece = PieceOf(StringAt(call, 0), section.begin, section.end - section.begin);
  return from == From::kLeft ? piece.starts_with(StringAt(call, 1)) : piece.ends_with(StringAt(call, 1));
}

// An occurrence has to start before the end.
Value Count(HigherOrderCall& call) {
  const std::string &text = StringAt(call, 0), &part = NonemptyAt(call, 1);
  const Section section = SectionAt(call);
  int64_t count = 0;
  for (size_t at = section.begin; (at = text.find(part, at)) < section.end; at += part.size()) ++count;
  return count;
}

// ---- questions

template <int (*Test)(int)>
Value AreAll(HigherOrderCall& call) {
  const std::string& text = StringAt(call, 0);
  return !text.empty() && std::ranges::all_of(text, [](unsigned char c) { return Test(c) != 0; });
}

Value IsPrintable(HigherOrderCall& call) {
  return std::ranges::all_of(StringAt(call, 0), [](unsigned char c) { return std::isprint(c) != 0; });
}

// Whether all letters are so, and there is one.
template <int (*Test)(int)>
Value AreLetters(HigherOrderCall& call) {
  std::string letters = StringAt(call, 0);
  std::erase_if(letters, [](unsigned char c) { return !std::isalpha(c); });
  return !letters.empty() && std::ranges::all_of(letters, [](unsigned char c) { return Test(c) != 0; });
}

// Whether each word starts with a capital, and has no other. Single characters that are no letters are words too.
Value IsTitle(HigherOrderCall& call) {
  bool has_letter = false, in_word = false;
  for (unsigned char c : StringAt(call, 0)) {
    if (in_word ? std::isupper(c) : std::islower(c)) return false;
    in_word = std::isalpha(c) != 0;
    has_letter = has_letter || in_word;
  }
  return has_letter;
}

// PyTorch takes no underscore.
Value IsIdentifier(HigherOrderCall& call) {
  const std::string& text = StringAt(call, 0);
  return !text.empty() && !std::isdigit(static_cast<unsigned char>(text[0])) &&
         std::ranges::all_of(text, [](unsigned char c) { return std::isalnum(c) != 0; });
}

constexpr HigherOrderRow kRows[] = {
    {"aten::lower", Mapped<std::tolower>},
    {"aten::upper", Mapped<std::toupper>},
    {"aten::swapcase", Mapped<OtherCase>},
    {"aten::capitalize", Capitalized<false>},
    {"aten::title", Capitalized<true>},
    {"aten::strip", Strip<true, true>},
    {"aten::lstrip", Strip<true, false>},
    {"aten::rstrip", Strip<false, true>},
    {"aten::ljust", Padded<Place::kLeft>},
    {"aten::rjust", Padded<Place::kRight>},
    {"aten::center", Padded<Place::kCenter>},
    {"aten::zfill", Padded<Place::kRight>},
    {"aten::expandtabs", ExpandTabs},
    {"aten::replace", Replace},
    {"aten::__getitem__.str", Character},
    {"prim::StringIndex", Character},
    {"aten::slice.str", Slice},
    {"aten::list", Characters},
    {"aten::split.str", Split},
    {"aten::rsplit", ReverseSplit},
    {"aten::splitlines", SplitLines},
    {"aten::partition", Partition},
    {"aten::rpartition", ReversePartition},
    {"aten::join", Join},
    {"aten::find", Find<From::kLeft, Missing::kMinusOne>},
    {"aten::rfind", Find<From::kRight, Missing::kMinusOne>},
    {"aten::index.str", Find<From::kLeft, Missing::kError>},
    {"aten::rindex", Find<From::kRight, Missing::kError>},
    {"aten::startswith", IsAtEdge<From::kLeft>},
    {"aten::endswith", IsAtEdge<From::kRight>},
    {"aten::count", Count},
    {"aten::isdigit", AreAll<std::isdigit>},
    {"aten::isdecimal", AreAll<std::isdigit>},
    {"aten::isnumeric", AreAll<std::isdigit>},
    {"aten::isalpha", AreAll<std::isalpha>},
    {"aten::isalnum", AreAll<std::isalnum>},
    {"aten::isspace", AreAll<std::isspace>},
    {"aten::isprintable", IsPrintable},
    {"aten::islower", AreLetters<std::islower>},
    {"aten::isupper", AreLetters<std::isupper>},
    {"aten::istitle", IsTitle},
    {"aten::isidentifier", IsIdentifier},
};

}  // namespace

std::span<const HigherOrderRow> ScriptStringRows() { return kRows; }

}  // namespace fakeprop
