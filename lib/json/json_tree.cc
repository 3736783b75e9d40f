#include "lib/json/json_tree.h"

#include <charconv>
#include <cstdio>
#include <limits>

namespace fakeprop {
namespace {

// The shortest text that reads back as the same number, and is seen to be no integer.
std::string FormatReal(double value) {
  char buffer[32];
  std::string text(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

std::string JoinTags(std::span<const std::string_view> tags) {
  std::string text;
  for (std::string_view tag : tags) text += (text.empty() ? "" : ", ") + std::string(tag);
  return text;
}

std::string DescribeTags(JsonValue object) {
  std::string text;
  for (JsonValue member : object) text += (text.empty() ? "" : " and ") + Quote(member.key());
  return text;
}

// As a JSON pointer (RFC 6901) writes a member's name.
std::string EscapePointer(std::string_view key) {
  std::string text;
  for (char c : key) {
    if (c == '~') text += "~0";
    else if (c == '/') text += "~1";
    else text += c;
  }
  return text;
}

std::string Escaped(char c) {
  char escaped[8];
  std::snprintf(escaped, sizeof escaped, "\\x%02x", static_cast<unsigned char>(c));
  return escaped;
}

}  // namespace

std::string Quote(std::string_view text) {
  constexpr size_t kLongest = 60;
  std::string quoted = "`";
  for (char c : text.substr(0, kLongest)) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) quoted += Escaped(c);
    else quoted += c;
  }
  if (text.size() <= kLongest) return quoted + "`";
  // No half of a UTF-8 sequence before the dots.
  while (!quoted.empty() && (static_cast<unsigned char>(quoted.back()) & 0xc0) == 0x80) quoted.pop_back();
  if (static_cast<unsigned char>(quoted.back()) >= 0xc0) quoted.pop_back();
  return quoted + "...`";
}

const JsonNode& JsonValue::node() const { return tree_->node(index_); }
JsonValue::Iterator JsonValue::begin() const {
  bool holds = kind() == JsonKind::kArray || kind() == JsonKind::kObject;
  return {tree_, holds ? index_ + 1 : node().end};
}
JsonValue::Iterator JsonValue::end() const { return {tree_, node().end}; }
JsonValue::Iterator& JsonValue::Iterator::operator++() {
  index_ = tree_->node(index_).end;
  return *this;
}

bool JsonValue::AsBool() const {
  if (kind() != JsonKind::kBool) FailExpected("true or false");
  return node().integer != 0;
}

int64_t JsonValue::AsInt() const {
  if (kind() != JsonKind::kInteger) FailExpected("an integer");
  return node().integer;
}

double JsonValue::AsReal() const {
  if (kind() == JsonKind::kInteger) return static_cast<double>(node().integer);
  if (kind() == JsonKind::kReal || kind() == JsonKind::kBigInteger) return node().real;
  std::string_view text = kind() == JsonKind::kString ? AsString() : std::string_view();
  if (text == "Infinity") return std::numeric_limits<double>::infinity();
  if (text == "-Infinity") return -std::numeric_limits<double>::infinity();
  if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  FailExpected("a number, \"Infinity\", \"-Infinity\" or \"NaN\"");
}

std::string_view JsonValue::AsString() const {
  if (kind() != JsonKind::kString) FailExpected("a string");
  return {node().text, node().size};
}

JsonValue JsonValue::AsArray() const {
  if (kind() != JsonKind::kArray) FailExpected("an array");
  return *this;
}

JsonValue JsonValue::AsObject() const {
  if (kind() != JsonKind::kObject) FailExpected("an object");
  return *this;
}

JsonValue JsonValue::Get(std::string_view key) const {
  for (JsonValue member : AsObject())
    if (member.key() == key) return member;
  Fail("the field " + Quote(key) + " is missing");
}

std::optional<JsonValue> JsonValue::Find(std::string_view key) const {
  for (JsonValue member : AsObject())
    if (member.key() == key) return member.IsNull() ? std::nullopt : std::optional(member);
  return std::nullopt;
}

std::string JsonValue::Describe() const {
  switch (kind()) {
    case JsonKind::kNull: return "null";
    case JsonKind::kBool: return node().integer ? "true" : "false";
    case JsonKind::kInteger: return std::to_string(node().integer);
    case JsonKind::kBigInteger: return "an integer beyond 64 bits";
    case JsonKind::kReal: return FormatReal(node().real);
    case JsonKind::kString: return "the string " + Quote(AsString());
    case JsonKind::kArray: return size() ? "an array" : "an empty array";
    case JsonKind::kObject: return size() ? "an object" : "an empty object";
  }
  return "null";
}

std::string JsonValue::Pointer() const {
  std::string pointer;
  for (JsonValue at = tree_->root(); at.index_ != index_;) {
    size_t position = 0;
    for (JsonValue child : at) {
      if (index_ < child.node().end) {
        bool named = at.kind() == JsonKind::kObject;
        pointer += "/" + (named ? EscapePointer(child.key()) : std::to_string(position));
        at = child;
        break;
      }
      ++position;
    }
  }
  return pointer;
}

void JsonValue::Fail(std::string message) const { throw JsonError(Pointer(), std::move(message)); }

void JsonValue::FailExpected(std::string_view expected) const {
  Fail("expected " + std::string(expected) + " but found " + Describe());
}

TaggedValue ReadUnion(JsonValue json, std::span<const std::string_view> tags) {
  if (json.kind() == JsonKind::kObject && json.size() == 1) {
    JsonValue member = *json.begin();
    for (size_t i = 0; i < tags.size(); ++i)
      if (member.key() == tags[i]) return {static_cast<int>(i), member};
  }
  bool has_tags = json.kind() == JsonKind::kObject && json.size() > 0;
  json.Fail("expected an object with one of the tags " + JoinTags(tags) + " but found " +
            (has_tags ? DescribeTags(json) : json.Describe()));
}

}  // namespace fakeprop
