#include <windows.h>

#include <filesystem>
#include <optional>

#include "lib/base/file_identity.h"

namespace fakeprop {
namespace {

std::optional<BY_HANDLE_FILE_INFORMATION> Information(const std::string& path) {
  constexpr DWORD kAnyShare = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
  const HANDLE file =
      CreateFileA(path.c_str(), 0, kAnyShare, nullptr, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, nullptr);
  if (file == INVALID_HANDLE_VALUE) return std::nullopt;
  BY_HANDLE_FILE_INFORMATION information;
  const bool is_known = GetFileInformationByHandle(file, &information);
  CloseHandle(file);
  return is_known ? std::optional(information) : std::nullopt;
}

}  // namespace

std::string FileIdentity(const std::string& path) {
  if (const auto info = Information(path))
    return std::to_string(info->dwVolumeSerialNumber) + ":" + std::to_string(info->nFileIndexHigh) + ":" +
           std::to_string(info->nFileIndexLow);
  std::error_code ignored;
  return std::filesystem::weakly_canonical(path, ignored).string();
}

}  // namespace fakeprop
