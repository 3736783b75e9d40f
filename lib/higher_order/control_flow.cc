// Conditions, loops and scans. Source: the fake implementations in torch/_higher_order_ops/cond.py, while_loop.py,
// scan.py, associative_scan.py and map.py (torch 2.13).
#include <array>

#include "lib/graph/unbacked_bindings.h"
#include "lib/higher_order/higher_order_autograd.h"
#include "lib/higher_order/higher_order_tables.h"
#include "lib/higher_order/merge_branches.h"
#include "lib/meta/value_visit.h"
#include "lib/rules/support/data_dependent_results.h"
#include "lib/symbolic/shape_env.h"

namespace fakeprop {
namespace {

using Values = std::vector<Value>;

Values Join(std::initializer_list<std::span<const Value>> parts) {
  Values all;
  for (std::span<const Value> part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

std::string Quoted(const Subgraph& graph) { return "`" + graph.name + "`"; }

Values ResultsOf(const HigherOrderCall& call, const Subgraph& graph, Value result) {
  if (List* list = result.TryGet<List>()) return std::move(list->items);
  Fail(ErrorClass::kTypeError,
      Quoted(graph) + " of " + call.Name() + " has to return a tuple but returns " + ToString(result));
}

// What Python asks of a condition: bool(x) of a tensor with one element, as the kernels have it.
void CheckPredicate(const HigherOrderCall& call, const std::string& what, const Value& predicate) {
  const Tensor* t = predicate.TryTensor();
  if (!t && predicate.IsNumber()) return;
  if (!t || !Expect(Eq(Numel(t->meta.size_span()), 1)))
    Fail(ErrorClass::kValueError, "the " + what + " of " + call.Name() +
                                      " has to be a number or a tensor with one element, not " + ToString(predicate));
}

// cond(predicate, true_graph, false_graph, operands)
Value RunCond(HigherOrderCall& call) {
  CheckPredicate(call, "predicate", call.At(0, "a predicate"));
  const Subgraph &on_true = call.GraphAt(1), &on_false = call.GraphAt(2);
  const Values operands = call.ItemsAt(3, "the operands");
  AutogradRegion region(call, Autograd::kFunction, call.Positional());
  const Value a = call.Run(on_true, operands);
  const Value b = call.Run(on_false, operands);
  return region.Finish(MergeBranches(
      call.Name(), {on_true.name, a, on_true.graph.get()}, {on_false.name, b, on_false.graph.get()}, call.objects()));
}

// switch(index, branches, operands). Source: switch_fake_tensor_mode in torch/_higher_order_ops/switch.py (torch 2.15).
Value RunSwitch(HigherOrderCall& call) {
  CheckPredicate(call, "index", call.At(0, "an index"));
  const Values branches = call.ItemsAt(1, "the branches"), operands = call.ItemsAt(2, "the operands");
  if (branches.empty()) Fail(ErrorClass::kValueError, call.Name() + " has to have a branch");
  AutogradRegion region(call, Autograd::kFunction, call.Positional());
  const Subgraph& first = call.AsGraph(branches[0]);
  Value merged = call.Run(first, operands);
  for (const Value& branch : std::span(branches).subspan(1)) {
    const Subgraph& next = call.AsGraph(branch);
    const Value result = call.Run(next, operands);
    merged = MergeBranches(
        call.Name(), {first.name, merged, first.graph.get()}, {next.name, result, next.graph.get()}, call.objects());
  }
  return region.Finish(merged);
}

// What the condition of a loop gives.
void CheckLoopCondition(const HigherOrderCall& call, const Subgraph& graph, const Value& result) {
  if (result.Is<bool>() || result.IsSymbolicBool()) return;
  const Tensor* t = result.TryTensor();
  if (!t || t->meta.rank() != 0 || t->meta.dtype != ScalarType::Bool)
    Fail(ErrorClass::kTypeError, Quoted(graph) + " of " + call.Name() +
                                     " has to return a bool or a 0-dim bool tensor but returns " + ToString(result));
}

// ---- what a loop changes is known in no round, and after the last one neither.
// Source: _unspecialize_carried_inputs in torch/_higher_order_ops/while_loop.py (torch 2.13).

// An integer is a symbol inside of the loop, which the file may have called something, and another one after it.
void ForgetCarriedNumbers(const Graph& body, Values& carried) {
  if (!rules::MakesUnbacked()) return;
  const RecordedNames names(body);
  size_t input = 0;
  for (size_t i = 0; i < body.nodes.size() && input < carried.size(); ++i) {
    if (body.nodes[i].op != NodeOp::kPlaceholder) continue;
    Value& value = carried[input++];
    if (value.Is<Dim>())
      value = Dim::Of(ShapeEnv::Current()->NewUnbacked(SymType::kInt, {}, names.Of(static_cast<int32_t>(i))));
  }
}

void ForgetNumbers(Values& results) {
  for (Value& result : results)
    if (result.Is<Dim>() && rules::MakesUnbacked()) result = rules::UnbackedInteger();
}

// For as long as it lives, nothing is known of the data of these tensors, nor remembered of what was asked of it.
class ForgottenData {
 public:
  explicit ForgottenData(const Values& values) {
    for (Tensor* t : TensorsOf(values)) kept_.push_back({t, std::move(t->constant), std::move(t->memos)});
  }
  ~ForgottenData() {
    // A tensor that is carried twice had nothing left the second time.
    for (size_t i = kept_.size(); i-- > 0;) {
      kept_[i].tensor->constant = std::move(kept_[i].constant);
      kept_[i].tensor->memos = std::move(kept_[i].memos);
    }
  }
  ForgottenData(const ForgottenData&) = delete;
  ForgottenData& operator=(const ForgottenData&) = delete;

 private:
  struct Kept {
    Tensor* tensor;
    Constant constant;
    std::shared_ptr<Memos> memos;
  };
  std::vector<Kept> kept_;
};

// The last round's data are others than those of the one that was looked at.
void ForgetData(HigherOrderCall& call, Values& results) {
  for (Value& result : results) {
    const Tensor* t = result.TryTensor();
    if (!t || (!t->constant && !t->memos)) continue;
    Tensor* unknown = call.objects().NewTensor(t->meta, t->storage);
    *unknown = *t;
    unknown->constant = nullptr;
    unknown->memos = nullptr;
    unknown->snapshot = nullptr;
    result = unknown;
  }
}

void RefuseCarriedNumbers(const HigherOrderCall& call, const Values& results) {
  for (size_t i = 0; i < results.size(); ++i)
    if (results[i].IsNumber() && !(rules::MakesUnbacked() && results[i].Is<Dim>()))
      Fail(ErrorClass::kDataDependentOutput, "the number that " + call.Name() + " returns as output " +
                                                 std::to_string(i) + " depends on how often its body runs");
}

// One round of the loop: what its body returns.
Values RunLoopOnce(HigherOrderCall& call, const Values& carried, const Values& additional) {
  const Subgraph &condition = call.GraphAt(0), &body = call.GraphAt(1);
  const Values arguments = Join({carried, additional});
  const ForgottenData forgotten(carried);
  CheckLoopCondition(call, condition, call.Run(condition, arguments));
  Value result = call.Run(body, arguments);
  const Value given = Tuple(carried);
  CheckCarried(call.Name() + " carries", {"given", given}, {body.name, result, body.graph.get()});
  return ResultsOf(call, body, std::move(result));
}

// The results of all rounds, one after another in a new dimension: contiguous, as torch.stack makes them.
Value Stack(HigherOrderCall& call, const Value& slice, Dim length) {
  const Tensor* t = slice.TryTensor();
  if (!t) return slice;
  Dims sizes;
  sizes.push_back(length);
  sizes.append(t->meta.sizes.begin(), t->meta.sizes.end());
  TensorMeta meta = ContiguousMeta({sizes.data(), sizes.size()}, t->meta.dtype, t->meta.device);
  const Dim nbytes = StorageNbytes(meta);
  return call.objects().NewTensor(std::move(meta), call.objects().NewStorage(nbytes, t->meta.device));
}

// How often the body of a loop runs: a symbol of at least `least`.
Dim Rounds(HigherOrderCall& call, int64_t least) {
  if (!rules::MakesUnbacked())
    Fail(ErrorClass::kDynamicOutputShape,
        call.Name() + " stacks as many results as its body runs often, which depends on data");
  return rules::UnbackedInteger(least);
}

// Autograd has the results of all rounds stacked, and a loop that it records returns the last ones: select(-1).
// Source: WhileLoopAutogradOp in while_loop.py.
Values LastOfStacked(HigherOrderCall& call, Values results) {
  if (TensorsOf(results).empty()) return results;
  const Dim rounds = Rounds(call, 1);
  for (Value& result : results) {
    const Tensor* t = result.TryTensor();
    if (!t) continue;
    TensorMeta meta = ContiguousMeta(t->meta.size_span(), t->meta.dtype, t->meta.device);
    meta.storage_offset = (rounds - 1) * Numel(meta.size_span());
    result = call.objects().NewTensor(std::move(meta), Stack(call, result, rounds).TryTensor()->storage);
  }
  return results;
}

// while_loop(condition_graph, body_graph, carried, additional)
Value RunWhileLoop(HigherOrderCall& call) {
  Values carried = call.ItemsAt(2, "the carried values");
  const Values additional = call.ItemsAt(3, "additional values");
  AutogradRegion region(call, Autograd::kFunction, call.Positional());
  ForgetCarriedNumbers(*call.GraphAt(1).graph, carried);
  Values results = RunLoopOnce(call, carried, additional);
  RefuseCarriedNumbers(call, results);
  ForgetNumbers(results);
  ForgetData(call, results);
  if (region.recorded()) results = LastOfStacked(call, results);
  return region.Finish(Tuple(std::move(results)));
}

Value RunWhileLoopStackOutput(HigherOrderCall& call) {
  const Values carried = call.ItemsAt(2, "the carried values"), additional = call.ItemsAt(3, "additional values");
  AutogradRegion region(call, Autograd::kNotImplemented, call.Positional());
  Values results = RunLoopOnce(call, carried, additional);
  const Dim rounds = Rounds(call, 0);
  for (Value& result : results) {
    if (!result.TryTensor())
      Fail(ErrorClass::kTypeError, call.Name() + " carries tensors only, not " + ToString(result));
    result = Stack(call, result, rounds);
  }
  return region.Finish(Tuple(std::move(results)));
}

// select_copy(t, 0, 0) of each.
Values FirstSlices(HigherOrderCall& call, const Values& stacked) {
  Values slices;
  for (const Value& t : stacked) {
    if (!t.TryTensor()) Fail(ErrorClass::kTypeError, call.Name() + " goes over tensors, not over " + ToString(t));
    slices.push_back(call.CallOperator("aten::select_copy.int", std::array<Value, 3>{t, 0, 0}));
  }
  return slices;
}

// How many slices there are: one number for all.
Dim CommonLength(const HigherOrderCall& call, const Values& stacked) {
  if (stacked.empty()) Fail(ErrorClass::kValueError, call.Name() + " goes over no tensor at all");
  std::vector<const Tensor*> tensors;
  for (const Value& value : stacked) {
    const Tensor* t = value.TryTensor();
    if (!t || t->meta.rank() == 0)
      Fail(ErrorClass::kShapeMismatch,
          call.Name() + " goes over the first dimension of tensors, not over " + ToString(value));
    tensors.push_back(t);
  }
  const Dim length = tensors[0]->meta.sizes[0];
  for (const Tensor* t : tensors)
    if (!Expect(Eq(t->meta.sizes[0], length)))
      Fail(ErrorClass::kShapeMismatch,
          call.Name() + " goes over first dimensions of different sizes: " + length.ToString() + " and " +
              t->meta.sizes[0].ToString(),
          {tensors[0], t});
  return length;
}

// scan(graph, init, xs, additional): the graph takes (*carried, *slices, *additional) and gives (*carried, *results).
Value RunScan(HigherOrderCall& call) {
  const Subgraph& graph = call.GraphAt(0);
  const Values init = call.ItemsAt(1, "the first carried values"), xs = call.ItemsAt(2, "what it goes over");
  const Values additional = call.ItemsAt(3, "additional values");
  AutogradRegion region(call, Autograd::kFunction, call.Positional());
  const Dim length = CommonLength(call, xs);
  const ForgottenData forgotten(init);
  Value result = call.Run(graph, Join({init, FirstSlices(call, xs), additional}));
  Values results = ResultsOf(call, graph, std::move(result));
  if (results.size() < init.size())
    Fail(ErrorClass::kMetadataMismatch, Quoted(graph) + " of scan returns " + std::to_string(results.size()) +
                                            " values but carries " + std::to_string(init.size()));
  const Value given = Tuple(init), carried = Tuple(Values(results.begin(), results.begin() + init.size()));
  CheckCarried("scan carries", {"given", given}, {graph.name, carried, graph.graph.get()});
  ForgetData(call, results);
  for (size_t i = init.size(); i < results.size(); ++i) results[i] = Stack(call, results[i], length);
  return region.Finish(Tuple(std::move(results)));
}

// associative_scan(graph, xs, additional): the graph takes two slices of each and gives one.
Value RunAssociativeScan(HigherOrderCall& call) {
  const Subgraph& graph = call.GraphAt(0);
  const Values xs = call.ItemsAt(1, "what it goes over"), additional = call.ItemsAt(2, "additional values");
  AutogradRegion region(call, Autograd::kFunction, call.Positional());
  if (region.recorded() && !additional.empty())
    Fail(ErrorClass::kAutogradError,
        "associative_scan does not support gradients where its graph takes additional values");
  const Dim length = CommonLength(call, xs);
  if (GuardOrTrue(Gt(length, 0))) {
    const Values slices = FirstSlices(call, xs);
    const Value result = call.Run(graph, Join({slices, FirstSlices(call, xs), additional}));
    const Value given = Tuple(slices);
    CheckCarried("associative_scan combines", {"given", given}, {graph.name, result, graph.graph.get()});
  }
  Values results;
  for (const Value& x : xs) results.push_back(call.CallOperator("aten::clone", std::array<Value, 1>{x}));
  return region.Finish(Tuple(std::move(results)));
}

// map_impl(graph, xs, additional)
Value RunMap(HigherOrderCall& call) {
  const Subgraph& graph = call.GraphAt(0);
  const Values xs = call.ItemsAt(1, "what it goes over"), additional = call.ItemsAt(2, "additional values");
  AutogradRegion region(call, Autograd::kFunction, call.Positional());
  const Dim length = CommonLength(call, xs);
  const Value slices = call.Run(graph, Join({FirstSlices(call, xs), additional}));
  return region.Finish(MapValues(slices, [&](const Value& slice) { return Stack(call, slice, length); }));
}

constexpr HigherOrderRow kRows[] = {
    {"associative_scan", RunAssociativeScan},
    {"cond", RunCond},
    {"switch", RunSwitch},
    {"map_impl", RunMap},
    {"scan", RunScan},
    {"while_loop", RunWhileLoop},
    {"while_loop_stack_output", RunWhileLoopStackOutput},
};

}  // namespace

std::span<const HigherOrderRow> ControlFlowRows() { return kRows; }

}  // namespace fakeprop
