// JSON as a flat array of values in document order: small, quick to build, and every value knows its JSON pointer.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/text_arena.h"

namespace fakeprop {

enum class JsonKind : uint8_t {
  kNull,
  kBool,
  kInteger,
  kBigInteger,  // beyond int64; as a double
  kReal,
  kString,
  kArray,
  kObject,
};

// An error in a JSON document, with its place.
struct JsonError : std::exception {
  JsonError(std::string at, std::string what, std::string advice = {})
      : place(std::move(at)), message(std::move(what)), note(std::move(advice)) {}
  const char* what() const noexcept override { return message.c_str(); }

  std::string place;  // a JSON pointer, or "byte 17"
  std::string message;
  std::string note;  // what to do about it; may be empty
};

struct JsonNode {
  JsonKind kind = JsonKind::kNull;
  uint32_t end = 0;   // the index after this value and all that it holds
  uint32_t size = 0;  // bytes of a string, items or members of the others
  uint32_t key_size = 0;
  const char* key = nullptr;
  union {
    int64_t integer;   // kInteger, kBool
    double real;       // kReal, kBigInteger
    const char* text;  // kString
  };

  JsonNode() : integer(0) {}
};

class JsonTree;

// A value of a tree. As... and Get read a field of a required type. If the field is of another type, they throw a
// JsonError that says what was seen and what was expected.
class JsonValue {
 public:
  JsonValue(const JsonTree* tree, uint32_t index) : tree_(tree), index_(index) {}

  JsonKind kind() const { return node().kind; }
  bool IsNull() const { return kind() == JsonKind::kNull; }
  bool IsNumber() const { return kind() >= JsonKind::kInteger && kind() <= JsonKind::kReal; }
  // Items of an array, members of an object.
  size_t size() const { return node().size; }
  // The name under which an object holds this value; empty in an array.
  std::string_view key() const { return {node().key, node().key_size}; }
  uint32_t index() const { return index_; }

  bool AsBool() const;
  int64_t AsInt() const;
  // Also takes an integer and the strings "Infinity", "-Infinity" and "NaN".
  double AsReal() const;
  std::string_view AsString() const;
  // This value, which has to be an array or object.
  JsonValue AsArray() const;
  JsonValue AsObject() const;

  // A member of an object, which has to be there.
  JsonValue Get(std::string_view key) const;
  // The same for a member that may be missing. null counts as missing.
  std::optional<JsonValue> Find(std::string_view key) const;

  // For messages: "the string `abc`", "12", "an array".
  std::string Describe() const;
  // "/graph_module/graph/nodes/2".
  std::string Pointer() const;
  [[noreturn]] void Fail(std::string message) const;
  // "expected an integer but found the string `abc`".
  [[noreturn]] void FailExpected(std::string_view expected) const;

  class Iterator {
   public:
    Iterator(const JsonTree* tree, uint32_t index) : tree_(tree), index_(index) {}
    JsonValue operator*() const { return {tree_, index_}; }
    Iterator& operator++();
    bool operator==(const Iterator& other) const { return index_ == other.index_; }

   private:
    const JsonTree* tree_;
    uint32_t index_;
  };
  Iterator begin() const;
  Iterator end() const;

 private:
  const JsonNode& node() const;

  const JsonTree* tree_;
  uint32_t index_;
};

class JsonTree {
 public:
  JsonTree(std::vector<JsonNode> nodes, std::shared_ptr<TextArena> text)
      : nodes_(std::move(nodes)), text_(std::move(text)) {}

  JsonValue root() const { return {this, 0}; }
  const JsonNode& node(uint32_t index) const { return nodes_[index]; }
  // Holds every string of the tree; may outlive it.
  const std::shared_ptr<TextArena>& text() const { return text_; }

 private:
  std::vector<JsonNode> nodes_;
  std::shared_ptr<TextArena> text_;
};

// The one member of a tagged union.
struct TaggedValue {
  int tag;  // index into the tags
  JsonValue value;
};

// Reads an object with exactly one member, named by one of `tags`.
TaggedValue ReadUnion(JsonValue json, std::span<const std::string_view> tags);

// "`abc`", shortened and with control characters escaped.
std::string Quote(std::string_view text);

}  // namespace fakeprop
