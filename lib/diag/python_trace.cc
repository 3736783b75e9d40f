#include "lib/diag/python_trace.h"

#include <charconv>

namespace fakeprop {
namespace {

std::string_view Trim(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

// 'File "model.py", line 41, in forward' -> a frame; false for any other line.
bool ParseFrameLine(std::string_view line, PythonFrame& frame) {
  constexpr std::string_view kFile = "File \"", kLine = "\", line ", kIn = ", in ";
  if (!line.starts_with(kFile)) return false;
  const size_t file_end = line.find(kLine, kFile.size());
  if (file_end == std::string_view::npos) return false;
  const char* number = line.data() + file_end + kLine.size();
  const auto parsed = std::from_chars(number, line.data() + line.size(), frame.line);
  if (parsed.ec != std::errc()) return false;
  frame.file = line.substr(kFile.size(), file_end - kFile.size());
  const size_t in = line.find(kIn, parsed.ptr - line.data());
  if (in != std::string_view::npos) frame.function = line.substr(in + kIn.size());
  return true;
}

bool IsTorchFile(std::string_view file) {
  return file.starts_with("torch/") || file.find("/torch/") != std::string_view::npos;
}

}  // namespace

std::vector<PythonFrame> ParseStackTrace(std::string_view text) {
  std::vector<PythonFrame> frames;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    const std::string_view line = Trim(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    PythonFrame frame;
    if (ParseFrameLine(line, frame)) {
      frames.push_back(std::move(frame));
    } else if (!frames.empty() && frames.back().source.empty()) {
      frames.back().source = line;
    }
  }
  return frames;
}

const PythonFrame* HeadlineFrame(const std::vector<PythonFrame>& frames) {
  for (auto it = frames.rbegin(); it != frames.rend(); ++it)
    if (!IsTorchFile(it->file)) return &*it;
  return frames.empty() ? nullptr : &frames.back();
}

std::string InnermostModule(std::string_view stack) {
  // Entries are separated by ';', their fields by ','; the second field is the path.
  const std::string_view last = stack.substr(stack.rfind(';') + 1);
  const size_t first = last.find(',');
  if (first == std::string_view::npos) return {};
  const size_t second = last.find(',', first + 1);
  return std::string(last.substr(first + 1, second == std::string_view::npos ? second : second - first - 1));
}

}  // namespace fakeprop
