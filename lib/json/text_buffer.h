// A text that grows at its end: as std::string, but cheaper to append many short pieces to.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace fakeprop {

class TextBuffer {
 public:
  TextBuffer() = default;
  TextBuffer(const TextBuffer&) = delete;
  TextBuffer& operator=(const TextBuffer&) = delete;

  void Append(char c) {
    *Room(1) = c;
    ++end_;
  }
  void Append(std::string_view piece) { end_ = std::copy(piece.begin(), piece.end(), Room(piece.size())); }
  void Append(size_t count, char c) { end_ = std::fill_n(Room(count), count, c); }

  // Makes room for `size` bytes at the end. The caller writes them there and tells EndAt where they end.
  char* Room(size_t size) {
    if (static_cast<size_t>(limit_ - end_) < size) Grow(size);
    return end_;
  }
  void EndAt(char* end) { end_ = end; }

  // Makes room for a text of this size.
  void Reserve(size_t size);

  // Returns the text and leaves the buffer empty.
  std::string Take();

 private:
  void Grow(size_t size);
  size_t size() const { return end_ - text_.data(); }

  std::string text_;  // what is written, and room behind it
  char* end_ = text_.data();
  char* limit_ = text_.data();
};

}  // namespace fakeprop
