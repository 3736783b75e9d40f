#include "lib/lint/find_differences.h"

#include <algorithm>

#include "lib/annotations/subgraphs.h"
#include "lib/base/check.h"
#include "lib/diag/python_trace.h"
#include "lib/interpreter/node_diagnostic.h"
#include "lib/lint/replay.h"

namespace fakeprop {
namespace {

// A snapshot as an input of a graph.
std::optional<InputValue> AsInput(const Value& found) {
  InputValue input;
  if (const Tensor* t = found.TryTensor()) {
    input.is_tensor = true;
    input.meta = t->meta;
    input.requires_grad = t->own_requires_grad;
    input.constant = t->constant;
  } else if (found.TryList() || found.Is<GraphRef>()) {
    return std::nullopt;
  } else {
    input.value = found;
  }
  return input;
}

bool HasSymbols(const InputValue& input) {
  const auto is_symbolic = [](Dim dim) { return dim.IsSymbolic(); };
  const Dim* number = input.value.TryGet<Dim>();
  return std::any_of(input.meta.sizes.begin(), input.meta.sizes.end(), is_symbolic) ||
         std::any_of(input.meta.strides.begin(), input.meta.strides.end(), is_symbolic) ||
         input.meta.storage_offset.IsSymbolic() || (number && number->IsSymbolic());
}

// For a placeholder: ", parameter `fc.weight`".
std::string InputText(const LintRun& run, const GraphAnnotations& annotations, int32_t node) {
  if (!annotations.path.empty()) return ", input of the subgraph";
  for (size_t i = 0; i < run.graph.inputs.size() && i < run.inputs.size(); ++i)
    if (run.graph.inputs[i].node == node && !run.inputs[i].origin.empty()) return ", " + run.inputs[i].origin;
  return "";
}

class GraphComparer {
 public:
  GraphComparer(
      const LintRun& run, const GraphAnnotations& annotations, const Reference& reference, const Account& account)
      : run_(run),
        annotations_(annotations),
        graph_(GraphAt(run.graph, annotations.path)),
        reference_(reference),
        account_(account),
        finding_of_(graph_.nodes.size(), kNone) {}

  std::vector<Finding> Compare() {
    FAKEPROP_CHECK(annotations_.nodes.size() == graph_.nodes.size());
    for (int32_t i = 0; i < static_cast<int32_t>(graph_.nodes.size()); ++i) {
      const NodeAnnotation& annotation = annotations_.nodes[i];
      if (annotation.kind == NodeAnnotation::Kind::kValue) CompareNode(i, annotation.value);
    }
    return std::move(findings_);
  }

 private:
  void CompareNode(int32_t node, const Value& found) {
    std::vector<FieldDifference> fields = reference_.Compare(graph_.nodes[node], found);
    if (fields.empty()) {
      if (reference_.IsExcused(graph_.nodes[node], found)) finding_of_[node] = kExcused;
      return;
    }
    if (IsUserInput(node) && input_finding_ >= 0) {
      AddInput(node, fields);
      return;
    }
    const int earlier = EarlierFinding(node);
    if (earlier != kNone && FollowsFromInputs(node)) {
      finding_of_[node] = earlier;
      if (earlier != kExcused) findings_[earlier].also_differ.push_back(graph_.nodes[node].name);
      return;
    }
    finding_of_[node] = static_cast<int>(findings_.size());
    if (IsUserInput(node)) input_finding_ = finding_of_[node];
    if (values_.empty()) values_ = ValuesOf(annotations_);
    Finding finding =
        FindingAt(run_, annotations_, node, account_.code, Message(graph_.nodes[node].name, fields), values_);
    finding.fields = std::move(fields);
    findings_.push_back(std::move(finding));
  }

  bool IsUserInput(int32_t node) const {
    return annotations_.path.empty() && graph_.nodes[node].op == NodeOp::kPlaceholder &&
           std::any_of(graph_.inputs.begin(), graph_.inputs.end(),
               [&](const Input& input) { return input.node == node && input.kind == InputKind::kUserInput; });
  }

  // One spec gives all inputs: those that differ are one finding.
  void AddInput(int32_t node, const std::vector<FieldDifference>& fields) {
    finding_of_[node] = input_finding_;
    Finding& finding = findings_[input_finding_];
    for (const FieldDifference& field : fields)
      finding.fields.push_back({graph_.nodes[node].name + " " + field.field, field.expected, field.found});
  }

  std::string Message(const std::string& name, const std::vector<FieldDifference>& fields) const {
    const FieldDifference& first = fields[0];
    std::string text = first.field + " of `" + name + "` is " + first.found + " but " + std::string(account_.was) +
                       " " + first.expected;
    if (fields.size() > 1)
      text += ", and " + std::to_string(fields.size() - 1) +
              (fields.size() == 2 ? " more field differs" : " more fields differ");
    return text;
  }

  // The finding that explains one of the node's inputs, else kExcused or kNone. The reference has no value for a call
  // with several results, so a getitem looks at the inputs of its call.
  int EarlierFinding(int32_t node) const {
    int earlier = kNone;
    for (int32_t input : InputsOf(graph_.nodes[node])) {
      int of_input = finding_of_[input];
      if (of_input == kNone && IsGetitem(graph_.nodes[node])) of_input = EarlierFinding(input);
      if (of_input >= 0) return of_input;
      if (of_input == kExcused) earlier = kExcused;
    }
    return earlier;
  }

  // A node of a subgraph can't be run alone, since the state that it ran in is not known here. So there an input that
  // differs explains a difference. An output returns its inputs as they are.
  bool FollowsFromInputs(int32_t node) const {
    if (!annotations_.path.empty() || graph_.nodes[node].op == NodeOp::kOutput) return true;
    RunOptions options = run_.options;
    const bool has_symbols = reference_.shape_env() != nullptr;
    if (has_symbols) options.shape_env = reference_.shape_env();
    auto input = [&](int32_t index) {
      std::optional<InputValue> value = AsInput(annotations_.nodes[index].value);
      std::optional<InputValue> account = reference_.AsInput(graph_.nodes[index]);
      // References do not say everything, for instance not whether an intermediate value requires grad.
      if (account && value && value->is_tensor) account->requires_grad = value->requires_grad;
      if (account || !has_symbols) return account ? account : value;
      return value && !HasSymbols(*value) ? value : std::nullopt;
    };
    const std::optional<Replayed> replayed = ReplayNode(graph_, node, options, input);
    return replayed && reference_.Gives(graph_.nodes[node], replayed->value);
  }

  const LintRun& run_;
  const GraphAnnotations& annotations_;
  const Graph& graph_;
  const Reference& reference_;
  const Account& account_;
  static constexpr int kNone = -1, kExcused = -2;
  std::vector<int> finding_of_;  // for each node the finding that explains its difference, or one of these
  std::vector<Value> values_;    // of all nodes, as soon as there is a finding
  int input_finding_ = kNone;    // the finding of the user's inputs
  std::vector<Finding> findings_;
};

}  // namespace

std::vector<Finding> CompareGraph(
    const LintRun& run, const GraphAnnotations& annotations, const Reference& reference, const Account& account) {
  return GraphComparer(run, annotations, reference, account).Compare();
}

std::vector<Finding> FindErrors(const Annotations& annotations) {
  std::vector<Finding> findings;
  for (const Diagnostic& d : annotations.diagnostics) findings.push_back({.diagnostic = d});
  return findings;
}

std::vector<Finding> FindRuleDifferences(const Annotations& annotations, Severity severity) {
  std::vector<Finding> findings;
  for (const Crossref::Difference& difference : annotations.crossref.differences) {
    if (difference.diagnostic.severity != severity) continue;
    Finding finding{.diagnostic = difference.diagnostic, .subgraph = difference.subgraph};
    for (const EffectDifference& field : difference.fields) finding.fields.push_back({field.name, field.b, field.a});
    findings.push_back(std::move(finding));
  }
  return findings;
}

std::vector<Value> ValuesOf(const GraphAnnotations& annotations) {
  std::vector<Value> values;
  for (const NodeAnnotation& annotation : annotations.nodes) values.push_back(annotation.value);
  return values;
}

Finding FindingAt(const LintRun& run, const GraphAnnotations& annotations, int32_t node, Code code, std::string message,
    const std::vector<Value>& values) {
  const Graph& graph = GraphAt(run.graph, annotations.path);
  const Node& at = graph.nodes[node];
  Finding finding;
  finding.subgraph = annotations.path;
  finding.diagnostic = ReportNode(
      graph, at, code, message, {}, values, annotations.path.empty() ? run.inputs : std::vector<InputValue>());
  finding.diagnostic.file = run.graph.source;
  finding.diagnostic.frames = ParseStackTrace(at.stack_trace, at.nn_module_stack);
  if (at.op == NodeOp::kPlaceholder) finding.diagnostic.node_text = "%" + at.name + InputText(run, annotations, node);
  return finding;
}

}  // namespace fakeprop
