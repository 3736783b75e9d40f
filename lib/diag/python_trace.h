// What export files say about the user's Python: traceback text and module stacks.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lib/diag/diagnostic.h"

namespace fakeprop {

// The frames of a traceback text ('File "x", line N, in f' and the source below), outermost first. Text that is none
// gives no frames.
std::vector<PythonFrame> ParseStackTrace(std::string_view text);

// The frame to lead with: the innermost one outside of torch, else the innermost; null where there is none.
const PythonFrame* HeadlineFrame(const std::vector<PythonFrame>& frames);

// The qualified name of the innermost module ("encoder.layers.0.fc1") of a 'key,path,type;...' text; may be empty.
std::string InnermostModule(std::string_view nn_module_stack);

}  // namespace fakeprop
