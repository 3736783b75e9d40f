#include "lib/higher_order/invoke_subgraph.h"

#include <algorithm>
#include <array>
#include <map>

#include "lib/higher_order/higher_order_autograd.h"
#include "lib/higher_order/higher_order_tables.h"
#include "lib/meta/value_visit.h"

namespace fakeprop {
namespace {

std::string MetaText(const Tensor& t) {
  return ToString(t.meta) + ToString(t.meta.stride_span()) + "+" + t.meta.storage_offset.ToString() +
         (t.meta.is_conj ? " conj" : "") + (t.meta.is_neg ? " neg" : "") + " " + ToString(Value(t.meta.layout));
}

template <typename T>
size_t IndexOf(const std::vector<T>& items, const T& item) {
  return std::find(items.begin(), items.end(), item) - items.begin();
}

void AddAutocast(const ExecutionState::Autocast& autocast, std::string& out) {
  if (autocast.enabled) out += ToString(Value(autocast.dtype));
  out += ';';
}

}  // namespace

std::string Fingerprint(std::span<const Value> arguments, const ExecutionState& state, bool below_autograd, Seen seen) {
  const bool follows = state.grad_enabled && !below_autograd;
  std::string out = follows ? "grad;" : below_autograd ? "below;" : "no grad;";
  AddAutocast(state.cpu_autocast, out);
  AddAutocast(state.cuda_autocast, out);
  std::vector<const Tensor*> tensors;
  std::vector<const Storage*> storages;
  auto add_hidden = [&](const Tensor& t) {
    out += std::string(t.is_leaf ? " leaf" : "") + (t.base ? " view" : "") + " is " +
           std::to_string(IndexOf(tensors, &t)) + " on " + std::to_string(IndexOf<const Storage*>(storages, t.storage));
    if (const auto* known = t.KnownValue())
      for (const Value& element : *known) out += "," + ToString(element);
    tensors.push_back(&t);
    storages.push_back(t.storage);
  };
  auto add = [&](const Value& value) {
    if (const Tensor* t = value.TryTensor()) {
      out += MetaText(*t);
      if (t->RequiresGrad() && (follows || seen == Seen::kEverything)) out += " grad";
      if (seen == Seen::kEverything) add_hidden(*t);
    } else if (const List* list = value.TryList()) {
      out += std::to_string(list->items.size());
    } else {
      out += std::to_string(value.variant().index()) + ":" + ToString(value);
    }
    out += ";";
  };
  for (const Value& argument : arguments) ForEachValue(argument, add);
  return out;
}

RememberedRun::RememberedRun(std::span<const Value> arguments) : given_(arguments.begin(), arguments.end()) {
  for (Tensor* t : TensorsOf(arguments)) arguments_.push_back({t, t->storage, t->storage->version, MetaText(*t)});
}

void RememberedRun::Finish(const Value& results, ObjectTable& objects) {
  can_repeat_ = std::all_of(arguments_.begin(), arguments_.end(), [](const Before& before) {
    return before.tensor->storage == before.storage && before.storage->version == before.version &&
           MetaText(*before.tensor) == before.meta;
  });
  // Known elements may come from anywhere; views of what the run itself made have bases that a repetition would need.
  for (const Tensor* t : TensorsOf(results))
    if (t->constant || t->base) can_repeat_ = false;
  // A copy: the results themselves may be changed later.
  results_ = results;
  if (can_repeat_) results_ = Repeat(given_, objects);
}

Value RememberedRun::Repeat(std::span<const Value> arguments, ObjectTable& objects) const {
  const std::vector<Tensor*> given = TensorsOf(arguments);
  std::map<const Storage*, Storage*> storages;
  std::map<const Tensor*, Tensor*> tensors;
  for (size_t i = 0; i < arguments_.size(); ++i) {
    storages.emplace(arguments_[i].storage, given[i]->storage);
    tensors.emplace(arguments_[i].tensor, given[i]);
  }
  return MapTensors(results_, [&](const Tensor& t) {
    Tensor*& made = tensors[&t];
    if (made) return made;
    Storage*& storage = storages[t.storage];
    if (!storage) storage = objects.NewStorage(t.storage->nbytes, t.storage->device);
    made = objects.NewTensor(t.meta, storage);
    made->own_requires_grad = t.own_requires_grad;
    made->is_leaf = t.is_leaf;
    return made;
  });
}

namespace {

using Remembered = std::map<std::string, RememberedRun>;

// invoke_subgraph(graph, identifier, *operands): run once for arguments of equal metadata.
Value RunInvokeSubgraph(HigherOrderCall& call) {
  const Subgraph& graph = call.GraphAt(0);
  const std::span<const Value> operands = call.From(2);
  AutogradRegion region(call, Autograd::kFunction, operands);
  std::shared_ptr<void>& memory = call.host().Memory(graph);
  if (!memory) memory = std::make_shared<Remembered>();
  // A run nested in this one may remember too: the map keeps its entries in place.
  auto& remembered = *static_cast<Remembered*>(memory.get());
  const std::string fingerprint = Fingerprint(operands, call.state(), call.host().below_autograd(), Seen::kEverything);
  if (auto it = remembered.find(fingerprint); it != remembered.end() && it->second.can_repeat())
    return region.Finish(it->second.Repeat(operands, call.objects()));
  RememberedRun run(operands);
  Value results = call.Run(graph, operands);
  run.Finish(results, call.objects());
  remembered.insert_or_assign(fingerprint, run);
  return region.Finish(std::move(results));
}

constexpr HigherOrderRow kRows[] = {{"invoke_subgraph", RunInvokeSubgraph}};

}  // namespace

std::span<const HigherOrderRow> InvokeSubgraphRows() { return kRows; }

}  // namespace fakeprop
