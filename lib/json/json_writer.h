// Writes JSON text from front to back:
//
//   JsonWriter json;
//   json.BeginObject();
//   json.Key("name").String("x");
//   json.Key("shape").Array(sizes, [&](int64_t size) { json.Int(size); });
//   json.EndObject();
//   return json.Take();  // {"name": "x", "shape": [2, 3]}
//
// The text stays on one line, except where NewLine asks for another one. A call that would make the text invalid, such
// as a key in an array, throws an InternalError.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lib/json/text_buffer.h"

namespace fakeprop {

// A key as the source spells it. The compiler checks that it needs no escapes.
class JsonKey {
 public:
  consteval JsonKey(const char* text) : text_(text) {
    for (char c : text_)
      if (c < 0x20 || c > 0x7e || c == '"' || c == '\\') throw "not plain";
  }
  std::string_view text() const { return text_; }

 private:
  std::string_view text_;
};

class JsonWriter {
 public:
  void BeginObject() { Begin(Container::kObject, '{'); }
  void EndObject() { End(Container::kObject, '}'); }
  void BeginArray() { Begin(Container::kArray, '['); }
  void EndArray() { End(Container::kArray, ']'); }

  // Names the member of an object that the next call writes.
  JsonWriter& Key(JsonKey key) {
    BeforeKey();
    out_.Append('"');
    out_.Append(key.text());
    out_.Append("\": ");
    return *this;
  }
  // The same for a key that only a run knows, such as the name of a symbol.
  JsonWriter& KeyOf(std::string_view key);

  // Bytes that are not UTF-8 become U+FFFD, since file names may hold any bytes.
  void String(std::string_view text);
  void Int(int64_t value);
  // The shortest text that reads back as the same number, always with `.` or an exponent. Infinities and NaN are
  // written as {"type": "float", "value": "Infinity"}.
  void Float(double value);
  // A number as the caller spelt it.
  void Number(std::string_view spelling);
  void Bool(bool value);
  void Null();

  // An array that `write(item)` fills, with one value for each item.
  template <typename Items, typename Write>
  void Array(const Items& items, const Write& write) {
    BeginArray();
    for (const auto& item : items) write(item);
    EndArray();
  }

  // Puts the next item, member or closing bracket on a line of its own, behind `indent` spaces.
  void NewLine(size_t indent);

  // A key on a line of its own: a member of the outermost object.
  JsonWriter& KeyOnLine(JsonKey key) {
    NewLine(2);
    return Key(key);
  }

  // Makes room for a text of this size.
  void Reserve(size_t size) { out_.Reserve(size); }

  // The text, which has to be one whole value.
  std::string Take();

 private:
  enum class Container : uint8_t { kNone, kArray, kObject };

  // What is open around the next value.
  struct Level {
    Container container = Container::kNone;
    bool has_items = false;
  };

  void Begin(Container container, char bracket);
  void End(Container container, char bracket);
  void BeforeKey();
  void BeforeValue() {
    if (!has_key_) return BeforeItem();
    has_key_ = false;
  }
  void BeforeItem();
  void Separate();
  void BreakLine();

  TextBuffer out_;
  Level level_;
  std::vector<Level> outer_;
  bool has_key_ = false;  // a key waits for its value
  bool breaks_line_ = false;
  size_t indent_ = 0;
};

}  // namespace fakeprop
