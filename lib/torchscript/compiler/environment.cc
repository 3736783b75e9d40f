// Source: Environment in torch/csrc/jit/frontend/ir_emitter.cpp (torch 2.15).
#include "lib/torchscript/compiler/environment.h"

#include "lib/torchscript/compiler/decline.h"

namespace fakeprop::script {

bool IsMeaningfulName(const std::string& name) {
  if (name.empty() || name[0] == '$') return false;
  return name[0] != '_' || name.find_first_not_of("0123456789", 1) != std::string::npos;
}

std::shared_ptr<Frame> Environment::Pop() {
  std::shared_ptr<Frame> top = frame_;
  frame_ = frame_->outer;
  return top;
}

Meaning Environment::Find(const std::string& name, const Frame* from) const {
  for (; from; from = from->outer.get()) {
    if (auto it = from->meanings.find(name); it != from->meanings.end()) return it->second;
    auto it = from->types.find(name);
    if (it == from->types.end()) continue;
    IrValue* value = graph_.InsertOp("prim::Load", {}, it->second);
    value->node->name = name;
    if (IsMeaningfulName(name)) SetName(*value, name);
    return Meaning::Of(value);
  }
  return {};
}

void Environment::Set(CodePlace place, const std::string& name, Meaning meaning, TypeRef declared) {
  IrValue* value = meaning.value;
  const bool is_value = meaning.IsValue();
  if (is_value && value->name.empty() && IsMeaningfulName(name) && value->node->block == frame_->block)
    SetName(*value, name);
  if (const Meaning outer = Find(name, frame_->outer.get()); outer.kind != MeaningKind::kNothing) {
    if (declared) Decline("a type for a variable that has one already", place);
    if (!is_value || !outer.IsValue()) Decline("another meaning for `" + name + "`, which is no value", place);
    value = matcher_.Convert(place, outer.value->type, value, true);
    if (!IsSubtype(value->type, outer.value->type))
      Decline("a value of type `" + value->type->name + "` for `" + name + "`, which has type `" +
                  outer.value->type->name + "`",
          place);
  }
  if (!is_value) {
    frame_->meanings[name] = std::move(meaning);
    return;
  }
  IrNode* store = graph_.Insert(graph_.Create("prim::Store", {value}, {}));
  store->name = name;
  store->place = place;
  if (declared && !IsSubtype(value->type, declared)) Decline("a value of another type than its variable", place);
  frame_->types[name] = declared ? declared : value->type;
}

}  // namespace fakeprop::script
