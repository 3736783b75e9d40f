// Source: torch/csrc/jit/ir/ir.cpp (torch 2.15).
#include "lib/torchscript/compiler/ir.h"

#include <algorithm>

#include "lib/base/check.h"

namespace fakeprop::script {
namespace {

constexpr std::string_view kDigits = "0123456789";

// The number behind a name's last dot; 1 if there is none. Takes it off the name.
size_t TakeSuffix(std::string& name) {
  const size_t dot = name.rfind('.');
  if (dot == std::string::npos || dot + 1 == name.size() || name.size() - dot > 18) return 1;
  if (name.find_first_not_of(kDigits, dot + 1) != std::string::npos) return 1;
  const size_t suffix = std::stoull(name.substr(dot + 1));
  name.resize(dot);
  return suffix;
}

}  // namespace

IrGraph::IrGraph(TypeTable& types) : types_(types) {
  Begin(block_, nullptr);
  insert_point_ = block_.results;
}

void IrGraph::Begin(IrBlock& block, IrNode* owner) {
  block.graph = this;
  block.owner = owner;
  block.parameters = Create("prim::Param", {}, {});
  block.results = Create("prim::Return", {}, {});
  block.parameters->block = block.results->block = &block;
  block.parameters->next = block.results;
  block.results->previous = block.parameters;
}

IrNode* IrGraph::Create(std::string_view kind, const IrValues& inputs, const std::vector<TypeRef>& outputs) {
  types_.CountNode();
  IrNode& node = nodes_.emplace_back();
  node.kind = kind;
  node.graph = this;
  for (IrValue* value : inputs) node.AddInput(value);
  for (TypeRef type : outputs) node.AddOutput(type);
  return &node;
}

IrNode* IrGraph::Insert(IrNode* node) {
  node->InsertBefore(insert_point_);
  return node;
}

IrValue* IrGraph::InsertOp(std::string_view kind, const IrValues& inputs, TypeRef output) {
  return Insert(Create(kind, inputs, {output}))->output();
}

IrValue* IrGraph::InsertConstant(Value value, TypeRef type, CodePlace place) {
  IrValue* out = InsertOp("prim::Constant", {}, type);
  out->node->constant.value = std::move(value);
  out->node->place = place;
  return out;
}

IrValue* IrNode::AddOutput(TypeRef type) {
  IrValue& value = graph->values_.emplace_back();
  value.node = this;
  value.type = type;
  value.unique = graph->values_.size() - 1;
  outputs.push_back(&value);
  return &value;
}

void IrNode::AddInput(IrValue* value) {
  value->uses.push_back({this, inputs.size()});
  inputs.push_back(value);
}

void IrNode::DropUse(size_t at) {
  std::vector<IrUse>& uses = inputs[at]->uses;
  const auto it =
      std::find_if(uses.rbegin(), uses.rend(), [&](const IrUse& use) { return use.user == this && use.index == at; });
  FAKEPROP_CHECK(it != uses.rend());
  uses.erase(std::next(it).base());
}

void IrNode::InsertInput(size_t at, IrValue* value) {
  IrValues all(inputs.begin(), inputs.end());
  all.insert(all.begin() + static_cast<std::ptrdiff_t>(at), value);
  while (!inputs.empty()) RemoveInput(inputs.size() - 1);
  for (IrValue* input : all) AddInput(input);
}

void IrNode::RemoveInput(size_t at) {
  for (size_t i = at; i < inputs.size(); ++i) DropUse(i);
  inputs.erase(inputs.begin() + static_cast<std::ptrdiff_t>(at));
  for (size_t i = at; i < inputs.size(); ++i) inputs[i]->uses.push_back({this, i});
}

void IrNode::ReplaceInput(size_t at, IrValue* value) {
  DropUse(at);
  inputs[at] = value;
  value->uses.push_back({this, at});
}

void IrNode::EraseOutput(size_t at) {
  FAKEPROP_CHECK(!outputs[at]->has_uses());
  SetName(*outputs[at], "");
  outputs.erase(outputs.begin() + static_cast<std::ptrdiff_t>(at));
}

IrBlock* IrNode::AddBlock() {
  blocks.push_back(std::make_unique<IrBlock>());
  graph->Begin(*blocks.back(), this);
  return blocks.back().get();
}

void IrNode::InsertBefore(IrNode* other) {
  block = other->block;
  previous = other->previous;
  next = other;
  previous->next = this;
  next->previous = this;
}

void IrNode::Unlink() {
  if (!block) return;
  if (previous) previous->next = next;
  if (next) next->previous = previous;
  block = nullptr;
  previous = next = nullptr;
}

void IrNode::MoveBefore(IrNode* other) {
  Unlink();
  InsertBefore(other);
}

void IrNode::Destroy() {
  while (!outputs.empty()) EraseOutput(outputs.size() - 1);
  while (!blocks.empty()) {
    IrBlock& last = *blocks.back();
    last.results->Destroy();
    while (last.parameters->next) {
      IrNode* node = last.parameters->next;
      while (node->next) node = node->next;
      node->Destroy();
    }
    last.parameters->Destroy();
    blocks.pop_back();
  }
  for (size_t i = inputs.size(); i > 0; --i) DropUse(i - 1);
  inputs.clear();
  Unlink();
}

// Takes the name by value: it may be that of a value that gets another.
void SetName(IrValue& value, std::string name) {
  IrGraph& graph = *value.node->graph;
  if (!value.name.empty()) graph.names_.erase(value.name);
  value.name.clear();
  if (name.empty()) return;
  if (auto owner = graph.names_.find(name); owner != graph.names_.end()) {
    std::string base = name;
    size_t suffix = TakeSuffix(base);
    size_t& next = graph.suffixes_.try_emplace(base, 0).first->second;
    if (next > 0) suffix = std::max(suffix, next + 1);
    std::string other;
    do {
      other = base + "." + std::to_string(suffix++);
    } while (graph.names_.contains(other));
    next = suffix;
    SetName(*owner->second, other);
  }
  graph.names_[name] = &value;
  value.name = name;
}

std::string NameOf(const IrValue& value) { return value.name.empty() ? std::to_string(value.unique) : value.name; }

void ReplaceUses(IrValue& value, IrValue* with) {
  if (&value == with) return;
  for (const IrUse& use : value.uses) {
    use.user->inputs[use.index] = with;
    with->uses.push_back(use);
  }
  value.uses.clear();
}

void PermuteOutputs(IrNode& node, const std::vector<size_t>& order) {
  const IrValues before = node.outputs;
  for (size_t i = 0; i < order.size(); ++i) node.outputs[i] = before[order[i]];
}

void PermuteInputs(IrNode& node, const std::vector<size_t>& order) {
  const IrValues before = node.inputs;
  while (!node.inputs.empty()) node.RemoveInput(node.inputs.size() - 1);
  for (size_t from : order) node.AddInput(before[from]);
}

bool IsPlainConstant(const IrValue& value) {
  const IrNode& node = *value.node;
  return node.Is("prim::Constant") && node.constant.archive_number < 0 && !value.type->Is(TypeCase::kFunction);
}

bool MustBeNone(const IrValue& value) {
  if (value.type->Is(TypeCase::kNone)) return true;
  return IsPlainConstant(value) && value.node->constant.value.IsNone();
}

bool MustNotBeNone(const IrValue& value) {
  return !value.type->Is(TypeCase::kNone) && !value.type->Is(TypeCase::kOptional);
}

}  // namespace fakeprop::script
