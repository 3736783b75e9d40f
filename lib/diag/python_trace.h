// Reads what export files say about the user's Python: tracebacks and module stacks, both as text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fakeprop/diagnostic.h"

namespace fakeprop {

// The frames of a traceback ('File "x", line N, in f' with the source below), outermost first. Any other text has no
// frames. If `nn_module_stack` has a module for each frame of a `forward`, the function is written with the class:
// "Block.forward".
std::vector<PythonFrame> ParseStackTrace(std::string_view text, std::string_view nn_module_stack = {});

// Returns true if the frame is in torch's own code.
bool IsTorchFrame(const PythonFrame& frame);

// The frame that a message shows first: the innermost one outside of torch, else the innermost. Null without frames.
const PythonFrame* HeadlineFrame(const std::vector<PythonFrame>& frames);

// A line as messages name it: "model.py:7: n = x.item()".
std::string LineText(const PythonFrame& frame);

// One level of a module stack.
struct ModuleFrame {
  std::string_view path;  // "encoder.layers.0.fc1"; empty for the outermost module
  std::string_view type;  // "torch.nn.modules.linear.Linear"

  std::string_view class_name() const { return type.substr(type.rfind('.') + 1); }
};

// The levels of a 'key,path,type;...' text, outermost first.
std::vector<ModuleFrame> ParseModuleStack(std::string_view nn_module_stack);

// The path of the innermost module, such as "encoder.layers.0.fc1". Empty for the outermost module or an empty stack.
std::string InnermostModule(std::string_view nn_module_stack);

}  // namespace fakeprop
