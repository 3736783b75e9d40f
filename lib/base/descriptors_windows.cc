#include <fcntl.h>
#include <io.h>

#include "lib/base/descriptors.h"

namespace fakeprop {
namespace {

constexpr int kAsItIs = _O_BINARY | _O_NOINHERIT;

}  // namespace

int OpenToRead(const std::string& path) { return _open(path.c_str(), _O_RDONLY | kAsItIs); }

int OpenToOverwrite(const std::string& path) { return _open(path.c_str(), _O_WRONLY | kAsItIs); }

// Nobody else moves the place at which a file is read.
int64_t ReadAt(int fd, char* bytes, uint64_t count, uint64_t offset) {
  if (_lseeki64(fd, static_cast<int64_t>(offset), SEEK_SET) < 0) return -1;
  return _read(fd, bytes, static_cast<unsigned>(count));
}

// What has no name cannot be opened again.
std::string PathOfStandardInput() { return "-"; }

}  // namespace fakeprop
