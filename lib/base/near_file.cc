#include "lib/base/near_file.h"

#include <algorithm>
#include <filesystem>
#include <vector>

#include "lib/base/suggest.h"

namespace fakeprop {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostFiles = 10'000;

// "model" of "model.json.xz".
std::string StemOf(const std::string& name) { return name.substr(0, name.find('.', 1)); }
std::string EndingOf(const std::string& name) { return name.substr(StemOf(name).size()); }

// The names of the files in a folder, sorted.
std::vector<std::string> FilesIn(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end && names.size() < kMostFiles;
       it.increment(error))
    if (std::error_code ignored; it->is_regular_file(ignored)) names.push_back(it->path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

std::string NearestOf(const std::string& name, const std::vector<std::string>& names) {
  std::vector<std::string> stems;
  for (const std::string& other : names) {
    if (StemOf(other) == StemOf(name)) return other;
    if (EndingOf(other) == EndingOf(name)) stems.push_back(StemOf(other));
  }
  const std::string nearest = Nearest(StemOf(name), stems);
  return nearest.empty() ? "" : nearest + EndingOf(name);
}

}  // namespace

std::string NearFile(const std::string& path) {
  const fs::path given(path);
  std::error_code error;
  if (!given.has_filename() || fs::exists(given, error) || error) return {};
  const fs::path folder = given.parent_path();
  const std::string nearest = NearestOf(given.filename().string(), FilesIn(folder.empty() ? "." : folder));
  return nearest.empty() ? "" : (folder / nearest).string();
}

}  // namespace fakeprop
