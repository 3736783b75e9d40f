#include <sys/stat.h>

#include <filesystem>

#include "lib/base/file_identity.h"

namespace fakeprop {

std::string FileIdentity(const std::string& path) {
  struct stat info = {};
  if (stat(path.c_str(), &info) == 0) return std::to_string(info.st_dev) + ":" + std::to_string(info.st_ino);
  std::error_code ignored;
  return std::filesystem::weakly_canonical(path, ignored).string();
}

}  // namespace fakeprop
