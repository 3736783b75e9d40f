// Where the LibTorch plug-in is.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "lib/libtorch_fallback/installed_torch.h"

namespace fakeprop {

// The plug-in, and the torch to open before it where it does not find one itself. FAKEPROP_LIBTORCH names it; else it
// is near `binary`, the path of this program, or installed by pip. Without a path nothing near is looked for: the
// current folder is nobody's. If there is none: nothing, and why in `reason`.
std::optional<InstalledTorch> FindPlugin(const std::filesystem::path& binary, std::string& reason);

}  // namespace fakeprop
