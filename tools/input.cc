#include "tools/input.h"

#include "lib/base/file.h"
#include "lib/readers/codes.h"

namespace fakeprop {

std::optional<std::string> ReadInput(const std::string& path, DiagnosticSink& sink, std::vector<std::string> notes) {
  std::string error;
  std::optional<std::string> text = ReadWholeFile(path, error);
  if (!text)
    sink.Add({.code = kUnreadableFile,
        .message = "cannot read `" + path + "`: " + error,
        .file = path,
        .notes = std::move(notes)});
  return text;
}

}  // namespace fakeprop
