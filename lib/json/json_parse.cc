#include "lib/json/json_parse.h"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

namespace fakeprop {
namespace {

// Reads the text and lets others see how far: nlohmann's handlers are not told.
struct CountingIterator {
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  const char* at = nullptr;
  const char** seen = nullptr;

  reference operator*() const { return *at; }
  CountingIterator& operator++() {
    *seen = ++at;
    return *this;
  }
  bool operator==(const CountingIterator& other) const { return at == other.at; }
  bool operator!=(const CountingIterator& other) const { return at != other.at; }
};

// Receives nlohmann's events and appends to the flat array. A handler that returns false ends the parse.
class TreeBuilder {
 public:
  TreeBuilder(std::string_view text, const char** seen) : source_(text), seen_(seen) {
    nodes_.reserve(std::min(text.size() / 24 + 16, size_t{1} << 20));
  }

  bool null() { return Add(JsonKind::kNull); }
  bool boolean(bool value) { return Add(JsonKind::kBool, value); }
  bool number_integer(int64_t value) { return Add(JsonKind::kInteger, value); }
  bool number_unsigned(uint64_t value) {
    if (value <= INT64_MAX) return Add(JsonKind::kInteger, static_cast<int64_t>(value));
    return AddReal(JsonKind::kBigInteger, static_cast<double>(value));
  }
  // nlohmann also sends integers beyond 64 bits here.
  bool number_float(double value, const std::string& spelling) {
    bool integer = spelling.find_first_of(".eE") == std::string::npos;
    return AddReal(integer ? JsonKind::kBigInteger : JsonKind::kReal, value);
  }
  bool string(std::string& value) {
    if (!Add(JsonKind::kString)) return false;
    nodes_.back().size = static_cast<uint32_t>(value.size());
    nodes_.back().text = text_->Store(value).data();
    return true;
  }
  bool binary(nlohmann::json::binary_t&) { return false; }
  bool key(std::string& name) {
    key_ = text_->Store(name);
    return true;
  }
  bool start_object(size_t) { return Open(JsonKind::kObject); }
  bool start_array(size_t) { return Open(JsonKind::kArray); }
  bool end_object() { return Close() && !FindDuplicate(); }
  bool end_array() { return Close(); }

  bool parse_error(size_t position, const std::string&, const nlohmann::json::exception& error) {
    if (position > source_.size()) return Fail("the JSON ends too early: is the file cut off?");
    return Fail("the JSON is malformed: " + Clean(error.what()));
  }

  JsonTree Release() { return JsonTree(std::move(nodes_), std::move(text_)); }
  [[noreturn]] void Throw() const { throw JsonError(place_, error_); }

 private:
  bool Add(JsonKind kind, int64_t integer = 0) {
    if (nodes_.size() == kMaxJsonValues) return Fail("more than " + std::to_string(kMaxJsonValues) + " values");
    if (!open_.empty()) ++nodes_[open_.back()].size;
    JsonNode& node = nodes_.emplace_back();
    node.kind = kind;
    node.end = static_cast<uint32_t>(nodes_.size());
    node.key = key_.data();
    node.key_size = static_cast<uint32_t>(key_.size());
    node.integer = integer;
    key_ = {};
    return true;
  }
  bool AddReal(JsonKind kind, double value) {
    if (!Add(kind)) return false;
    nodes_.back().real = value;
    return true;
  }

  bool Open(JsonKind kind) {
    if (open_.size() == kMaxJsonDepth) return Fail("nested deeper than " + std::to_string(kMaxJsonDepth) + " levels");
    if (!Add(kind)) return false;
    open_.push_back(static_cast<uint32_t>(nodes_.size() - 1));
    return true;
  }
  bool Close() {
    closed_ = open_.back();
    nodes_[closed_].end = static_cast<uint32_t>(nodes_.size());
    open_.pop_back();
    return true;
  }

  // Whether the object that was just closed has a name twice.
  bool FindDuplicate() {
    names_.clear();
    for (uint32_t i = closed_ + 1; i < nodes_[closed_].end; i = nodes_[i].end)
      names_.emplace_back(nodes_[i].key, nodes_[i].key_size);
    // Most objects have one to seven names.
    if (names_.size() > 16) std::sort(names_.begin(), names_.end());
    for (size_t i = 1; i < names_.size(); ++i) {
      size_t first = names_.size() > 16 ? i - 1 : 0;
      for (size_t j = first; j < i; ++j)
        if (names_[i] == names_[j]) return !Fail("an object has the name " + Quote(names_[i]) + " twice");
    }
    return false;
  }

  bool Fail(std::string message) {
    size_t consumed = static_cast<size_t>(*seen_ - source_.data());
    place_ = "byte " + std::to_string(consumed == 0 ? 0 : consumed - 1);
    size_t line = 1 + static_cast<size_t>(std::count(source_.begin(), source_.begin() + consumed, '\n'));
    if (line > 1) place_ += " (line " + std::to_string(line) + ")";
    error_ = std::move(message);
    return false;
  }

  // "[json.exception.parse_error.101] parse error at line 1, column 7: syntax error while parsing value - invalid
  // literal; last read: 'tru'; expected ..." -> "invalid literal; expected ..."
  static std::string Clean(std::string text) {
    size_t dash = text.find(" - ");
    text.erase(0, dash != std::string::npos ? dash + 3 : text.find("] ") + 2);
    if (size_t from = text.find("; last read: '"); from != std::string::npos) {
      size_t to = text.rfind("'; ");
      text.erase(from, to == std::string::npos || to < from ? std::string::npos : to + 1 - from);
    }
    return text;
  }

  std::string_view source_;
  const char** seen_;
  std::vector<JsonNode> nodes_;
  std::shared_ptr<TextArena> text_ = std::make_shared<TextArena>();
  std::vector<uint32_t> open_;
  std::vector<std::string_view> names_;
  uint32_t closed_ = 0;
  std::string_view key_;
  std::string place_;
  std::string error_;
};

}  // namespace

JsonTree ParseJson(std::string_view text) {
  const char* seen = text.data();
  TreeBuilder builder(text, &seen);
  CountingIterator begin{text.data(), &seen};
  CountingIterator end{text.data() + text.size(), &seen};
  if (!nlohmann::json::sax_parse(begin, end, &builder)) builder.Throw();
  return builder.Release();
}

}  // namespace fakeprop
