// Open files as the system numbers them. Bytes are read and written as they are, on Windows too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace fakeprop {

// What one call reads or writes. Windows moves fewer than 2 GiB at once.
inline constexpr size_t kMostBytesAtOnce = size_t{1} << 30;

// Closes a descriptor at the end of a scope; those of the standard streams stay open.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() { Close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }
  void Close();

 private:
  int fd_;
};

// The descriptor of a file that is there, which child processes do not inherit. -1, with the reason in errno, if it
// cannot be opened.
int OpenToRead(const std::string& path);
int OpenToOverwrite(const std::string& path);

// Reads up to `count` bytes, kMostBytesAtOnce at most, that begin at `offset`. Returns how many: 0 at the end, -1 with
// the reason in errno.
int64_t ReadAt(int fd, char* bytes, uint64_t count, uint64_t offset);

// If not everything can be written, returns false and puts the reason into `error`.
bool WriteAll(int fd, std::string_view content, std::string& error);

// The path of standard input, where that is a file which stands at its start and can be opened again; else "-".
std::string PathOfStandardInput();

}  // namespace fakeprop
