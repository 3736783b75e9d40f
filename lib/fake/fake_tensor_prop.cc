#include "lib/fake/fake_tensor_prop.h"

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include "lib/diag/code_table.h"
#include "lib/dispatch/fake_tensor.h"
#include "lib/dispatch/for_each_tensor.h"
#include "lib/dispatch/ivalues.h"
#include "lib/dispatch/sym_ints.h"
#include "lib/dispatch/tensor_elements.h"
#include "lib/fake/constants.h"
#include "lib/fake/serve.h"
#include "lib/fake/symbols.h"

namespace fakeprop {
namespace {

bool IsPlaceholder(const Node& node) { return node.op == NodeOp::kPlaceholder; }

std::vector<const Node*> Placeholders(const Graph& graph) {
  std::vector<const Node*> placeholders;
  for (const Node& node : graph.nodes)
    if (IsPlaceholder(node)) placeholders.push_back(&node);
  return placeholders;
}

InputValue TensorInput(const at::Tensor& fake, std::span<const at::Tensor> earlier) {
  InputValue input;
  input.is_tensor = true;
  input.meta = dispatch::ReadMeta(fake);
  input.requires_grad = fake.requires_grad();
  if (const at::Tensor known = fake::KnownValue(fake); known.defined()) {
    const fake::RealScope real;
    input.constant = dispatch::ReadElements(known);
  }
  for (size_t i = 0; i < earlier.size() && input.view_of < 0; ++i)
    if (earlier[i].defined() && SharesStorage(earlier[i], fake)) input.view_of = static_cast<int>(i);
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
  if (const auto& env = mode.state()->options().shape_env) return env;
  auto none = std::make_shared<ShapeEnv>();
  none->SetMakesUnbacked(false);
  return none;
}

[[noreturn]] void ThrowFirst(const Diagnostic& error) {
  for (const ErrorClass kind : {ErrorClass::kDeviceMismatch, ErrorClass::kDynamicOutputShape,
           ErrorClass::kDataDependentOutput, ErrorClass::kDataDependentGuard, ErrorClass::kUnsupportedOperator})
    if (error.code.id == CodeOf(kind).id) ThrowFor(error.node, OpError(kind, error.message));
  throw FakeTensorError(error.node, error.message);
}

}  // namespace

// Values of a run as boxed values.
class FakeTensorProp::Values {
 public:
  explicit Values(const FakeTensorProp& prop) : below_(*prop.mode_.state()), storages_(prop.storages_) {}

  c10::IValue Box(const Value& value) {
    if (Tensor* t = value.TryTensor()) return BoxTensor(*t);
    if (const List* list = value.TryList()) return BoxList(*list);
    if (auto symbol = dispatch::BoxSymbol(value)) return *symbol;
    if (value.IsNumber()) return dispatch::ToScalar(value);
    if (auto text = value.TryGet<std::string>()) return *text;
    if (auto device = value.TryGet<Device>()) return *device;
    return {};
  }

 private:
  at::Tensor BoxTensor(const Tensor& t) {
    auto [it, is_new] = storages_.try_emplace(t.storage);
    if (is_new) it->second = dispatch::MakeFakeStorage(t.storage->nbytes, t.meta.device);
    return dispatch::MakeFakeTensor(t.meta, it->second);
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

  const fake::BelowMode below_;
  Storages& storages_;
};

FakeTensorProp::FakeTensorProp(const Graph& graph, FakeTensorMode mode, PropagateOptions options)
    : graph_(graph), mode_(std::move(mode)), options_(std::move(options)) {
  if (!options_.resolved) options_.resolved = NewResolvedGraphs();
  if (!options_.shape_env) options_.shape_env = SymbolsOf(mode_);
}

c10::IValue FakeTensorProp::Propagate(c10::ArrayRef<c10::IValue> inputs) {
  std::vector<c10::IValue> fakes;
  for (const c10::IValue& input : inputs)
    fakes.push_back(dispatch::MapTensors(input, [&](const at::Tensor& t) { return mode_.FromRealTensor(t); }));
  return PropagateDontConvertInputs(fakes);
}

std::vector<InputValue> FakeTensorProp::ReadInputs(c10::ArrayRef<c10::IValue> inputs) {
  const std::vector<const Node*> placeholders = Placeholders(graph_);
  if (inputs.size() != placeholders.size())
    throw c10::ValueError(
        "the graph takes " + std::to_string(placeholders.size()) + " inputs, not " + std::to_string(inputs.size()));
  const fake::BelowMode below(*mode_.state());
  std::vector<InputValue> values;
  inputs_.clear();
  for (size_t i = 0; i < inputs.size(); ++i) {
    const bool is_tensor = inputs[i].isTensor() && inputs[i].toTensor().defined();
    const at::Tensor fake = is_tensor ? inputs[i].toTensor() : at::Tensor();
    if (is_tensor && fake::ModeOf(fake) != mode_.state().get())
      throw NotFake(
          placeholders[i]->name, "the input `" + placeholders[i]->name + "` is no fake of the FakeTensorMode");
    values.push_back(is_tensor ? TensorInput(fake, inputs_) : OtherInput(inputs[i]));
    values.back().origin = "input `" + placeholders[i]->name + "`";
    inputs_.push_back(fake);
  }
  return values;
}

// Values that share storage with an input do so with the fake that was given.
void FakeTensorProp::KeepInputStorages() {
  storages_.clear();
  size_t next = 0;
  for (const NodeAnnotation& annotation : annotations_.graphs.at(0).nodes) {
    if (!IsPlaceholder(*annotation.node)) continue;
    const at::Tensor& input = inputs_[next++];
    const Tensor* t = annotation.value.TryTensor();
    if (t && input.defined()) storages_.emplace(t->storage, input.storage());
  }
}

c10::IValue FakeTensorProp::PropagateDontConvertInputs(c10::ArrayRef<c10::IValue> inputs) {
  const std::lock_guard lock(fake::SymbolsMutex());
  annotations_ = fakeprop::Propagate(graph_, ReadInputs(inputs), options_);
  KeepInputStorages();
  if (!options_.keep_going && !annotations_.diagnostics.empty()) ThrowFirst(annotations_.diagnostics.front());
  const NodeAnnotation& last = annotations_.graphs.at(0).nodes.back();
  return last.kind == NodeAnnotation::Kind::kValue ? Values(*this).Box(last.value) : c10::IValue();
}

c10::IValue FakeTensorProp::ValueOf(std::string_view node) const {
  if (!annotations_.graphs.empty()) {
    for (const NodeAnnotation& annotation : annotations_.graphs[0].nodes)
      if (annotation.node->name == node && annotation.kind == NodeAnnotation::Kind::kValue)
        return Values(*this).Box(annotation.value);
  }
  throw c10::ValueError("no node `" + std::string(node) + "` has a value");
}

}  // namespace fakeprop
