#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "lib/base/descriptors.h"

namespace fakeprop {

int OpenToRead(const std::string& path) { return open(path.c_str(), O_RDONLY | O_CLOEXEC); }

int OpenToOverwrite(const std::string& path) { return open(path.c_str(), O_WRONLY | O_CLOEXEC); }

int64_t ReadAt(int fd, char* bytes, uint64_t count, uint64_t offset) {
  for (;;) {
    const ssize_t n = pread(fd, bytes, count, static_cast<off_t>(offset));
    if (n >= 0 || errno != EINTR) return n;
  }
}

std::string PathOfStandardInput() { return lseek(STDIN_FILENO, 0, SEEK_CUR) == 0 ? "/dev/stdin" : "-"; }

}  // namespace fakeprop
