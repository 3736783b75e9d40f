#include "lib/propagate/walk.h"

#include <new>
#include <stdexcept>

#include "lib/base/check.h"
#include "lib/diag/codes.h"
#include "lib/diag/python_trace.h"
#include "lib/graph/inline_size.h"
#include "lib/graph/schema_table.h"
#include "lib/meta/value_visit.h"
#include "lib/propagate/autocast.h"
#include "lib/propagate/autocast_symbols.h"
#include "lib/propagate/constants.h"
#include "lib/propagate/crossref.h"
#include "lib/propagate/higher_order.h"
#include "lib/propagate/invoke_subgraph.h"
#include "lib/propagate/report.h"
#include "lib/propagate/script_values.h"
#include "lib/rules/devices.h"

namespace fakeprop {
namespace {

std::string OperatorText(const Node& node) {
  const std::string op = OperatorName(node.target);
  return op.empty() ? node.target : op;
}

TensorMeta MetaOf(const RecordedTensor& recorded) {
  auto number = [](const RecordedSize& size) {
    if (!size.expression.empty())
      Fail(ErrorClass::kValueError, "the size `" + std::string(size.expression) + "` of an attribute is not a number");
    return Dim(size.number);
  };
  TensorMeta meta;
  for (const RecordedSize& size : recorded.sizes) meta.sizes.push_back(number(size));
  for (const RecordedSize& stride : recorded.strides) meta.strides.push_back(number(stride));
  meta.storage_offset = number(recorded.storage_offset);
  meta.dtype = recorded.dtype;
  meta.device = recorded.device;
  meta.layout = recorded.layout;
  return meta;
}

std::string SymbolsOf(const Value& value) {
  if (const Dim* d = value.TryGet<Dim>()) return d->IsSymbolic() ? d->ToString() : "";
  if (value.Is<Symbolic>()) return ToString(value);
  if (const Tensor* t = value.TryTensor()) {
    for (DimSpan dims : {t->meta.size_span(), t->meta.stride_span(), DimSpan(&t->meta.storage_offset, 1)})
      for (Dim d : dims)
        if (d.IsSymbolic()) return d.ToString();
    return t->storage->nbytes.IsSymbolic() ? t->storage->nbytes.ToString() : "";
  }
  return "";
}

// "node `item` (model.py:7: n = x.item())"
std::string DescribePlace(const GraphPlace& place) {
  const std::string node = "node `" + std::string(place.node) + "`";
  const auto frames = ParseStackTrace(place.stack_trace);
  const PythonFrame* frame = HeadlineFrame(frames);
  return frame ? node + " (" + LineText(*frame) + ")" : node;
}

// Whether a node reads all tensors of the lists that it is given. Python's getitem takes one of them, and TorchScript's
// own operations move values about: what they give is looked at instead.
bool ReadsItems(const Graph& graph, int32_t index, const ResolvedNode& resolved) {
  return resolved.schema || (graph.kind != kTorchScriptKind && graph.nodes[index].target != "_operator.getitem");
}

// An expression over symbols among the arguments; empty where there is none.
std::string FindSymbols(std::span<const Value* const> arguments) {
  std::string found;
  auto has_symbols = [&](const Value& value) { return !(found = SymbolsOf(value)).empty(); };
  for (const Value* argument : arguments)
    if (AnyValue(*argument, has_symbols)) break;
  return found;
}

}  // namespace

// Subgraphs have callers of their own: the outer one is back at the end.
class Walk::CallerGuard {
 public:
  CallerGuard(Walk& walk, const Frame& frame, const Node& node) : walk_(walk), saved_(walk.caller_) {
    walk.caller_ = {&frame, &node};
  }
  ~CallerGuard() { walk_.caller_ = saved_; }

 private:
  Walk& walk_;
  Caller saved_;
};

Walk::Walk(const std::vector<InputValue>& inputs, const PropagateOptions& options)
    : inputs_(inputs),
      options_(options),
      resolved_(options.resolved ? options.resolved : NewResolvedGraphs()),
      input_tensors_(inputs.size(), nullptr) {
  state_.grad_enabled = options.grad_enabled;
  state_.allow_fallback_kernels = options.allow_fallback_kernels;
  result_.shape_env = options.shape_env ? options.shape_env : std::make_shared<ShapeEnv>();
  result_.objects = objects_;
}

Annotations Walk::Run(const Graph& graph) {
  root_ = &graph;
  attribute_tensors_.resize(graph.attributes.size(), nullptr);
  for (size_t i = 0; i < graph.attributes.size(); ++i)
    attributes_.emplace(graph.attributes[i].name, static_cast<int32_t>(i));
  result_.graphs.push_back({});
  Frame frame{graph, Resolved(graph), {}, {}, 0, {}, {}, {}};
  const CurrentShapeEnv current(result_.shape_env.get());
  // Numbers that depend on data are values of their own in TorchScript (lib/propagate/script.h).
  if (graph.kind == kTorchScriptKind) result_.shape_env->makes_unbacked = false;
  result_.shape_env->SetNamer([this] { return NamesHere(); });
  result_.shape_env->SetDescriber(DescribePlace);
  RunGraph(frame);
  result_.shape_env->SetNamer(nullptr);
  result_.storages = snapshots_.TakeStorages();
  return std::move(result_);
}

std::optional<Value> Walk::RunGraph(Frame& frame) {
  const size_t count = frame.graph.nodes.size();
  frame.values.resize(count);
  frame.failed_by.assign(count, -1);
  if (frame.annotations != kNotKept) result_.graphs[frame.annotations].nodes.reserve(count);
  std::optional<Value> output;
  int32_t first_failure = -1;
  for (int32_t i = 0; i < static_cast<int32_t>(count); ++i) {
    const Node& node = frame.graph.nodes[i];
    if (options_.progress && frame.annotations == 0) options_.progress(i, count);
    int32_t cause = stopped_ && first_failure >= 0 ? first_failure : FailedDependency(frame, i);
    if (cause >= 0) {
      Skip(frame, i, cause);
      Poison(frame, i);
      continue;
    }
    scratch_.clear();
    position_ = {&frame.graph, i};
    result_.shape_env->SetPlace({node.name, node.stack_trace});
    const size_t symbols = result_.shape_env->symbols().size();
    try {
      frame.values[i] = RunNode(frame, i);
      if (cause = PoisonedBy(frame, frame.values[i].TryTensor()); cause >= 0) {
        Skip(frame, i, cause);
        continue;
      }
      Annotate(frame, i,
          {NodeAnnotation::Kind::kValue, &node, snapshots_.Take(frame.values[i]), -1, nullptr,
              FindBindings(*result_.shape_env, symbols, frame.values[i])});
      if (node.op == NodeOp::kOutput) output = frame.values[i];
      continue;
    } catch (const OpError& e) {
      FailNode(frame, i, e.error_class(), e.message(), e.operands());
    } catch (const DescribedError& e) {
      FailNode(frame, i, e.error.error_class(), e.error.message(), {});
      result_.diagnostics.back().operands = e.operands;
    } catch (const InnerFailure& inner) {
      frame.failed_by[i] = i;
      Annotate(frame, i, {NodeAnnotation::Kind::kError, &node, {}, inner.diagnostic, nullptr, {}});
    } catch (const std::bad_alloc&) {
      FailNode(frame, i, ErrorClass::kOverflow, "the node needs more memory than there is", {});
    } catch (const std::length_error&) {
      FailNode(frame, i, ErrorClass::kOverflow, "the node makes lists beyond memory", {});
    } catch (const std::exception& e) {
      FailNode(frame, i, ErrorClass::kInternal, std::string("a bug in fakeprop: ") + e.what(), {});
    }
    if (first_failure < 0) first_failure = i;
    Poison(frame, i);
    stopped_ = !options_.keep_going;
  }
  return output;
}

const std::vector<std::string>* Walk::NamesHere() {
  if (!position_.graph || position_.graph->recorded.empty()) return nullptr;
  auto it = recorded_names_.find(position_.graph);
  if (it == recorded_names_.end()) it = recorded_names_.emplace(position_.graph, RecordedNames(*position_.graph)).first;
  return &it->second.Of(position_.node);
}

Value Walk::RunNode(Frame& frame, int32_t index) {
  const Node& node = frame.graph.nodes[index];
  const ResolvedNode& resolved = frame.resolved[index];
  switch (resolved.service) {
    case Service::kPlaceholder: return RunPlaceholder(frame);
    case Service::kGetAttr: {
      if (!node.arguments.empty()) return node.arguments[0].value;
      if (node.member >= 0) return MakeAttribute(node.member);
      Fail(ErrorClass::kUnsupportedOperator, "the attribute `" + node.target + "` is not in the file");
    }
    case Service::kOutput: {
      if (node.arguments.empty()) return {};
      return Substitute(frame, node.arguments[0].value);
    }
    case Service::kOperator: return RunOperator(frame, node, resolved);
    case Service::kBuiltin: {
      std::vector<const Value*> arguments;
      Evaluate(frame, resolved, arguments);
      return resolved.builtin(arguments);
    }
    case Service::kHigherOrder: return RunHigherOrder(frame, node, resolved);
    case Service::kPython: return RunPython(frame, node, resolved);
    case Service::kUnknown: break;
  }
  if (node.op == NodeOp::kCallModule)
    Fail(ErrorClass::kUnsupportedOperator,
        "modules of class " + root_->modules[node.member].class_name + " are not known here");
  if (node.op == NodeOp::kCallMethod)
    Fail(ErrorClass::kUnsupportedOperator, "the method `" + node.target + "` is not known here");
  const std::string text = OperatorText(node);
  const bool may_be_given = node.target.starts_with("torch.ops.") && !node.target.starts_with("torch.ops.aten.") &&
                            !node.target.starts_with("torch.ops.higher_order.");
  Fail(ErrorClass::kUnsupportedOperator,
      "no rule, kernel or decomposition serves " + text + (may_be_given ? "; `--op-rules` can say what it gives" : ""));
}

Value Walk::RunPlaceholder(Frame& frame) {
  const size_t index = frame.next_input++;
  if (frame.annotations == 0) {
    FAKEPROP_CHECK(index < inputs_.size());
    return MakeInput(index);
  }
  if (index >= frame.arguments.size())
    Fail(ErrorClass::kTypeError,
        "the subgraph takes more inputs than the " + std::to_string(frame.arguments.size()) + " given");
  return frame.arguments[index];
}

// What an input that is no tensor holds; TorchScript's lists and dicts can change.
Value Walk::MakeHolder(const Value& value) {
  const Value made = MapValues(value, [this](const Value& inner) {
    const NodeRef* input = inner.TryGet<NodeRef>();
    return input ? MakeInput(input->index) : inner;
  });
  return root_->kind == kTorchScriptKind ? Shared(made) : made;
}

Value Walk::MakeInput(size_t index) {
  const InputValue& input = inputs_[index];
  if (!input.is_tensor) return MakeHolder(input.value);
  if (input_tensors_[index]) return input_tensors_[index];
  // Tensors that share storage stand on one that holds the largest of their group.
  Storage* storage = nullptr;
  if (input.view_of >= 0) {
    Value base = MakeInput(input.view_of);
    storage = base.TryTensor()->storage;
    storage->nbytes = Max(storage->nbytes, StorageNbytes(input.meta));
  } else {
    storage = objects_->NewStorage(StorageNbytes(input.meta), input.meta.device);
  }
  Tensor* t = objects_->NewTensor(input.meta, storage);
  t->own_requires_grad = input.requires_grad;
  t->constant = input.constant;
  input_tensors_[index] = t;
  return t;
}

// A tensor of the file, one object however often it is fetched.
Tensor* Walk::MakeAttribute(int32_t index) {
  if (attribute_tensors_[index]) return attribute_tensors_[index];
  const Attribute& attribute = root_->attributes[index];
  TensorMeta meta = MetaOf(attribute.tensor);
  const Dim nbytes = StorageNbytes(meta);
  Storage* storage = nullptr;
  if (attribute.storage_of >= 0) {
    storage = MakeAttribute(attribute.storage_of)->storage;
    storage->nbytes = Max(storage->nbytes, nbytes);
  } else {
    storage = objects_->NewStorage(nbytes, meta.device);
  }
  Tensor* t = objects_->NewTensor(std::move(meta), storage);
  t->own_requires_grad = attribute.tensor.requires_grad;
  t->constant = attribute.elements;
  return attribute_tensors_[index] = t;
}

Value Walk::RunOperator(Frame& frame, const Node& node, const ResolvedNode& resolved) {
  if (resolved.error) throw *resolved.error;
  std::vector<const Value*> arguments;
  Evaluate(frame, resolved, arguments);
  return ServeAndApply(frame, node, *resolved.schema, resolved.rule, resolved.grad, arguments);
}

Value Walk::ServeAndApply(const Frame& frame, const Node& node, const Schema& schema, const ServedRule* rule,
    const GradRule& grad, std::vector<const Value*>& arguments) {
  if (batched_.Among(arguments)) {
    return batched_.Call(schema, arguments, [&](std::span<const Value* const> given) {
      std::vector<const Value*> plain(given.begin(), given.end());
      return ServePlain(frame, node, schema, rule, grad, plain);
    });
  }
  return ServePlain(frame, node, schema, rule, grad, arguments);
}

Value Walk::ServePlain(const Frame& frame, const Node& node, const Schema& schema, const ServedRule* rule,
    const GradRule& grad, std::vector<const Value*>& arguments) {
  effects_.Clear();
  Serve(frame, node, schema, rule, arguments);
  Value result = ApplyEffects(effects_, schema, arguments, grad, AutogradState(), *objects_);
  PassConstant(schema, arguments, result);
  return result;
}

// The order of service: a rule of the user's, ours, else LibTorch.
void Walk::Serve(const Frame& frame, const Node& node, const Schema& schema, const ServedRule* rule,
    std::vector<const Value*>& arguments) {
  if (const OpRule* given = options_.op_rules ? options_.op_rules->Find(schema) : nullptr)
    return ServeByOpRule(frame, node, *given, arguments);
  if (options_.server && options_.server->Knows(schema.full_name)) {
    Call call(schema, arguments, state_, CommonDevice(schema, arguments, Devices::kAny), effects_);
    return options_.server->Run(call);
  }
  if (IsAutocastOn(state_)) {
    const bool listed = CastArguments(schema, AutogradState(), arguments, *objects_, scratch_);
    if (!listed && MayHaveListedParts(schema, state_)) return ServeByParts(schema, rule, arguments);
  }
  if (!rule) return ServeByTail(schema, arguments);
  const Device device = CommonDevice(schema, arguments, rule->devices);
  Call call(schema, arguments, state_, device, effects_);
  if (options_.crossref && FindSymbols(arguments).empty()) return ServeAndCompare(frame, node, *rule, call);
  RunRule(*rule, call);
}

void Walk::ServeByParts(const Schema& schema, const ServedRule* rule, std::vector<const Value*>& arguments) {
  HintTwins twins(*objects_);
  const auto numbers = rule && !FindSymbols(arguments).empty() ? twins.Of(arguments) : std::nullopt;
  if (!numbers) return ServeByTail(schema, arguments);
  ServeByTail(schema, *numbers);
  const Effects by_parts = std::move(effects_);
  const auto run_rule = [&] {
    effects_.Clear();
    Call call(schema, arguments, state_, CommonDevice(schema, arguments, rule->devices), effects_);
    RunRule(*rule, call);
  };
  try {
    run_rule();
  } catch (const OpError& e) {
    if (e.error_class() != ErrorClass::kDtypeMismatch) throw;
    CastAll(AutogradState(), arguments, *objects_, scratch_);  // dtypes that only its parts see alike
    run_rule();
  }
  TakeDtypes(schema, effects_, by_parts);
}

Value Walk::CallOperator(const Schema& schema, std::span<const Value* const> arguments) {
  auto it = served_.find(&schema);
  if (it == served_.end()) {
    const ServedRule* rule = FindRule(schema);
    it = served_.emplace(&schema, std::pair(rule, FindGradRule(schema, rule))).first;
  }
  const auto& [rule, grad] = it->second;
  std::vector<const Value*> given(arguments.begin(), arguments.end());
  return ServeAndApply(*caller_.frame, *caller_.node, schema, rule, grad, given);
}

Tensor* Walk::FindAttribute(std::string_view path) {
  auto it = attributes_.find(path);
  return it == attributes_.end() ? nullptr : MakeAttribute(it->second);
}

Value Walk::RunPython(Frame& frame, const Node& node, const ResolvedNode& resolved) {
  const CallerGuard guard(*this, frame, node);
  PythonArguments arguments;
  for (const Argument& argument : node.arguments) {
    Value value = Substitute(frame, argument.value);
    if (argument.name.empty()) arguments.positional.push_back(std::move(value));
    else arguments.keywords.emplace_back(std::string(argument.name), std::move(value));
  }
  if (!resolved.module_class) return resolved.python->Run(python_, std::move(arguments));
  return RunModule(python_, *resolved.module_class, root_->modules[node.member], std::move(arguments));
}

// What the rule answers stands, whatever LibTorch says.
void Walk::ServeAndCompare(const Frame& frame, const Node& node, const ServedRule& rule, Call& call) {
  const size_t symbols = result_.shape_env->symbols().size();
  Outcome by_rule = OutcomeOf(call, [&](Call& c) { RunRule(rule, c); });
  // LibTorch has no symbols for what data decides.
  const bool is_unbacked = result_.shape_env->symbols().size() > symbols || !by_rule.effects.remembered.empty();
  if (Tail* tail = is_unbacked ? nullptr : OpenTail()) {
    const Comparison comparison = CompareWithLibTorch(*tail, rule, call, by_rule);
    AddComparison(
        comparison, frame.path,
        [&](std::string message) {
          return ReportNode(frame.graph, node, kRuleDiffers, message, {}, frame.values, inputs_);
        },
        result_.crossref);
  }
  if (by_rule.error) throw *by_rule.error;
  effects_ = std::move(by_rule.effects);
}

// Its body calls operators, whose effects are not the call's own.
void Walk::ServeByOpRule(
    const Frame& frame, const Node& node, const OpRule& rule, std::span<const Value* const> arguments) {
  if (op_rule_depth_ >= kMaxOpRuleDepth)
    Fail(ErrorClass::kValueError, "the rule of " + std::string(rule.schema().full_name) + " calls itself without end");
  const CallerGuard guard(*this, frame, node);
  Effects effects;
  Call call(rule.schema(), arguments, state_, CommonDevice(rule.schema(), arguments, Devices::kAny), effects);
  struct Entered {
    int& depth;
    ~Entered() { --depth; }
  } const entered{++op_rule_depth_};
  rule.Run(python_, call);
  effects_ = std::move(effects);
}

Tail* Walk::OpenTail() {
  if (!tail_opened_) {
    tail_opened_ = true;
    tail_reason_ = "no LibTorch plug-in was given";
    if (options_.open_tail) tail_ = options_.open_tail(tail_reason_);
  }
  return tail_;
}

void Walk::ServeByTail(const Schema& schema, std::span<const Value* const> arguments) {
  if (const std::string symbol = FindSymbols(arguments); !symbol.empty())
    Fail(ErrorClass::kUnsupportedOperator, std::string(schema.full_name) +
                                               " has no rule here, and LibTorch's kernels take no "
                                               "symbols such as `" +
                                               symbol + "`: concrete shapes in the input spec avoid them");
  if (!OpenTail()) {
    Fail(ErrorClass::kUnsupportedOperator, std::string(schema.full_name) +
                                               " has no rule here, and LibTorch, which may serve it, "
                                               "could not be opened: " +
                                               tail_reason_);
  }
  Call call(schema, arguments, state_, CommonDevice(schema, arguments, Devices::kAny), effects_);
  tail_->Run(call);
}

// What higher-order operators of one node run on.
class Walk::GraphCaller : public HigherOrderHost {
 public:
  GraphCaller(Walk& walk, Frame& frame, const Node& node) : walk_(walk), frame_(frame), node_(node) {}

  Value RunSubgraph(const Subgraph& subgraph, std::span<const Value> arguments) override {
    return walk_.RunSubgraph(frame_, node_, subgraph, arguments);
  }
  OperatorHost& operators() override { return walk_; }
  bool& below_autograd() override { return walk_.below_autograd_; }
  Batched& batched() override { return walk_.batched_; }
  std::shared_ptr<void>& Memory(const Subgraph& subgraph) override { return walk_.memories_[subgraph.graph.get()]; }

 private:
  Walk& walk_;
  Frame& frame_;
  const Node& node_;
};

Value Walk::RunHigherOrder(Frame& frame, const Node& node, const ResolvedNode& resolved) {
  const CallerGuard guard(*this, frame, node);
  // Copies: the nodes of a subgraph use scratch_ for themselves.
  std::vector<Value> arguments;
  for (const ArgumentSource& source : resolved.arguments)
    arguments.push_back(source.node >= 0 ? frame.values[source.node] : Substitute(frame, *source.written));
  GraphCaller host(*this, frame, node);
  HigherOrderCall call(host, frame.graph, node, arguments);
  return resolved.higher_order(call);
}

bool Walk::IsKept(const Subgraph& subgraph, std::span<const Value> arguments) {
  // A body of TorchScript runs for each trip of its loop, each time with another number.
  if (subgraph.graph->kind == kTorchScriptKind) return kept_[subgraph.graph.get()].insert(std::string()).second;
  return kept_[subgraph.graph.get()].insert(Fingerprint(arguments, state_, below_autograd_, Seen::kMetadata)).second;
}

Value Walk::RunSubgraph(Frame& frame, const Node& node, const Subgraph& subgraph, std::span<const Value> arguments) {
  const bool is_first = !kept_.contains(subgraph.graph.get());
  Frame inner{*subgraph.graph, Resolved(*subgraph.graph), {}, {}, kNotKept, arguments, {}, {}};
  inner.path = frame.path.empty() ? subgraph.name : frame.path + "." + subgraph.name;
  if (!is_first) inner.call = frame.call.empty() ? node.name : frame.call + "." + node.name;
  if (IsKept(subgraph, arguments)) {
    inner.annotations = result_.graphs.size();
    result_.graphs.push_back({inner.path, {}, inner.call});
  }
  if (!is_first) CountRepeated(inner);
  const size_t errors = result_.diagnostics.size();
  const Position position = position_;
  const GraphPlace place = result_.shape_env->place();
  std::optional<Value> output = RunGraph(inner);
  position_ = position;
  result_.shape_env->SetPlace(place);
  if (result_.diagnostics.size() > errors) {
    const int32_t caller = static_cast<int32_t>(&node - frame.graph.nodes.data());
    for (const auto& [tensor, cause] : inner.poisoned) frame.poisoned.emplace(tensor, caller);
    throw InnerFailure{static_cast<int>(errors)};
  }
  if (inner.next_input < arguments.size())
    Fail(ErrorClass::kTypeError, "the subgraph `" + subgraph.name + "` takes " + std::to_string(inner.next_input) +
                                     " inputs but is given " + std::to_string(arguments.size()));
  return output ? std::move(*output) : Value();
}

// Graphs that call each other several times, many levels deep, run longer than anybody waits.
void Walk::CountRepeated(const Frame& frame) {
  repeated_nodes_ += frame.graph.nodes.size();
  if (repeated_nodes_ > kMaxRepeatedNodes)
    Fail(ErrorClass::kOverflow,
        "subgraphs run again and again: more than " + std::to_string(kMaxRepeatedNodes) + " nodes in repeated runs");
}

const WalkState& Walk::AutogradState() {
  if (!below_autograd_) return state_;
  below_state_ = state_;
  below_state_.grad_enabled = false;
  return below_state_;
}

void Walk::Evaluate(const Frame& frame, const ResolvedNode& resolved, std::vector<const Value*>& arguments) {
  arguments.reserve(resolved.arguments.size());
  for (const ArgumentSource& source : resolved.arguments) {
    if (source.node >= 0) {
      arguments.push_back(&frame.values[source.node]);
    } else if (source.has_nodes) {
      scratch_.push_back(Substitute(frame, *source.written));
      arguments.push_back(&scratch_.back());
    } else {
      arguments.push_back(source.written);
    }
  }
}

Value Walk::Substitute(const Frame& frame, const Value& written) {
  return MapValues(written, [&](const Value& inner) -> Value {
    if (const NodeRef* ref = inner.TryGet<NodeRef>()) return frame.values[ref->index];
    const Opaque* opaque = inner.TryGet<Opaque>();
    if (!opaque || opaque->class_name != kInlineSize) return inner;
    if (!inline_sizes_) inline_sizes_.emplace(*root_, inputs_, *result_.shape_env);
    return inline_sizes_->Of(opaque->name);
  });
}

int32_t Walk::FailedDependency(const Frame& frame, int32_t index) const {
  if (result_.diagnostics.empty()) return -1;
  int32_t cause = -1;
  auto add = [&](int32_t other) { cause = cause >= 0 ? cause : other; };
  auto add_tensor = [&](const Tensor& t) { add(PoisonedBy(frame, &t)); };
  const bool reads_items = ReadsItems(frame.graph, index, frame.resolved[index]);
  for (const Argument& argument : frame.graph.nodes[index].arguments)
    ForEachNode(argument.value, [&](NodeRef ref) {
      add(frame.failed_by[ref.index]);
      const Value& value = frame.values[ref.index];
      if (reads_items || value.TryTensor()) ForEachTensor(value, add_tensor);
    });
  return cause;
}

int32_t Walk::PoisonedBy(const Frame& frame, const Tensor* tensor) const {
  const auto it = frame.poisoned.find(tensor);
  return it == frame.poisoned.end() ? -1 : it->second;
}

void Walk::Skip(Frame& frame, int32_t index, int32_t cause) {
  frame.failed_by[index] = cause;
  Annotate(
      frame, index, {NodeAnnotation::Kind::kSkipped, &frame.graph.nodes[index], {}, -1, &frame.graph.nodes[cause], {}});
}

void Walk::Annotate(Frame& frame, int32_t, NodeAnnotation annotation) {
  if (frame.annotations != kNotKept) result_.graphs[frame.annotations].nodes.push_back(std::move(annotation));
}

void Walk::FailNode(Frame& frame, int32_t index, ErrorClass error_class, const std::string& message,
    std::span<const Tensor* const> operands) {
  const Node& node = frame.graph.nodes[index];
  result_.diagnostics.push_back(
      ReportNode(frame.graph, node, CodeOf(error_class), message, operands, frame.values, inputs_));
  result_.diagnostics.back().file = root_->source;
  frame.failed_by[index] = index;
  Annotate(frame, index,
      {NodeAnnotation::Kind::kError, &node, {}, static_cast<int>(result_.diagnostics.size()) - 1, nullptr, {}});
}

// What a failed node was to change is unknown from there on.
void Walk::Poison(Frame& frame, int32_t index) {
  const ResolvedNode& resolved = frame.resolved[index];
  if (!resolved.schema) return;
  auto poison = [&](const Tensor& t) { frame.poisoned.emplace(&t, frame.failed_by[index]); };
  for (size_t i = 0; i < resolved.arguments.size() && i < resolved.schema->arguments.size(); ++i)
    if (resolved.schema->arguments[i].is_write)
      ForEachNode(*resolved.arguments[i].written, [&](NodeRef ref) { ForEachTensor(frame.values[ref.index], poison); });
}

const std::vector<ResolvedNode>& Walk::Resolved(const Graph& graph) {
  auto& resolved = resolved_->by_graph;
  auto it = resolved.find(&graph);
  if (it == resolved.end()) it = resolved.emplace(&graph, ResolveNodes(graph, *root_)).first;
  return it->second;
}

std::shared_ptr<ResolvedGraphs> NewResolvedGraphs() { return std::make_shared<ResolvedGraphs>(); }

Annotations Propagate(const Graph& graph, const std::vector<InputValue>& inputs, const PropagateOptions& options) {
  return Walk(inputs, options).Run(graph);
}

}  // namespace fakeprop
