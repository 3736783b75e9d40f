#include "lib/report/viewer_graph.h"

#include <map>

#include "lib/annotations/subgraphs.h"
#include "lib/base/utf8.h"
#include "lib/diag/python_trace.h"
#include "lib/report/node_links.h"

namespace fakeprop {
namespace {

std::string_view WithoutPrefix(std::string_view text, std::string_view prefix) {
  return text.starts_with(prefix) ? text.substr(prefix.size()) : text;
}

// "torch.ops.aten.relu.default" -> "aten.relu"
std::string OperatorText(const Node& node) {
  std::string_view target = WithoutPrefix(WithoutPrefix(node.target, "torch.ops."), "_operator.");
  if (target.ends_with(".default")) target.remove_suffix(8);
  return Printable(target);
}

bool IsState(InputKind kind) {
  return kind == InputKind::kParameter || kind == InputKind::kBuffer || kind == InputKind::kTensorConstant;
}

std::vector<std::string> ModuleLabels(std::string_view stack) {
  std::vector<std::string> labels;
  std::string outer;
  for (const ModuleFrame& frame : ParseModuleStack(stack)) {
    if (frame.path.empty()) continue;
    labels.push_back(Printable(WithoutPrefix(frame.path, outer)));
    outer = std::string(frame.path) + ".";
  }
  return labels;
}

std::string PythonPlace(const Node& node) {
  const std::vector<PythonFrame> frames = ParseStackTrace(node.stack_trace);
  const PythonFrame* frame = HeadlineFrame(frames);
  return frame ? Printable(frame->file) + ":" + std::to_string(frame->line) : "";
}

class ViewerGraphMaker {
 public:
  ViewerGraphMaker(const Graph& graph, const Annotations& annotations) : graph_(graph), annotations_(annotations) {
    for (const Input& input : graph.inputs) kinds_[&graph.nodes[input.node]] = input.kind;
  }

  ViewerGraph Make() {
    for (size_t i = 0; i < annotations_.graphs.size(); ++i)
      if (annotations_.graphs[i].call.empty()) AddRun(annotations_.graphs[i], i);
    return std::move(made_);
  }

 private:
  void AddRun(const GraphAnnotations& run, size_t number) {
    const auto first = static_cast<int32_t>(made_.nodes.size());
    const std::string prefix = number ? "s" + std::to_string(number) : "";
    for (const NodeAnnotation& annotation : run.nodes) {
      ViewerNode node = MakeNode(annotation);
      node.id = prefix + "n" + std::to_string(made_.nodes.size() - first);
      if (!run.path.empty()) node.modules.insert(node.modules.begin(), Printable(run.path));
      for (int32_t input : InputNodes(*annotation.node)) node.inputs.push_back(first + input);
      made_.nodes.push_back(std::move(node));
    }
  }

  ViewerNode MakeNode(const NodeAnnotation& annotation) const {
    const Node& node = *annotation.node;
    ViewerNode made;
    made.annotation = &annotation;
    made.name = Printable(node.name);
    made.op = OperatorText(node);
    made.line = PythonPlace(node);
    made.modules = ModuleLabels(node.nn_module_stack);
    if (node.op == NodeOp::kOutput) made.op = "output";
    if (node.op == NodeOp::kPlaceholder) SetKind(node, made);
    SetValue(annotation, made);
    return made;
  }

  void SetKind(const Node& node, ViewerNode& made) const {
    const auto kind = kinds_.find(&node);
    made.is_state = kind != kinds_.end() && IsState(kind->second);
    made.op = made.is_state ? "state" : "input";
  }

  void SetValue(const NodeAnnotation& annotation, ViewerNode& made) const {
    made.has_failed = annotation.kind != NodeAnnotation::Kind::kValue;
    switch (annotation.kind) {
      case NodeAnnotation::Kind::kValue: made.value = Printable(ToString(annotation.value)); break;
      case NodeAnnotation::Kind::kError: {
        const Diagnostic& diagnostic = annotations_.diagnostics[annotation.diagnostic];
        made.value = std::string(diagnostic.code.id) + " " + Printable(diagnostic.message);
        break;
      }
      case NodeAnnotation::Kind::kSkipped:
        made.value = "skipped because of " + Printable(annotation.cause->name);
        break;
    }
  }

  const Graph& graph_;
  const Annotations& annotations_;
  std::map<const Node*, InputKind> kinds_;
  ViewerGraph made_;
};

}  // namespace

size_t ViewerGraph::CountEdges() const {
  size_t count = 0;
  for (const ViewerNode& node : nodes)
    for (int32_t input : node.inputs) count += !nodes[input].is_state;
  return count;
}

ViewerGraph MakeViewerGraph(const Graph& graph, const Annotations& annotations) {
  return ViewerGraphMaker(graph, annotations).Make();
}

}  // namespace fakeprop
