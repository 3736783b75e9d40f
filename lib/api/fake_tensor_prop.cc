#include "fakeprop/fake_tensor_prop.h"

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include <unordered_map>

#include "lib/api/run_setup.h"
#include "lib/diag/code_table.h"
#include "lib/dispatch/fake_tensor.h"
#include "lib/dispatch/for_each_tensor.h"
#include "lib/dispatch/ivalues.h"
#include "lib/dispatch/layout_tensors.h"
#include "lib/dispatch/sym_ints.h"
#include "lib/dispatch/tensor_elements.h"
#include "lib/dispatch/torch_types.h"
#include "lib/fake/constants.h"
#include "lib/fake/serve.h"
#include "lib/fake/sym_nodes.h"
#include "lib/fake/throw_for.h"
#include "lib/interpreter/fake_inputs.h"
#include "lib/meta/value_visit.h"
#include "lib/rules/support/sparse_results.h"

namespace fakeprop {
namespace {

using api::Access;
using Storages = std::map<const Storage*, c10::Storage>;

bool IsPlaceholder(const Node& node) { return node.op == NodeOp::kPlaceholder; }

std::vector<const Node*> Placeholders(const Graph& graph) {
  std::vector<const Node*> placeholders;
  for (const Node& node : graph.nodes)
    if (IsPlaceholder(node)) placeholders.push_back(&node);
  return placeholders;
}

SparseInput SparseInputOf(const at::Tensor& fake) {
  const dispatch::PartsInside parts = dispatch::PartsOf(fake);
  SparseInput sparse{.is_coalesced = parts.is_coalesced};
  if (!parts.values) return sparse;
  const Dims values = dispatch::ReadMeta(*parts.values).sizes;
  const auto batch = static_cast<size_t>(parts.plain ? parts.indices->dim() - 1 : 0);
  sparse.nnz = values[batch];
  sparse.index_dtype = FromTorch(parts.indices->scalar_type());
  if (rules::IsInBlocks(FromTorch(fake.layout()))) sparse.block = {values[batch + 1], values[batch + 2]};
  sparse.dense_dim = static_cast<int64_t>(values.size() - batch - 1 - sparse.block.size());
  return sparse;
}

InputValue TensorInput(const at::Tensor& fake) {
  InputValue input;
  input.is_tensor = true;
  input.meta = dispatch::IsStrided(fake) ? dispatch::ReadMeta(fake) : dispatch::ReadLayoutMeta(fake);
  input.sparse = SparseInputOf(fake);
  input.requires_grad = fake.requires_grad();
  if (const at::Tensor known = fake::KnownValue(fake); known.defined()) {
    const fake::RealScope real;
    input.constant = dispatch::ReadElements(known);
  }
  return input;
}

InputValue OtherInput(const c10::IValue& given) {
  InputValue input;
  input.value = dispatch::ToValue(given, Type(), [](const at::Tensor&) -> Value {
    throw c10::ValueError("lists of tensors are given one tensor for each placeholder");
  });
  return input;
}

// Where a run's symbols are: in the mode's ShapeEnv. Without one, what data decides is an error, as it is of operators
// on the mode's fakes.
std::shared_ptr<ShapeEnv> SymbolsOf(const FakeTensorMode& mode) {
  if (const auto& env = fake::StateOf(mode)->options().shape_env) return env;
  auto none = NewShapeEnv();
  none->SetMakesUnbacked(false);
  return none;
}

[[noreturn]] void ThrowFirst(const Diagnostic& error) {
  for (const ErrorClass kind : {ErrorClass::kDeviceMismatch, ErrorClass::kDynamicOutputShape,
           ErrorClass::kDataDependentOutput, ErrorClass::kDataDependentGuard, ErrorClass::kUnsupportedOperator})
    if (error.code.id == CodeOf(kind).id) fake::ThrowFor(error.node, OpError(kind, error.message));
  throw FakeTensorError(error.node, error.message);
}

// Values of a run as boxed values.
class Boxes {
 public:
  // Adds the storages that it makes to `storages`.
  Boxes(const FakeTensorMode& mode, Storages& storages) : below_(*fake::StateOf(mode)), storages_(storages) {}

  c10::IValue Box(const Value& value) {
    if (Tensor* t = value.TryTensor()) return BoxTensor(*t);
    if (const List* list = value.TryList()) return BoxList(*list);
    if (auto symbol = dispatch::BoxSymbol(value)) return *symbol;
    if (value.IsNumber()) return dispatch::ToScalar(value);
    if (auto text = value.TryGet<std::string>()) return *text;
    if (auto device = value.TryGet<Device>()) return ToTorch(*device);
    return {};
  }

  // The same of a graph's input, which has known elements and a place in autograd.
  c10::IValue BoxInput(const Value& value) {
    if (!value.TryTensor() && !value.IsNone() && AnyTensor(value, [](const Tensor&) { return true; }))
      throw c10::ValueError("an input that is a list or dictionary of tensors cannot be made");
    const Tensor* t = value.TryTensor();
    if (!t) return Box(value);
    at::Tensor fake = BoxTensor(*t);
    if (t->constant) below_.host().RememberConstant(fake, t->constant);
    return t->RequiresGrad() ? fake.requires_grad_() : fake;
  }

 private:
  at::Tensor BoxTensor(const Tensor& t) {
    if (t.parts) return BoxSparse(t.meta, *t.parts);
    auto [it, is_new] = storages_.try_emplace(t.storage);
    if (is_new) it->second = dispatch::MakeFakeStorage(t.storage->nbytes, ToTorch(t.meta.device));
    const bool is_strided = t.meta.layout == Layout::Strided;
    return is_strided ? dispatch::MakeFakeTensor(t.meta, it->second) : dispatch::MakeFakeOpaque(t.meta, it->second);
  }

  at::Tensor BoxSparse(const TensorMeta& meta, const SparseParts& parts) {
    return dispatch::MakeFakeSparse(meta, {.values = BoxTensor(*parts.values),
                                              .indices = BoxTensor(*parts.indices),
                                              .plain = parts.plain ? BoxTensor(*parts.plain) : at::Tensor(),
                                              .is_coalesced = parts.is_coalesced});
  }

  c10::IValue BoxList(const List& list) {
    std::vector<c10::IValue> items;
    bool of_tensors = !list.is_tuple;
    for (const Value& item : list.items) {
      items.push_back(Box(item));
      of_tensors &= items.back().isTensor();
    }
    if (!of_tensors) return c10::ivalue::Tuple::create(std::move(items));
    c10::List<at::Tensor> tensors;
    for (c10::IValue& item : items) tensors.push_back(std::move(item).toTensor());
    return tensors;
  }

  fake::BelowMode below_;
  Storages& storages_;
};

}  // namespace

// A graph on fakes of one mode, and its last run.
class FakeTensorProp::Runner {
 public:
  Runner(LoadedGraph graph, FakeTensorMode mode, PropagateOptions options)
      : state_(Access::StateOf(graph)),
        mode_(std::move(mode)),
        options_(std::move(options)),
        shape_env_(SymbolsOf(mode_)) {
    api::KeepWith(shape_env_, state_);
  }

  std::vector<c10::IValue> MakeInputs(const Inputs& inputs) const {
    const api::InputState& given = *Access::StateOf(inputs);
    CheckInputs(given);
    const std::lock_guard lock(fake::SymbolsMutex());
    ObjectTable objects;
    FakeInputs made(state_->graph, given.values, objects, *given.shape_env);
    Storages storages;
    Boxes boxes(mode_, storages);
    std::vector<Value> values;  // all before the first is boxed, since storages grow
    for (size_t i = 0; i < graph().inputs.size(); ++i) values.push_back(made.InputAt(i));
    std::vector<c10::IValue> boxed;
    for (const Value& value : values) boxed.push_back(boxes.BoxInput(value));
    return boxed;
  }

  c10::IValue Convert(const c10::IValue& input) const {
    return dispatch::MapTensors(input, [&](const at::Tensor& t) { return mode_.FromRealTensor(t); });
  }

  c10::IValue Run(c10::ArrayRef<c10::IValue> inputs) {
    const std::lock_guard lock(fake::SymbolsMutex());
    const std::vector<InputValue> values = ReadInputs(inputs);
    nodes_.clear();
    run_ = std::make_shared<const api::RunState>(
        api::RunState{state_, api::RunSetup(*state_, options_, shape_env_).Run(values)});
    KeepInputStorages();
    if (!options_.keep_going && !annotations().diagnostics.empty()) ThrowFirst(annotations().diagnostics.front());
    const std::vector<NodeAnnotation>& nodes = annotations().graphs.at(0).nodes;
    const bool has_output = !nodes.empty() && nodes.back().kind == NodeAnnotation::Kind::kValue;
    return has_output ? Boxes(mode_, storages_).Box(nodes.back().value) : c10::IValue();
  }

  c10::IValue ValueOf(std::string_view node) {
    const std::vector<NodeAnnotation>& nodes = annotations().graphs.at(0).nodes;
    if (nodes_.empty())
      for (size_t i = 0; i < nodes.size(); ++i) nodes_.emplace(nodes[i].node->name, i);
    const auto at = nodes_.find(node);
    if (at == nodes_.end() || nodes[at->second].kind != NodeAnnotation::Kind::kValue)
      throw c10::ValueError("no node `" + std::string(node) + "` has a value");
    return Boxes(mode_, storages_).Box(nodes[at->second].value);
  }

  const std::shared_ptr<const api::RunState>& run() const {
    if (!run_) throw c10::ValueError("the graph has not been propagated yet");
    return run_;
  }

 private:
  const Graph& graph() const { return state_->graph; }
  const Annotations& annotations() const { return run()->annotations; }

  void CheckInputs(const api::InputState& inputs) const {
    if (inputs.graph != state_) throw c10::ValueError("the inputs are of another graph");
    const bool has_symbols = !inputs.shape_env->symbols().empty();
    if (has_symbols && inputs.shape_env != shape_env_)
      throw c10::ValueError(
          "the inputs have symbols that are not of the mode's ShapeEnv; resolve them with InputOptions::shape_env or "
          "without `symbolic`");
  }

  // What inputs are for the interpreter; keeps the tensors among them.
  std::vector<InputValue> ReadInputs(c10::ArrayRef<c10::IValue> inputs) {
    const std::vector<const Node*> placeholders = Placeholders(graph());
    if (inputs.size() != placeholders.size())
      throw c10::ValueError(
          "the graph takes " + std::to_string(placeholders.size()) + " inputs, not " + std::to_string(inputs.size()));
    const fake::BelowMode below(*fake::StateOf(mode_));
    std::vector<InputValue> values;
    inputs_.clear();
    first_inputs_.clear();
    for (size_t i = 0; i < inputs.size(); ++i) values.push_back(ReadInput(inputs[i], placeholders[i]->name));
    return values;
  }

  InputValue ReadInput(const c10::IValue& input, const std::string& name) {
    const bool is_tensor = input.isTensor() && input.toTensor().defined();
    const at::Tensor fake = is_tensor ? input.toTensor() : at::Tensor();
    if (is_tensor && fake::ModeOf(fake) != fake::StateOf(mode_).get())
      throw NotFake(name, "the input `" + name + "` is no fake of the FakeTensorMode");
    InputValue value = is_tensor ? TensorInput(fake) : OtherInput(input);
    if (is_tensor) value.view_of = FirstWithStorageOf(fake);
    value.origin = "input `" + name + "`";
    inputs_.push_back(fake);
    return value;
  }

  // The first input that has the storage of the next one. -1 if there is none, or if the layout has no storage.
  int FirstWithStorageOf(const at::Tensor& fake) {
    const c10::StorageImpl* storage = dispatch::IsStrided(fake) ? dispatch::StorageOf(fake) : nullptr;
    if (!storage) return -1;
    const auto [first, is_new] = first_inputs_.emplace(storage, static_cast<int>(inputs_.size()));
    return is_new ? -1 : first->second;
  }

  // Values that share storage with an input do so with the fake that was given.
  void KeepInputStorages() {
    storages_.clear();
    size_t next = 0;
    for (const NodeAnnotation& annotation : annotations().graphs.at(0).nodes) {
      if (!IsPlaceholder(*annotation.node)) continue;
      const at::Tensor& input = inputs_[next++];
      const Tensor* t = annotation.value.TryTensor();
      if (t && input.defined()) KeepStorages(*t, input);
    }
  }

  void KeepStorages(const Tensor& t, const at::Tensor& input) {
    if (!t.parts) return void(storages_.emplace(t.storage, dispatch::DataOf(input).storage()));
    const dispatch::PartsInside given = dispatch::PartsOf(input);
    KeepStorages(*t.parts->values, *given.values);
    KeepStorages(*t.parts->indices, *given.indices);
    if (t.parts->plain) KeepStorages(*t.parts->plain, *given.plain);
  }

  const std::shared_ptr<const api::GraphState> state_;
  const FakeTensorMode mode_;
  const PropagateOptions options_;
  const std::shared_ptr<ShapeEnv> shape_env_;
  std::vector<at::Tensor> inputs_;                                 // undefined where an input is no tensor
  std::unordered_map<const c10::StorageImpl*, int> first_inputs_;  // by storage
  std::shared_ptr<const api::RunState> run_;
  std::unordered_map<std::string_view, size_t> nodes_;  // of the graph by name, once they are asked for
  Storages storages_;                                   // of the last run's values, as they are asked for
};

FakeTensorProp::FakeTensorProp(LoadedGraph graph, FakeTensorMode mode, PropagateOptions options)
    : runner_(std::make_unique<Runner>(std::move(graph), std::move(mode), std::move(options))) {}
FakeTensorProp::FakeTensorProp(FakeTensorProp&&) noexcept = default;
FakeTensorProp::~FakeTensorProp() = default;

std::vector<c10::IValue> FakeTensorProp::MakeInputs(const Inputs& inputs) const { return runner_->MakeInputs(inputs); }

c10::IValue FakeTensorProp::Propagate(c10::ArrayRef<c10::IValue> inputs) {
  std::vector<c10::IValue> fakes;
  for (const c10::IValue& input : inputs) fakes.push_back(runner_->Convert(input));
  return runner_->Run(fakes);
}

c10::IValue FakeTensorProp::PropagateDontConvertInputs(c10::ArrayRef<c10::IValue> inputs) {
  return runner_->Run(inputs);
}

c10::IValue FakeTensorProp::ValueOf(std::string_view node) const { return runner_->ValueOf(node); }

AnnotatedGraph FakeTensorProp::annotations() const { return Access::Make<AnnotatedGraph>(runner_->run()); }

}  // namespace fakeprop
