#include "lib/libtorch_fallback/find_plugin.h"

#include <cstdlib>
#include <vector>

namespace fakeprop {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLibrary = "libfakeprop_libtorch.so";

std::string Environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

std::vector<fs::path> Places(const fs::path& binary) {
  // A named file is the only place: who names one does not want another.
  if (const std::string named = Environment("FAKEPROP_LIBTORCH"); !named.empty()) return {named};
  const fs::path folder = binary.parent_path(), in_workspace = fs::path("lib/libtorch_fallback/plugin") / kLibrary;
  std::vector<fs::path> places;
  if (!binary.empty())
    places = {folder / kLibrary, folder.parent_path() / in_workspace,
        fs::path(binary.string() + ".runfiles") / "fakeprop" / in_workspace};
  if (const std::string runfiles = Environment("RUNFILES_DIR"); !runfiles.empty())
    places.push_back(fs::path(runfiles) / "fakeprop" / in_workspace);
  if (const std::string tests = Environment("TEST_SRCDIR"); !tests.empty())
    places.push_back(fs::path(tests) / Environment("TEST_WORKSPACE") / in_workspace);
  return places;
}

// The first of the places that has the file; else nothing, and the places in `reason`.
std::optional<fs::path> FindLibrary(const std::vector<fs::path>& places, std::string& reason) {
  for (const fs::path& place : places) {
    std::error_code error;
    if (fs::exists(place, error)) return place;
    reason += (reason.empty() ? "no such file: " : ", ") + place.string();
  }
  return std::nullopt;
}

}  // namespace

std::optional<InstalledTorch> FindPlugin(const fs::path& binary, std::string& reason) {
  if (const auto path = FindLibrary(Places(binary), reason))
    return InstalledTorch{*path, Environment("FAKEPROP_TORCH")};
  if (!Environment("FAKEPROP_LIBTORCH").empty()) return std::nullopt;
  std::string none_installed;
  auto installed = FindInstalledTorch(binary, none_installed);
  reason += (reason.empty() ? "" : "; ") + none_installed;
  return installed;
}

}  // namespace fakeprop
