#include "tools/cli/input_files.h"

#include <filesystem>

#include "lib/archive/read_codes.h"
#include "lib/base/file.h"
#include "lib/base/near_file.h"
#include "lib/base/suggest.h"
#include "tools/cli/progress.h"

namespace fakeprop::cli {

bool IsRegularFile(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored);
}

std::optional<std::string> ReadInput(const std::string& path, DiagnosticSink& sink, std::vector<std::string> notes) {
  std::string error;
  std::optional<std::string> text = ReadWholeFile(path, error);
  if (text) return text;
  if (std::string meant = DidYouMean(NearFile(path)); !meant.empty()) notes.insert(notes.begin(), std::move(meant));
  sink.Add({.code = kUnreadableFile,
      .message = "cannot read `" + path + "`: " + error,
      .file = path,
      .notes = std::move(notes)});
  return text;
}

std::optional<std::string> ReadLongInput(const std::string& path, DiagnosticSink& sink) {
  const ReadingProgress reading(path);
  return ReadInput(path, sink);
}

}  // namespace fakeprop::cli
