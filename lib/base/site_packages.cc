#include "lib/base/site_packages.h"

#include <system_error>

namespace fakeprop {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> Entries(const fs::path& folder) {
  std::error_code error;
  fs::directory_iterator entry(folder, error), end;
  std::vector<fs::path> found;
  for (; !error && entry != end; entry.increment(error)) found.push_back(entry->path());
  return found;
}

}  // namespace

// Debian has dist-packages, Fedora lib64, Windows PREFIX\Scripts\fakeprop.exe and PREFIX\Lib\site-packages. A program
// in another folder, such as an unpacked one in /tmp, was installed by nobody: what stands near it may be anybody's.
std::vector<fs::path> SitePackagesBeside(const fs::path& program) {
  const fs::path folder = program.parent_path(), prefix = folder.parent_path();
  if (folder.filename() != "bin" && folder.filename() != "Scripts") return {};
  std::vector<fs::path> places = {prefix, prefix / "Lib" / "site-packages"};
  for (const char* lib : {"lib", "lib64"})
    for (const fs::path& python : Entries(prefix / lib))
      if (python.filename().string().starts_with("python3"))
        for (const char* packages : {"site-packages", "dist-packages"}) places.push_back(python / packages);
  std::error_code error;
  std::erase_if(places, [&](const fs::path& place) { return !fs::is_directory(place, error); });
  return places;
}

}  // namespace fakeprop
