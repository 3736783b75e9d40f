#include "fakeprop/annotated_graph.h"

#include "lib/annotations/annotations_json.h"
#include "lib/api/handles.h"
#include "lib/api/public_value.h"
#include "lib/meta/dtype.h"
#include "lib/symbolic/shape_env.h"

namespace fakeprop {

using api::Join;

std::string ToString(const TensorMetadata& t) {
  const auto dtype = DtypeFromName(t.dtype);
  return (dtype ? std::string(ShortDtypeName(*dtype)) : t.dtype) + ToString(t.shape) + " on " + t.device;
}

namespace {

// "3", or "3.5"; the shortest text that is this number again.
std::string NumberText(double number) { return ToString(Value(number)); }

std::string ItemsText(const AnnotatedValue& value) {
  return Join(value.items, [](const AnnotatedValue& item) { return ToString(item); });
}

std::string DictText(const AnnotatedValue& value) {
  size_t next = 0;
  return "{" + Join(value.keys, [&](const AnnotatedValue& key) {
    return ToString(key) + ": " + ToString(value.items[next++]);
  }) + "}";
}

void CollectTensors(const AnnotatedValue& value, std::vector<TensorMetadata>& tensors) {
  if (value.kind == AnnotatedValue::Kind::kTensor) tensors.push_back(value.tensor);
  for (const AnnotatedValue& item : value.items) CollectTensors(item, tensors);
}

std::vector<AnnotatedNode> NodesOf(const api::RunState& run, const GraphAnnotations& graph) {
  std::vector<AnnotatedNode> nodes;
  for (const NodeAnnotation& node : graph.nodes) nodes.push_back(api::Access::NodeOf(run, node));
  return nodes;
}

}  // namespace

std::string ToString(const AnnotatedValue& value) {
  switch (value.kind) {
    case AnnotatedValue::Kind::kNone: return "None";
    case AnnotatedValue::Kind::kTensor: return ToString(value.tensor);
    case AnnotatedValue::Kind::kInt: return ToString(value.integer);
    case AnnotatedValue::Kind::kFloat: return NumberText(value.real);
    case AnnotatedValue::Kind::kBool: return ToString(Value(value.truth));
    case AnnotatedValue::Kind::kComplex: return ToString(Value(value.complex));
    case AnnotatedValue::Kind::kString: return ToString(Value(value.text));
    case AnnotatedValue::Kind::kList: return "[" + ItemsText(value) + "]";
    case AnnotatedValue::Kind::kTuple: return "(" + ItemsText(value) + (value.items.size() == 1 ? ",)" : ")");
    case AnnotatedValue::Kind::kDict: return DictText(value);
    case AnnotatedValue::Kind::kOther: return value.text;
  }
  return {};
}

std::vector<TensorMetadata> TensorsIn(const AnnotatedValue& value) {
  std::vector<TensorMetadata> tensors;
  CollectTensors(value, tensors);
  return tensors;
}

std::string_view AnnotatedNode::name() const { return node_->node->name; }
std::string_view AnnotatedNode::op() const { return Name(node_->node->op); }
std::string_view AnnotatedNode::target() const { return node_->node->target; }

AnnotatedNode::Outcome AnnotatedNode::outcome() const {
  switch (node_->kind) {
    case NodeAnnotation::Kind::kValue: return Outcome::kValue;
    case NodeAnnotation::Kind::kError: return Outcome::kError;
    case NodeAnnotation::Kind::kSkipped: return Outcome::kSkipped;
  }
  return Outcome::kError;
}

AnnotatedValue AnnotatedNode::value() const { return api::ReadValue(node_->value); }

const Diagnostic* AnnotatedNode::error() const {
  return node_->kind == NodeAnnotation::Kind::kError ? &run_->annotations.diagnostics[node_->diagnostic] : nullptr;
}

std::string_view AnnotatedNode::skipped_for() const {
  return node_->cause ? std::string_view(node_->cause->name) : std::string_view();
}

std::vector<AnnotatedNode> AnnotatedGraph::nodes() const { return NodesOf(*state_, state_->annotations.graphs[0]); }

std::optional<AnnotatedNode> AnnotatedGraph::Find(std::string_view name) const {
  for (const NodeAnnotation& node : state_->annotations.graphs[0].nodes)
    if (node.node->name == name) return api::Access::NodeOf(*state_, node);
  return std::nullopt;
}

std::vector<AnnotatedSubgraph> AnnotatedGraph::subgraphs() const {
  const std::vector<GraphAnnotations>& graphs = state_->annotations.graphs;
  std::vector<AnnotatedSubgraph> subgraphs;
  for (size_t i = 1; i < graphs.size(); ++i)
    subgraphs.push_back({graphs[i].path, graphs[i].call, NodesOf(*state_, graphs[i])});
  return subgraphs;
}

const std::vector<Diagnostic>& AnnotatedGraph::errors() const { return state_->annotations.diagnostics; }

std::vector<StorageMetadata> AnnotatedGraph::storages() const {
  std::vector<StorageMetadata> storages;
  for (const Storage* storage : state_->annotations.storages)
    storages.push_back({api::ReadSize(storage->nbytes), storage->device.str()});
  return storages;
}

std::vector<ShapeSymbol> AnnotatedGraph::symbols() const { return ListSymbols(*state_->annotations.shape_env); }
std::vector<ShapeGuard> AnnotatedGraph::guards() const { return ListGuards(*state_->annotations.shape_env); }

std::string AnnotatedGraph::ToJson() const { return WriteAnnotations(state_->graph->graph, state_->annotations); }

}  // namespace fakeprop
