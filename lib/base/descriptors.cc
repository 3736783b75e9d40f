#include "lib/base/descriptors.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "lib/base/file.h"

namespace fakeprop {

void Descriptor::Close() {
  if (fd_ > STDERR_FILENO) close(fd_);
  fd_ = -1;
}

bool WriteAll(int fd, std::string_view content, std::string& error) {
  while (!content.empty()) {
    const ssize_t n = write(fd, content.data(), std::min(content.size(), kMostBytesAtOnce));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      error = SystemErrorText(errno);
      return false;
    }
    content.remove_prefix(static_cast<size_t>(n));
  }
  return true;
}

}  // namespace fakeprop
