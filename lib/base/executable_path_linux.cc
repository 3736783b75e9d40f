#include "lib/base/site_packages.h"

namespace fakeprop {

std::filesystem::path ExecutablePath() {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/exe", error);
}

}  // namespace fakeprop
