// What export files say about the user's Python: traceback text and module stacks.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lib/diag/diagnostic.h"

namespace fakeprop {

// The frames of a traceback text ('File "x", line N, in f' and the source below), outermost first. Text that is none
// gives no frames. Where every `forward` belongs to one module of `nn_module_stack`, its frame's function is written
// with the class: "Block.forward".
std::vector<PythonFrame> ParseStackTrace(std::string_view text, std::string_view nn_module_stack = {});

// Whether a frame is inside of torch itself.
bool IsTorchFrame(const PythonFrame& frame);

// The frame to lead with: the innermost one outside of torch, else the innermost; null where there is none.
const PythonFrame* HeadlineFrame(const std::vector<PythonFrame>& frames);

// "model.py:7: n = x.item()", as messages name a line.
std::string LineText(const PythonFrame& frame);

// One level of a module stack.
struct ModuleFrame {
  std::string_view path;  // "encoder.layers.0.fc1"; empty for the outermost module
  std::string_view type;  // "torch.nn.modules.linear.Linear"

  std::string_view class_name() const { return type.substr(type.rfind('.') + 1); }
};

// The levels of a 'key,path,type;...' text, outermost first.
std::vector<ModuleFrame> ParseModuleStack(std::string_view nn_module_stack);

// The qualified name of the innermost module ("encoder.layers.0.fc1"); may be empty.
std::string InnermostModule(std::string_view nn_module_stack);

}  // namespace fakeprop
