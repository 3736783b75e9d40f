// Owns text. Names and stack traces are views into an arena, so they outlive the document that they were read from.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

namespace fakeprop {

class TextArena {
 public:
  // Copies the text. The copy stays valid as long as the arena lives.
  std::string_view Store(std::string_view text) {
    if (text.empty()) return {};
    if (text.size() > left_) AddBlock(text.size());
    char* place = next_;
    std::memcpy(place, text.data(), text.size());
    next_ += text.size();
    left_ -= text.size();
    return {place, text.size()};
  }

 private:
  void AddBlock(size_t at_least) {
    left_ = std::max(at_least, kBlock);
    blocks_.emplace_back(new char[left_]);
    next_ = blocks_.back().get();
  }

  static constexpr size_t kBlock = size_t{1} << 18;
  std::vector<std::unique_ptr<char[]>> blocks_;
  char* next_ = nullptr;
  size_t left_ = 0;
};

}  // namespace fakeprop
