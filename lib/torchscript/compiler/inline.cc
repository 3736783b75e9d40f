// Source: torch/csrc/jit/passes/inliner.cpp, inlineCallTo of torch/csrc/jit/ir/ir.cpp, and preoptimizeGraph of
// torch/csrc/jit/api/function_impl.cpp (torch 2.15).
#include "lib/torchscript/compiler/inline.h"

#include <unordered_map>

#include "lib/base/check.h"
#include "lib/torchscript/compiler/decline.h"
#include "lib/torchscript/compiler/passes.h"

namespace fakeprop::script {
namespace {

class Inliner {
 public:
  Inliner(IrGraph& graph, Program& program) : graph_(graph), program_(program) {}

  void Run(IrBlock& block) {
    ForEachNode(block, [this](IrNode& node) {
      if (ScriptFunction* callee = CalleeOf(node)) return Inline(node, *callee);
      for (const auto& inner : node.blocks) Run(*inner);
    });
  }

 private:
  static ScriptFunction* CalleeOf(const IrNode& node) {
    if (node.Is("prim::CallFunction")) return node.input()->type->function;
    if (!node.Is("prim::CallMethod") || !node.input()->type->Is(TypeCase::kClass)) return nullptr;
    ScriptClass& cls = *node.input()->type->cls;
    auto it = cls.methods.find(node.name);
    return it == cls.methods.end() ? nullptr : &it->second;
  }

  // A function as its callers get it: its own calls inlined, and simplified.
  IrGraph& Inlinable(ScriptFunction& callee) {
    if (callee.inlinable) return *callee.inlinable;
    program_.Define(callee, {});
    auto copy = callee.graph->Copy();
    InlineCalls(*copy, program_);
    for (IrNode* node = copy->block()->first(); node != copy->block()->results; node = node->next)
      if (node->Is("prim::Enter") && node->input()->type->name.find("autocast") != std::string::npos)
        Decline("autocast within a function that is called", node->place);
    if (Simplify(*copy, program_.operators())) RemoveDeadCode(*copy, program_.operators());
    if (FoldConstants(*copy)) RemoveDeadCode(*copy, program_.operators());
    PoolConstants(*copy);
    callee.inlinable = std::move(copy);
    return *callee.inlinable;
  }

  void Inline(IrNode& call, ScriptFunction& callee) {
    if (call.Is("prim::CallFunction")) call.RemoveInput(0);
    IrGraph& body = Inlinable(callee);
    const CallFrame frame = FrameOf(call, callee);
    std::unordered_map<const IrValue*, IrValue*> copies;
    FAKEPROP_CHECK(call.inputs.size() == body.block()->inputs().size());
    for (size_t i = 0; i < call.inputs.size(); ++i) copies[body.block()->inputs()[i]] = call.inputs[i];
    const auto map = [&](IrValue* value) { return copies.at(value); };
    std::unordered_map<const CallFrame*, const CallFrame*> frames;
    for (IrNode* node = body.block()->first(); node != body.block()->results; node = node->next) {
      IrNode* copy = graph_.Clone(*node, map);
      copy->InsertBefore(&call);
      for (size_t i = 0; i < node->outputs.size(); ++i) copies[node->outputs[i]] = copy->outputs[i];
      // Torch finds the copies by their values, and so passes by nodes that have none.
      if (!copy->outputs.empty()) AddFrame(*copy, frame, frames);
    }
    IrValue* result = copies.at(body.block()->outputs()[0]);
    if (!call.output()->name.empty()) SetName(*result, call.output()->name);
    ReplaceUses(*call.output(), result);
    call.Destroy();
  }

  CallFrame FrameOf(const IrNode& call, const ScriptFunction& callee) const {
    CallFrame frame;
    frame.callee = &callee;
    frame.place = call.place;
    if (!call.Is("prim::CallMethod")) return frame;
    const IrValue* self = call.input();
    frame.cls = self->type->cls;
    const IrValues& inputs = graph_.block()->inputs();
    if (self->node->Is("prim::GetAttr")) frame.instance = self->node->name;
    else frame.instance = !inputs.empty() && self == inputs[0] ? "SELF" : "INSTANCE_NAME_UNKNOWN";
    return frame;
  }

  void AddFrame(IrNode& node, const CallFrame& frame, std::unordered_map<const CallFrame*, const CallFrame*>& frames) {
    const CallFrame*& outer = frames[node.calls];
    if (!outer) {
      CallFrame added = frame;
      added.inner = node.calls;
      outer = program_.Keep(std::move(added));
    }
    node.calls = outer;
    for (const auto& inner : node.blocks) ForEachNode(*inner, [&](IrNode& within) { AddFrame(within, frame, frames); });
  }

  IrGraph& graph_;
  Program& program_;
};

}  // namespace

void InlineCalls(IrGraph& graph, Program& program) { Inliner(graph, program).Run(*graph.block()); }

}  // namespace fakeprop::script
