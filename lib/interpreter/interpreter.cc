#include "lib/interpreter/interpreter.h"

#include <new>
#include <stdexcept>

#include "lib/diag/code_table.h"
#include "lib/higher_order/higher_order.h"
#include "lib/interpreter/find_group_size.h"
#include "lib/interpreter/node_diagnostic.h"
#include "lib/interpreter/node_host.h"
#include "lib/interpreter/operator_call.h"
#include "lib/interpreter/poisoning.h"
#include "lib/interpreter/run_graph_through.h"
#include "lib/interpreter/substitute_arguments.h"
#include "lib/python/op_rules.h"
#include "lib/rules/support/group_sizes.h"
#include "lib/schema/schema_table.h"

namespace fakeprop {
namespace {

int32_t IndexOf(const Graph& graph, const Node& node) { return static_cast<int32_t>(&node - graph.nodes.data()); }

// Joins two names to "a.b". Either may be empty.
std::string Dotted(const std::string& outer, const std::string& inner) {
  return outer.empty() ? inner : outer + "." + inner;
}

std::string OperatorText(const Node& node) {
  const std::string op = OperatorName(node.target);
  return op.empty() ? node.target : op;
}

// Returns true if a file of `--op-rules` may have a rule for it: a custom operator, or a Python function that is not
// PyTorch's.
bool MayHaveOpRule(std::string_view target) {
  if (target.starts_with("torch.ops."))
    return !target.starts_with("torch.ops.aten.") && !target.starts_with("torch.ops.higher_order.");
  return target.find('.') != std::string_view::npos && !target.starts_with("torch.") &&
         !target.starts_with("_operator.") && !target.starts_with("builtins.");
}

std::string WhyUnknownModule(const std::string& class_name) {
  const std::string fact = "modules of class " + class_name + " are not known here";
  if (class_name == "torch.export._unlift.GuardsFn")
    return fact + "; if fakeprop_fx.py of this version writes the graph, its guards are part of the file";
  return fact + (class_name.starts_with("torch.") ? "" : "; `--op-rules` can say what they give");
}

std::string WhyUnknown(const Graph& graph, const Node& node) {
  if (node.op == NodeOp::kCallModule) return WhyUnknownModule(graph.modules[node.member].class_name);
  if (node.op == NodeOp::kCallMethod) return "the method `" + node.target + "` is not known here";
  return "no rule, kernel or decomposition serves " + OperatorText(node) +
         (MayHaveOpRule(node.target) ? "; `--op-rules` can say what it gives" : "");
}

// The exception of a node as its error.
OpError AsOpError(const std::exception& e) {
  if (const auto* error = dynamic_cast<const OpError*>(&e)) return *error;
  if (dynamic_cast<const std::bad_alloc*>(&e))
    return {ErrorClass::kOverflow, "the node needs more memory than there is"};
  if (dynamic_cast<const std::length_error*>(&e)) return {ErrorClass::kOverflow, "the node makes lists beyond memory"};
  return {ErrorClass::kInternal, std::string("a bug in fakeprop: ") + e.what()};
}

}  // namespace

// The services for a higher-order operator of one node.
class Interpreter::SubgraphHost final : public HigherOrderHost {
 public:
  SubgraphHost(Interpreter& interpreter, Frame& frame, const Node& node)
      : interpreter_(interpreter), frame_(frame), node_(node), operators_({interpreter.runtime_, frame, node}) {}

  Value RunSubgraph(const Subgraph& subgraph, std::span<const Value> arguments) override {
    return interpreter_.RunSubgraph(frame_, node_, subgraph, arguments);
  }
  OperatorHost& operators() override { return operators_; }
  bool& below_autograd() override { return interpreter_.runtime_.below_autograd; }
  Batched& batched() override { return interpreter_.runtime_.batched; }
  std::shared_ptr<void>& Memory(const Subgraph& subgraph) override {
    return interpreter_.subgraph_runs_.MemoryOf(*subgraph.graph);
  }

 private:
  Interpreter& interpreter_;
  Frame& frame_;
  const Node& node_;
  NodeHost operators_;
};

Interpreter::Interpreter(
    const Graph& graph, const std::vector<InputValue>& inputs, const RunOptions& options, LibTorchFallback* stand_in)
    : graph_(graph),
      options_(options),
      resolved_(options.resolved ? options.resolved : NewResolvedGraphs()),
      annotations_(options.shape_env),
      runtime_{options, annotations_.objects(), annotations_.shape_env(), annotations_.crossref(),
          FakeInputs(graph, inputs, annotations_.objects(), annotations_.shape_env()),
          LazyFallback(options.open_libtorch), annotations_, stand_in},
      position_(annotations_.shape_env()) {
  runtime_.state.torch = graph.torch;
  runtime_.state.build = graph.build;
  runtime_.state.grad_enabled = options.grad_enabled;
  runtime_.state.allow_fallback_kernels = options.allow_fallback_kernels;
  annotations_.crossref().was_asked = options.crossref;
  if (options.keeps_calls) annotations_.KeepCalls();
}

Annotations Interpreter::Run() {
  ShapeEnv& env = annotations_.shape_env();
  const CurrentShapeEnv current(&env);
  const ScopedShapeEnvSettings settings(env, {.makes_unbacked = env.makes_unbacked(),
                                                 .place = {},
                                                 .namer = [this] { return position_.RecordedNamesHere(); },
                                                 .describer = DescribePlace});
  const rules::KnownGroups groups([this](const Value& group) { return FindGroupSize(*resolved_, graph_, group); });
  Frame frame{graph_, resolved_->Of(graph_, graph_)};
  frame.annotations = annotations_.AddGraph("", "", graph_.nodes.size());
  RunFrame(frame);
  return annotations_.Finish();
}

void Interpreter::RunFrame(Frame& frame) {
  const auto count = static_cast<int32_t>(frame.graph.nodes.size());
  frame.values.resize(count);
  frame.failed_by.assign(count, -1);
  for (int32_t i = 0; i < count; ++i) {
    if (options_.progress && frame.IsOutermost()) options_.progress(i, count);
    const bool stopped = frame.first_failure >= 0 && !options_.keep_going;
    const int32_t cause = stopped ? frame.first_failure : FailedDependency(frame, i);
    if (cause >= 0) Skip(frame, i, cause);
    if (cause >= 0 || !TryNode(frame, i)) Poison(frame, i);
  }
}

bool Interpreter::TryNode(Frame& frame, int32_t index) {
  position_.MoveTo(frame.graph, index);
  try {
    ProduceNode(frame, index);
    return true;
  } catch (...) {
    FailNode(frame, index);
    return false;
  }
}

void Interpreter::ProduceNode(Frame& frame, int32_t index) {
  const Node& node = frame.graph.nodes[index];
  Value& value = frame.values[index];
  const size_t symbols = annotations_.shape_env().symbols().size();
  value = RunNode(frame, index);
  if (const int32_t cause = PoisonedBy(frame, value.TryTensor()); cause >= 0) return Skip(frame, index, cause);
  annotations_.AddValue(frame.annotations, node, frame.resolved[index].schema, value, symbols);
  if (options_.on_unbacked && frame.IsOutermost() && annotations_.shape_env().symbols().size() > symbols)
    options_.on_unbacked(annotations_.so_far());
  if (node.op == NodeOp::kOutput) frame.output = &value;
}

void Interpreter::Skip(Frame& frame, int32_t index, int32_t cause) {
  frame.failed_by[index] = cause;
  annotations_.AddSkipped(frame.annotations, frame.graph.nodes[index], frame.graph.nodes[cause]);
}

void Interpreter::FailNode(Frame& frame, int32_t index) {
  const Node& node = frame.graph.nodes[index];
  frame.failed_by[index] = index;
  if (frame.first_failure < 0) frame.first_failure = index;
  try {
    throw;
  } catch (const InnerFailure& inner) {
    annotations_.AddReportedError(frame.annotations, node, inner.diagnostic);
  } catch (const DescribedError& e) {
    Diagnostic diagnostic = Report(frame, node, e.error);
    diagnostic.operands = e.operands;
    annotations_.AddError(frame.annotations, node, std::move(diagnostic));
  } catch (const std::exception& e) {
    annotations_.AddError(frame.annotations, node, Report(frame, node, AsOpError(e)));
  }
}

Diagnostic Interpreter::Report(const Frame& frame, const Node& node, const OpError& error) const {
  Diagnostic diagnostic = ReportNode(frame.graph, node, CodeOf(error.error_class()), error.message(), error.operands(),
      frame.values, runtime_.inputs.given());
  diagnostic.file = graph_.source;
  return diagnostic;
}

Value Interpreter::RunNode(Frame& frame, int32_t index) {
  const Node& node = frame.graph.nodes[index];
  const ResolvedNode& resolved = frame.resolved[index];
  // The inner tensor of a subclass, which the file describes.
  if (node.op == NodeOp::kCallFunction && node.member >= 0) return runtime_.inputs.AttributeAt(node.member);
  switch (resolved.service) {
    case Service::kPlaceholder: return RunPlaceholder(frame);
    case Service::kGetAttr: return RunGetAttr(frame, node);
    case Service::kOutput: return RunOutput(frame, node);
    case Service::kOperator: return RunOperator(frame, node, resolved);
    case Service::kBuiltin: return RunBuiltin(frame, resolved);
    case Service::kHigherOrder: return RunHigherOrder(frame, node, resolved);
    case Service::kPython:
    case Service::kUnknown: return RunPython(frame, node, resolved);
  }
  throw InternalError("a node without a service");
}

Value Interpreter::RunPlaceholder(Frame& frame) {
  const size_t index = frame.next_input++;
  if (frame.IsOutermost()) return runtime_.inputs.InputAt(index);
  if (index >= frame.arguments.size())
    Fail(ErrorClass::kTypeError,
        "the subgraph takes more inputs than the " + std::to_string(frame.arguments.size()) + " given");
  return frame.arguments[index];
}

Value Interpreter::RunGetAttr(const Frame& frame, const Node& node) {
  if (!node.arguments.empty()) return Substitute(frame, runtime_.inputs, node.arguments[0].value);
  if (node.member >= 0) return runtime_.inputs.AttributeAt(node.member);
  Fail(ErrorClass::kUnsupportedOperator, "the attribute `" + node.target + "` is not in the file");
}

Value Interpreter::RunOutput(const Frame& frame, const Node& node) {
  return node.arguments.empty() ? Value() : Substitute(frame, runtime_.inputs, node.arguments[0].value);
}

Value Interpreter::RunOperator(const Frame& frame, const Node& node, const ResolvedNode& resolved) {
  if (resolved.error) throw *resolved.error;
  CallArguments arguments;
  Evaluate(frame, resolved, runtime_.inputs, arguments);
  return CallOperator({runtime_, frame, node}, {*resolved.schema, resolved.rule, resolved.grad}, arguments);
}

Value Interpreter::RunBuiltin(const Frame& frame, const ResolvedNode& resolved) {
  CallArguments arguments;
  Evaluate(frame, resolved, runtime_.inputs, arguments);
  return resolved.builtin(arguments.span());
}

const PythonRule* Interpreter::GivenRule(const Node& node) const {
  if (!options_.op_rules) return nullptr;
  if (node.op == NodeOp::kCallFunction) return options_.op_rules->Find(std::string_view(node.target));
  if (node.op != NodeOp::kCallModule || node.member < 0) return nullptr;
  return options_.op_rules->Find(graph_.modules[node.member]);
}

Value Interpreter::RunPython(const Frame& frame, const Node& node, const ResolvedNode& resolved) {
  const PythonRule* rule = GivenRule(node);
  if (!rule && resolved.service == Service::kUnknown) Fail(ErrorClass::kUnsupportedOperator, WhyUnknown(graph_, node));
  NodeHost host({runtime_, frame, node, 0, /*keeps_calls=*/options_.keeps_calls && !rule});
  Python python(host, runtime_.python);
  PythonArguments arguments;
  for (const Argument& argument : node.arguments) {
    Value value = Substitute(frame, runtime_.inputs, argument.value);
    if (argument.name.empty()) arguments.positional.push_back(std::move(value));
    else arguments.keywords.emplace_back(std::string(argument.name), std::move(value));
  }
  if (node.op != NodeOp::kCallModule) return (rule ? rule : resolved.python)->Run(python, std::move(arguments));
  if (rule) return rule->RunModule(python, graph_.modules[node.member], std::move(arguments));
  return RunModule(python, *resolved.module_class, graph_.modules[node.member], std::move(arguments));
}

Value Interpreter::RunHigherOrder(Frame& frame, const Node& node, const ResolvedNode& resolved) {
  std::vector<Value> arguments;
  for (const ArgumentSource& source : resolved.arguments)
    arguments.push_back(Substitute(frame, runtime_.inputs, *source.written));
  SubgraphHost host(*this, frame, node);
  HigherOrderCall call(host, frame.graph, node, arguments);
  return resolved.higher_order(call);
}

Value Interpreter::RunSubgraph(
    Frame& caller, const Node& node, const Subgraph& subgraph, std::span<const Value> arguments) {
  Frame inner = NewFrame(caller, node, subgraph, arguments);
  const size_t errors = annotations_.errors();
  {
    const RunPosition::Guard here(position_);
    RunFrame(inner);
  }
  if (annotations_.errors() > errors) {
    PoisonCaller(caller, IndexOf(caller.graph, node), inner);
    throw InnerFailure{static_cast<int>(errors)};
  }
  if (inner.next_input < arguments.size())
    Fail(ErrorClass::kTypeError, "the subgraph `" + subgraph.name + "` takes " + std::to_string(inner.next_input) +
                                     " inputs but is given " + std::to_string(arguments.size()));
  return inner.output ? *inner.output : Value();
}

Frame Interpreter::NewFrame(
    const Frame& caller, const Node& node, const Subgraph& subgraph, std::span<const Value> arguments) {
  const Graph& graph = *subgraph.graph;
  const bool is_repeated = subgraph_runs_.HasRun(graph);
  Frame frame{graph, resolved_->Of(graph, graph_)};
  frame.path = Dotted(caller.path, subgraph.name);
  if (is_repeated) frame.call = Dotted(caller.call, node.name);
  frame.arguments = arguments;
  if (subgraph_runs_.Keep(graph, arguments, runtime_.state, runtime_.below_autograd))
    frame.annotations = annotations_.AddGraph(frame.path, frame.call, graph.nodes.size());
  if (is_repeated) subgraph_runs_.CountRepeated(graph);
  return frame;
}

Annotations RunGraph(const Graph& graph, const std::vector<InputValue>& inputs, const RunOptions& options) {
  return Interpreter(graph, inputs, options).Run();
}

Annotations RunGraphThrough(
    const Graph& graph, const std::vector<InputValue>& inputs, const RunOptions& options, LibTorchFallback& stand_in) {
  return Interpreter(graph, inputs, options, &stand_in).Run();
}

}  // namespace fakeprop
