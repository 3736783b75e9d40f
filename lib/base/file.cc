#include "lib/base/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

namespace fakeprop {
namespace {

std::string SystemError() { return SystemErrorText(errno); }

// Closes a descriptor at the end of a scope; standard input stays open.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ > STDERR_FILENO) close(fd_);
  }
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

// The path of the file that is being written; null between files.
std::atomic<const char*> unfinished_file = nullptr;
static_assert(std::atomic<const char*>::is_always_lock_free);  // signal handlers read it

// No signal comes between making a file and noting its path, or between renaming it and forgetting its path.
class SignalsHeldBack {
 public:
  SignalsHeldBack() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsHeldBack() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsHeldBack(const SignalsHeldBack&) = delete;
  SignalsHeldBack& operator=(const SignalsHeldBack&) = delete;

 private:
  sigset_t before_;
};

int MakeUnfinishedFile(std::string& name) {
  const SignalsHeldBack held;
  const int file = mkstemp(name.data());
  if (file >= 0) unfinished_file = name.c_str();
  return file;
}

// A new file beside the one whose place it is to take; gone with the scope unless it took it.
class Neighbour {
 public:
  explicit Neighbour(std::string target)
      : target_(std::move(target)),
        name_(target_ + ".XXXXXX"),
        file_(MakeUnfinishedFile(name_)),
        is_there_(file_.get() >= 0) {}
  ~Neighbour() {
    const SignalsHeldBack held;
    if (is_there_) unlink(name_.c_str());
    unfinished_file = nullptr;
  }
  Neighbour(const Neighbour&) = delete;
  Neighbour& operator=(const Neighbour&) = delete;

  bool Made(std::string& error) const {
    if (!is_there_) error = SystemError();
    return is_there_;
  }
  bool Replace(mode_t mode, std::string_view content, std::string& error) {
    if (!Made(error) || !WriteAll(file_.get(), content, error)) return false;
    const SignalsHeldBack held;
    if (fchmod(file_.get(), mode) != 0 || rename(name_.c_str(), target_.c_str()) != 0) {
      error = SystemError();
      return false;
    }
    is_there_ = false;
    unfinished_file = nullptr;
    return true;
  }

 private:
  std::string target_, name_;
  Descriptor file_;
  bool is_there_;
};

// What is at a path where a file is to be written.
struct Place {
  bool exists = false, is_regular = true;
  struct stat info = {};
  std::string target;  // what a symbolic link points to, so that it stays one
};

std::optional<Place> FindPlace(const std::string& path, std::string& error) {
  Place place;
  place.exists = stat(path.c_str(), &place.info) == 0;
  if (place.exists && S_ISDIR(place.info.st_mode)) {
    error = "is a directory";
    return std::nullopt;
  }
  place.is_regular = !place.exists || S_ISREG(place.info.st_mode);
  std::error_code ignored;
  if (place.exists) place.target = std::filesystem::canonical(path, ignored).string();
  if (place.target.empty()) place.target = path;
  return place;
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
  const std::optional<Place> place = FindPlace(path, error);
  if (!place) return false;
  if (!place->is_regular) return WriteDirectly(path, content, error);
  return Neighbour(place->target).Replace(ModeFor(place->exists ? &place->info : nullptr), content, error);
}

bool CanWriteWholeFile(const std::string& path, std::string& error) {
  const std::optional<Place> place = FindPlace(path, error);
  if (!place) return false;
  if (place->is_regular) return Neighbour(place->target).Made(error);
  if (access(path.c_str(), W_OK) == 0) return true;
  error = SystemError();
  return false;
}

void RemoveUnfinishedFile() noexcept {
  if (const char* path = unfinished_file) unlink(path);
}

std::string SystemErrorText(int error) {
  std::string text = std::strerror(error);
  if (!text.empty()) text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  return text;
}

}  // namespace fakeprop
