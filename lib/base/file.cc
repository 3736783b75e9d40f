#include "lib/base/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace fakeprop {
namespace {

// What errno says, in the case that messages have.
std::string SystemError() {
  std::string text = std::strerror(errno);
  if (!text.empty()) text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  return text;
}

// Closes a descriptor at the end of a scope; standard input stays open.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() { if (fd_ > STDERR_FILENO) close(fd_); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

bool ReadAll(int fd, std::string& content, std::string& error) {
  struct stat info = {};
  if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode))
    content.reserve(std::min(static_cast<size_t>(info.st_size), kMaxFileBytes) + 1);
  constexpr size_t kStep = size_t{1} << 18;
  size_t filled = 0;
  for (;;) {
    if (filled > kMaxFileBytes) {
      error = "larger than " + std::to_string(kMaxFileBytes >> 20) + " MiB";
      return false;
    }
    content.resize(std::max(filled + kStep, content.capacity()));
    ssize_t n = read(fd, content.data() + filled, content.size() - filled);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      error = SystemError();
      return false;
    }
    filled += static_cast<size_t>(n);
    if (n == 0) break;
  }
  content.resize(filled);
  return true;
}

bool WriteAll(int fd, std::string_view content, std::string& error) {
  while (!content.empty()) {
    ssize_t n = write(fd, content.data(), content.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      error = SystemError();
      return false;
    }
    content.remove_prefix(static_cast<size_t>(n));
  }
  return true;
}

bool WriteDirectly(const std::string& path, std::string_view content, std::string& error) {
  Descriptor file(open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (file.get() < 0) {
    error = SystemError();
    return false;
  }
  return WriteAll(file.get(), content, error);
}

// The permissions of a new file that takes the place of `existing`, if there is one.
mode_t ModeFor(const struct stat* existing) {
  if (existing) return existing->st_mode & 07777;
  mode_t mask = umask(0);
  umask(mask);
  return 0666 & ~mask;
}

// Writes a new file beside `path`, then gives it that name.
bool WriteThenRename(const std::string& path, mode_t mode, std::string_view content, std::string& error) {
  std::string temporary = path + ".XXXXXX";
  Descriptor file(mkstemp(temporary.data()));
  if (file.get() < 0) {
    error = SystemError();
    return false;
  }
  bool written = WriteAll(file.get(), content, error);
  if (written && (fchmod(file.get(), mode) != 0 || rename(temporary.c_str(), path.c_str()) != 0)) {
    error = SystemError();
    written = false;
  }
  if (!written) unlink(temporary.c_str());
  return written;
}

}  // namespace

std::optional<std::string> ReadWholeFile(const std::string& path, std::string& error) {
  Descriptor file(path == "-" ? STDIN_FILENO : open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) {
    error = SystemError();
    return std::nullopt;
  }
  std::string content;
  if (!ReadAll(file.get(), content, error)) return std::nullopt;
  return content;
}

bool WriteWholeFile(const std::string& path, std::string_view content, std::string& error) {
  struct stat info = {};
  bool exists = stat(path.c_str(), &info) == 0;
  if (exists && S_ISDIR(info.st_mode)) {
    error = "is a directory";
    return false;
  }
  if (exists && !S_ISREG(info.st_mode)) return WriteDirectly(path, content, error);
  // A symbolic link stays one: what it points to is replaced.
  std::error_code ignored;
  std::filesystem::path target = exists ? std::filesystem::canonical(path, ignored) : std::filesystem::path(path);
  return WriteThenRename(target.empty() ? path : target.string(), ModeFor(exists ? &info : nullptr), content, error);
}

}  // namespace fakeprop
