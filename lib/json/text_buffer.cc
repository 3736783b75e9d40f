#include "lib/json/text_buffer.h"

#include <utility>

namespace fakeprop {

void TextBuffer::Reserve(size_t size) {
  const size_t used = this->size();
  text_.reserve(size);
  end_ = text_.data() + used;
  limit_ = text_.data() + text_.size();
}

// In steps that stay in the cache, since a string fills what it gains with zeros.
void TextBuffer::Grow(size_t size) {
  const size_t used = this->size();
  text_.resize(used + std::max(size, std::clamp<size_t>(used, 64, 4096)));
  end_ = text_.data() + used;
  limit_ = text_.data() + text_.size();
}

std::string TextBuffer::Take() {
  text_.resize(size());
  std::string text = std::exchange(text_, {});
  end_ = limit_ = text_.data();
  return text;
}

}  // namespace fakeprop
