// Diagnostics for people: the user's Python line first, then the node, its place in the file, and its operands.
//
//   error[FP3001]: mat1 and mat2 shapes cannot be multiplied (2x7 and 8x3)
//    --> model.py:41, in Block.forward
//      |
//   41 |     return torch.mm(a, y)
//      |
//      = node    %mm = aten::mm(%relu, %y)     graph.json: /graph_module/graph/nodes/2
//      = %relu   f32[2, 7] on cpu, made at model.py:40: a = x.relu()
#pragma once

#include <string>

#include "fakeprop/diagnostic.h"
#include "lib/diag/color.h"

namespace fakeprop {

// Several lines, each with a line break at its end.
std::string RenderText(const Diagnostic& diagnostic, Paint paint = {});

}  // namespace fakeprop
