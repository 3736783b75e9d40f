// Source: Node::hasSideEffects of torch/csrc/jit/ir/ir.cpp, and the operators that are registered with
// aliasAnalysisConservative (torch 2.15).
#include "lib/torchscript/compiler/side_effects.h"

#include <algorithm>

namespace fakeprop::script {
namespace {

constexpr std::string_view kWithSideEffects[] = {"prim::Print", "prim::RaiseException", "aten::warn", "aten::save",
    "aten::manual_seed", "prim::CallFunction", "prim::CallMethod", "aten::wait", "prim::Enter", "prim::Exit",
    "prim::SetAttr", "prim::ReturnStmt", "aten::is_grad_enabled", "aten::set_grad_enabled", "aten::is_autocast_enabled",
    "aten::is_autocast_cpu_enabled", "aten::get_autocast_dtype"};

}  // namespace

bool HasOwnSideEffects(const IrNode& node) {
  return std::find(std::begin(kWithSideEffects), std::end(kWithSideEffects), node.kind) != std::end(kWithSideEffects);
}

}  // namespace fakeprop::script
