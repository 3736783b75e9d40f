#include "lib/rules/testing/call_tables.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

namespace fakeprop::testing {
namespace {

namespace fs = std::filesystem;

// In the order of their names.
std::vector<fs::path> FilesBelow(const std::string& folder, std::string_view ending) {
  std::vector<fs::path> files;
  std::error_code none;
  for (const auto& entry : fs::recursive_directory_iterator(folder, none))
    if (entry.path().string().ends_with(ending)) files.push_back(entry.path());
  std::sort(
      files.begin(), files.end(), [](const fs::path& a, const fs::path& b) { return a.filename() < b.filename(); });
  return files;
}

std::string ReadFile(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

std::string Unescaped(const std::string& text) { return std::regex_replace(text, std::regex("\\\\\""), "\""); }

void ReadRows(const std::string& source, const std::string& file, std::vector<CallRow>& rows) {
  static const std::regex kBreak("\"\\s*\n\\s*\"");
  static const std::regex kRow("\\{\"((?:[^\"\\\\]|\\\\.)*)\",\\s*\"((?:[^\"\\\\]|\\\\.)*)\"\\}");
  const std::string joined = std::regex_replace(source, kBreak, "");
  for (std::sregex_iterator it(joined.begin(), joined.end(), kRow), end; it != end; ++it) {
    CallRow row{Unescaped((*it)[1].str()), Unescaped((*it)[2].str()), file};
    if (row.call.find('(') != std::string::npos) rows.push_back(std::move(row));
  }
}

}  // namespace

std::vector<CallRow> RowsOfFamilyTests() {
  std::vector<CallRow> rows;
  for (const fs::path& file : FilesBelow("lib/rules", "_test.cc")) ReadRows(ReadFile(file), file, rows);
  return rows;
}

std::vector<CallRow> RowsOfFolder(const std::string& folder) {
  std::vector<CallRow> rows;
  for (const fs::path& file : FilesBelow(folder, ".calls")) {
    std::ifstream lines(file);
    for (std::string line; std::getline(lines, line);) {
      const size_t arrow = line.find(") -> ");
      if (arrow == std::string::npos || line.starts_with('#')) continue;
      rows.push_back({line.substr(0, arrow + 1), line.substr(arrow + 5), file});
    }
  }
  return rows;
}

}  // namespace fakeprop::testing
