#include <windows.h>

#include <string>

#include "lib/base/site_packages.h"

namespace fakeprop {

std::filesystem::path ExecutablePath() {
  std::wstring path(32768, L'\0');  // the longest that there are
  path.resize(GetModuleFileNameW(nullptr, path.data(), static_cast<DWORD>(path.size())));
  return path;
}

}  // namespace fakeprop
