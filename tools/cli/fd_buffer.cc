#include "tools/cli/fd_buffer.h"

#include <unistd.h>

#include <cerrno>

namespace fakeprop::cli {
namespace {

constexpr size_t kEnough = size_t{1} << 16;

}  // namespace

FdBuffer::int_type FdBuffer::overflow(int_type c) {
  if (c == traits_type::eof()) return sync() == 0 ? 0 : c;
  const char text = traits_type::to_char_type(c);
  return xsputn(&text, 1) == 1 ? c : traits_type::eof();
}

std::streamsize FdBuffer::xsputn(const char* text, std::streamsize size) {
  pending_.append(text, size);
  return pending_.size() < kEnough || sync() == 0 ? size : 0;
}

int FdBuffer::sync() {
  for (size_t written = 0; !error_ && written < pending_.size();) {
    const ssize_t n = write(fd_, pending_.data() + written, pending_.size() - written);
    if (n >= 0) {
      written += n;
    } else if (errno != EINTR) {
      error_ = errno;
    }
  }
  pending_.clear();
  return error_ ? -1 : 0;
}

}  // namespace fakeprop::cli
