#include "lib/json/json_parse.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <span>

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
  // `quotes`: where in the text quotes stand that its author did not write.
  TreeBuilder(std::string_view text, std::span<const size_t> quotes, const char** seen)
      : source_(text), quotes_(quotes), seen_(seen) {
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
    if (IsQuotedByUs()) return AddReal(JsonKind::kReal, NumberOf(value));
    if (!Add(JsonKind::kString)) return false;
    nodes_.back().size = static_cast<uint32_t>(value.size());
    nodes_.back().text = text_->Store(value).data();
    return true;
  }
  bool binary(nlohmann::json::binary_t&) { return false; }
  bool key(std::string& name) {
    if (IsQuotedByUs()) return Fail("the JSON is malformed: the name " + Quote(name) + " has no quotes");
    key_ = text_->Store(name);
    return true;
  }
  bool start_object(size_t) { return Open(JsonKind::kObject); }
  bool start_array(size_t) { return Open(JsonKind::kArray); }
  bool end_object() { return Close() && !FindDuplicate(); }
  bool end_array() { return Close(); }

  bool parse_error(size_t position, const std::string&, const nlohmann::json::exception& error) {
    if (position > source_.size()) {
      note_ = "copy or download the file again; if it was written by hand, close all brackets and quotes";
      return Fail("the JSON ends too early: is the file cut off?");
    }
    return Fail("the JSON is malformed: " + Clean(error.what()));
  }

  JsonTree Release() { return JsonTree(std::move(nodes_), std::move(text_)); }
  [[noreturn]] void Throw() const { throw JsonError(place_, error_, note_); }

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
  // Whether the string that was just read ends with a quote that its author did not write.
  bool IsQuotedByUs() const {
    return !quotes_.empty() &&
           std::binary_search(quotes_.begin(), quotes_.end(), static_cast<size_t>(*seen_ - source_.data()) - 1);
  }
  static double NumberOf(std::string_view word) {
    if (word == "NaN") return std::numeric_limits<double>::quiet_NaN();
    return word[0] == '-' ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
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
    const auto ours = std::lower_bound(quotes_.begin(), quotes_.end(), consumed) - quotes_.begin();
    place_ = "byte " + std::to_string(consumed == 0 ? 0 : consumed - 1 - ours);
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
  std::span<const size_t> quotes_;
  const char** seen_;
  std::vector<JsonNode> nodes_;
  std::shared_ptr<TextArena> text_ = std::make_shared<TextArena>();
  std::vector<uint32_t> open_;
  std::vector<std::string_view> names_;
  uint32_t closed_ = 0;
  std::string_view key_;
  std::string place_;
  std::string error_, note_;
};

JsonTree Parse(std::string_view text, std::span<const size_t> quotes) {
  const char* seen = text.data();
  TreeBuilder builder(text, quotes, &seen);
  CountingIterator begin{text.data(), &seen};
  CountingIterator end{text.data() + text.size(), &seen};
  if (!nlohmann::json::sax_parse(begin, end, &builder)) builder.Throw();
  return builder.Release();
}

// Puts quotes around the words that Python writes for numbers that JSON does not have.
class WordQuoter {
 public:
  explicit WordQuoter(std::string_view text) : text_(text) { quoted_.reserve(text.size() + 64); }

  void Run() {
    while (at_ < text_.size()) {
      if (text_[at_] == '"') Copy(EndOfString());
      else if (const size_t length = WordLength()) Quote(length);
      else Copy(at_ + 1);
    }
  }
  const std::string& quoted() const { return quoted_; }
  const std::vector<size_t>& quotes() const { return quotes_; }

 private:
  size_t EndOfString() const {
    size_t end = at_ + 1;
    while (end < text_.size() && text_[end] != '"') end += text_[end] == '\\' ? 2 : 1;
    return std::min(end + 1, text_.size());
  }
  size_t WordLength() const {
    for (std::string_view word : {"Infinity", "-Infinity", "NaN"})
      if (text_.substr(at_, word.size()) == word) return word.size();
    return 0;
  }
  void Copy(size_t end) {
    quoted_.append(text_, at_, end - at_);
    at_ = end;
  }
  void Quote(size_t length) {
    AddQuote();
    Copy(at_ + length);
    AddQuote();
  }
  void AddQuote() {
    quotes_.push_back(quoted_.size());
    quoted_ += '"';
  }

  std::string_view text_;
  size_t at_ = 0;
  std::string quoted_;
  std::vector<size_t> quotes_;  // their places in what is quoted
};

}  // namespace

JsonTree ParseJson(std::string_view text) { return Parse(text, {}); }

JsonTree ParsePythonJson(std::string_view text) {
  if (text.find("Infinity") == std::string_view::npos && text.find("NaN") == std::string_view::npos)
    return ParseJson(text);
  WordQuoter quoter(text);
  quoter.Run();
  return Parse(quoter.quoted(), quoter.quotes());
}

}  // namespace fakeprop
