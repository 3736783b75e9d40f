#include "lib/lint/formats/source_places.h"

#include <filesystem>

#include "lib/diag/python_trace.h"

namespace fakeprop {

namespace fs = std::filesystem;

std::string PlainPath(const std::string& path) {
  const std::string plain = fs::path(path).lexically_normal().generic_string();
  return plain.empty() ? path : plain;
}

std::string SourcePlaces::Find(const std::string& path) const {
  if (path.empty() || path[0] == '<') return "";  // "<string>", "<ipython-input-1>"
  if (path[0] != '/') return PlainPath(path);
  for (size_t slash = 0; slash != std::string::npos; slash = path.find('/', slash + 1))
    if (const std::string end = path.substr(slash + 1); !end.empty() && exists_(end)) return PlainPath(end);
  return "";
}

SourcePlace SourcePlaces::Of(const std::string& graph, const Diagnostic& diagnostic) {
  if (const PythonFrame* frame = HeadlineFrame(diagnostic.frames)) {
    const auto [it, is_new] = found_.try_emplace(frame->file);
    if (is_new) it->second = Find(frame->file);
    if (!it->second.empty()) return {it->second, std::max(frame->line, 1), true};
  }
  return {PlainPath(graph), 1, false};
}

}  // namespace fakeprop
