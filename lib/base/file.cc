#include "lib/base/file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "lib/base/descriptors.h"
#include "lib/base/unfinished_file.h"

namespace fakeprop {
namespace {

std::string SystemError() { return SystemErrorText(errno); }

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
    ssize_t n = read(fd, content.data() + filled, std::min(content.size() - filled, kMostBytesAtOnce));
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

bool WriteDirectly(const std::string& path, std::string_view content, std::string& error) {
  const Descriptor file(OpenToOverwrite(path));
  if (file.get() < 0) {
    error = SystemError();
    return false;
  }
  return WriteAll(file.get(), content, error);
}

// What is at a path where a file is to be written.
struct Place {
  bool exists = false, is_regular = true;
  std::string target;  // what a symbolic link points to, so that it stays one
};

std::optional<Place> FindPlace(const std::string& path, std::string& error) {
  Place place;
  std::error_code ignored;
  const std::filesystem::file_status status = std::filesystem::status(path, ignored);
  place.exists = std::filesystem::exists(status);
  if (std::filesystem::is_directory(status)) {
    error = "is a directory";
    return std::nullopt;
  }
  place.is_regular = !place.exists || std::filesystem::is_regular_file(status);
  if (place.exists) place.target = std::filesystem::canonical(path, ignored).string();
  if (place.target.empty()) place.target = path;
  return place;
}

}  // namespace

std::optional<std::string> ReadWholeFile(const std::string& path, std::string& error) {
  const Descriptor file(path == "-" ? STDIN_FILENO : OpenToRead(path));
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
  return UnfinishedFile(place->target).Finish(content, error);
}

bool CanWriteWholeFile(const std::string& path, std::string& error) {
  const std::optional<Place> place = FindPlace(path, error);
  if (!place) return false;
  if (place->is_regular) return UnfinishedFile(place->target).IsMade(error);
  if (access(path.c_str(), W_OK) == 0) return true;
  error = SystemError();
  return false;
}

std::string SystemErrorText(int error) {
  std::string text = std::strerror(error);
  if (!text.empty()) text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  return text;
}

}  // namespace fakeprop
