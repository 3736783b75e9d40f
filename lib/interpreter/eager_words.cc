#include "lib/interpreter/eager_words.h"

#include <algorithm>
#include <cctype>

namespace fakeprop {
namespace {

std::string Lower(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  return lower;
}

// With single spaces, as in our messages.
std::string SingleSpaced(std::string_view text) {
  std::string single;
  for (char c : text)
    if (c != ' ' || (!single.empty() && single.back() != ' ')) single += c;
  while (!single.empty() && single.back() == ' ') single.pop_back();
  return single;
}

std::string_view WithoutStop(std::string_view text) {
  if (text.ends_with('.')) text.remove_suffix(1);
  return text;
}

bool IsNameCharacter(unsigned char c) { return std::isalnum(c) || c == '_' || c == '.'; }

// Without the name that PyTorch writes first: `"addmm_impl" not implemented`, `linalg.svd: `, `conv2d(): `.
std::string_view WithoutName(std::string_view words) {
  if (words.starts_with('"')) {
    const size_t end = words.find("\" ", 1);
    return end == std::string_view::npos ? words : words.substr(end + 2);
  }
  size_t end = 0;
  while (end < words.size() && IsNameCharacter(words[end])) ++end;
  if (end == 0) return words;
  for (std::string_view colon : {": ", "(): ", " : "})
    if (words.substr(end).starts_with(colon)) return words.substr(end + colon.size());
  return words;
}

}  // namespace

bool MayEagerRefuse(ErrorClass error_class) {
  switch (error_class) {
    case ErrorClass::kShapeMismatch:
    case ErrorClass::kDtypeMismatch:
    case ErrorClass::kDeviceMismatch:
    case ErrorClass::kIndexOutOfRange:
    case ErrorClass::kValueError:
    case ErrorClass::kTypeError:
    case ErrorClass::kViewError:
    case ErrorClass::kAutogradError:
    case ErrorClass::kOverflow:
    case ErrorClass::kAssertionFailed: return true;
    default: return false;
  }
}

std::string JoinEagerWords(const std::string& message, std::string_view eager) {
  const std::string words = SingleSpaced(eager);
  const std::string ours = Lower(message);
  if (words.empty() || ours.find(Lower(WithoutStop(words))) != std::string::npos) return message;
  const std::string nameless = Lower(WithoutStop(WithoutName(words)));
  const size_t found = ours.find(nameless);
  if (found == std::string::npos) return message + ": " + words;
  return message.substr(0, found) + std::string(WithoutStop(words)) + message.substr(found + nameless.size());
}

}  // namespace fakeprop
