#include "lib/diag/python_trace.h"

#include <algorithm>
#include <charconv>

#include "lib/base/take_until.h"

namespace fakeprop {
namespace {

std::string_view TrimRight(std::string_view text) { return text.substr(0, text.find_last_not_of(" \t\r") + 1); }
size_t Indentation(std::string_view line) { return std::min(line.find_first_not_of(" \t"), line.size()); }

// Reads 'File "model.py", line 41, in forward'. Returns false for any other line.
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

// Lines below the source that do not belong to it: markers under an expression, the count of repeated frames.
bool IsMarker(std::string_view line) {
  return line.find_first_not_of("~^ ") == std::string_view::npos || line.starts_with("[Previous line repeated");
}

// Takes the first line's indentation off every line, so a source of several lines keeps its shape.
void AddSourceLine(std::string_view line, size_t indentation, PythonFrame& frame) {
  if (!frame.source.empty()) frame.source += '\n';
  frame.source += line.substr(std::min(indentation, Indentation(line)));
}

void QualifyForwards(std::vector<PythonFrame>& frames, const std::vector<ModuleFrame>& modules) {
  auto is_forward = [](const PythonFrame& f) { return f.function == "forward"; };
  // A forward that calls another class's forward directly is not in the module stack. Then the two can't be matched.
  if (static_cast<size_t>(std::count_if(frames.begin(), frames.end(), is_forward)) != modules.size()) return;
  auto module = modules.begin();
  for (PythonFrame& frame : frames)
    if (is_forward(frame)) frame.function = std::string((module++)->class_name()) + ".forward";
}

}  // namespace

std::vector<PythonFrame> ParseStackTrace(std::string_view text, std::string_view nn_module_stack) {
  std::vector<PythonFrame> frames;
  size_t indentation = 0;
  while (!text.empty()) {
    const std::string_view line = TrimRight(TakeUntil(text, '\n'));
    PythonFrame frame;
    if (ParseFrameLine(line.substr(Indentation(line)), frame)) {
      frames.push_back(std::move(frame));
    } else if (!frames.empty() && !line.empty() && !IsMarker(line.substr(Indentation(line)))) {
      if (frames.back().source.empty()) indentation = Indentation(line);
      AddSourceLine(line, indentation, frames.back());
    }
  }
  if (!nn_module_stack.empty()) QualifyForwards(frames, ParseModuleStack(nn_module_stack));
  return frames;
}

bool IsTorchFrame(const PythonFrame& frame) {
  return frame.file.starts_with("torch/") || frame.file.find("/torch/") != std::string::npos;
}

const PythonFrame* HeadlineFrame(const std::vector<PythonFrame>& frames) {
  for (auto it = frames.rbegin(); it != frames.rend(); ++it)
    if (!IsTorchFrame(*it)) return &*it;
  return frames.empty() ? nullptr : &frames.back();
}

std::string LineText(const PythonFrame& frame) {
  const std::string line = frame.file + ":" + std::to_string(frame.line);
  return frame.source.empty() ? line : line + ": " + frame.source;
}

namespace {

// What torch's passes write for nodes that they made outside of all modules. Source:
// _empty_nn_module_stack_from_metadata_hook in torch/_export/utils.py (torch 2.13).
bool IsHook(const ModuleFrame& module) { return module.path == "_empty_nn_module_stack_from_metadata_hook"; }

}  // namespace

std::vector<ModuleFrame> ParseModuleStack(std::string_view stack) {
  std::vector<ModuleFrame> modules;
  while (!stack.empty()) {
    std::string_view entry = TakeUntil(stack, ';');
    TakeUntil(entry, ',');  // the key
    ModuleFrame module;
    module.path = TakeUntil(entry, ',');
    module.type = entry;
    if (!IsHook(module)) modules.push_back(module);
  }
  return modules;
}

std::string InnermostModule(std::string_view stack) {
  const std::vector<ModuleFrame> modules = ParseModuleStack(stack);
  return modules.empty() ? std::string() : std::string(modules.back().path);
}

}  // namespace fakeprop
