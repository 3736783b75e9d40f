// The plug-in and the torch that pip installed beside this program: `pip install 'fakeprop[torch]'`.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace fakeprop {

struct InstalledTorch {
  std::filesystem::path plugin;
  std::filesystem::path torch;  // its folder: lib/libtorch_cpu.so is below it
};

// Where the package fakeprop_torch stands in the folders of packages near `binary`, the Python of that installation is
// asked for both: it alone knows where it finds torch. Else, or if Python has no pair to give: nothing, and why in
// `reason`.
std::optional<InstalledTorch> FindInstalledTorch(const std::filesystem::path& binary, std::string& reason);

}  // namespace fakeprop
