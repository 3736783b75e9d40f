// Functional collectives: what ranks exchange, as operators that return the result. The result can be read once
// wait_tensor has returned it; its metadata is known at once.
//
// Source: torch/csrc/distributed/c10d/Functional.cpp, torch/distributed/_functional_collectives.py (torch 2.13). Where
// the Meta functions in the latter differ, eager decides: wait_tensor and irecv return their argument, and results are
// contiguous.
#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/families.h"
#include "lib/rules/support/copy_metas.h"
#include "lib/rules/support/group_sizes.h"
#include "lib/rules/support/outputs.h"

namespace fakeprop::rules {
namespace {

using Metas = std::vector<TensorMeta>;

// ---- demands

bool IsReduction(std::string_view op) {
  for (std::string_view known : {"sum", "avg", "product", "min", "max", "band", "bor", "bxor", "unused"})
    if (op == known) return true;
  return false;
}

// Complex numbers are reduced as pairs of real ones.
void RequireReduction(const Call& call, ArgumentName name) {
  const std::string_view op = call.String(name);
  RequireValue(call, IsReduction(op), {"knows no reduction `{}`", op});
}

template <ArgumentName Input, ArgumentName Op>
Operand ReducedInput(const Call& call) {
  RequireReduction(call, Op);
  const Operand input = call.In(Input);
  const std::string_view op = call.String(Op);
  const bool fits = !IsComplex(input->dtype) || op == "sum" || op == "avg" || op == "unused";
  RequireValue(call, fits, {"takes no complex tensors for the reduction `{}`", op});
  return input;
}

Dim GroupSize(const Call& call) { return call.SizeAtLeast("group_size", 1); }

// ---- results

TensorMeta Contiguous(const TensorMeta& t) { return ContiguousMeta(t.sizes, t.dtype, t.device); }

// The ranks' tensors one after another.
TensorMeta Gathered(const TensorMeta& t, Dim ranks) {
  Dims sizes = t.sizes;
  if (sizes.empty()) sizes.push_back(ranks);
  else sizes[0] *= ranks;
  return ContiguousMeta(sizes, t.dtype, t.device);
}

// This rank's part.
TensorMeta Scattered(const Call& call, const Operand& t, Dim ranks) {
  t.RankAtLeast(1, "scatters along the first dimension, but got shape {}");
  RequireShape(call, Divides(ranks, t->sizes[0]),
      {"scatters the first dimension to {} ranks, but {} is not divisible by that", ranks, t->sizes[0]});
  Dims sizes = t->sizes;
  sizes[0] = FloorDiv(sizes[0], ranks);
  return ContiguousMeta(sizes, t->dtype, t->device);
}

template <ArgumentName Input, ArgumentName Op>
void AllReduce(Call& call) {
  call.ReturnNew(Contiguous(ReducedInput<Input, Op>(call)));
}

template <ArgumentName Input>
void Broadcast(Call& call) {
  call.ReturnNew(Contiguous(call.In(Input)));
}

template <ArgumentName Input>
void AllGather(Call& call) {
  call.ReturnNew(Gathered(call.In(Input), GroupSize(call)));
}

template <ArgumentName Op>
void ReduceScatter(Call& call) {
  const Operand input = ReducedInput<"input", Op>(call);
  call.ReturnNew(Scattered(call, input, GroupSize(call)));
}

// Each rank sends a part of its rows to each other. Without split sizes all parts are equal.
void AllToAll(Call& call) {
  const Operand input = call.In("input");
  const auto received = call.OptionalDimList("output_split_sizes");
  if (!received) return void(call.ReturnNew(Contiguous(input)));
  input.RankAtLeast(1, "exchanges rows, but got shape {}");
  Dim rows = 0;
  for (const Dim size : *received) {
    RequireValue(call, Ge(size, 0), {"takes no negative output split size, got {}", size});
    rows += size;
  }
  Dims sizes = input->sizes;
  sizes[0] = rows;
  call.ReturnNew(ContiguousMeta(sizes, input->dtype, input->device));
}

// ---- lists

template <typename MakeMeta>
void ReturnMetas(Call& call, ArgumentName inputs, const MakeMeta& make) {
  const Operands tensors = call.ListIn(inputs);
  RequireValue(call, !tensors.empty(), "takes at least one tensor");
  Metas metas;
  for (const Operand& t : tensors) metas.push_back(make(t));
  call.ReturnNewList(std::move(metas));
}

template <ArgumentName Inputs, ArgumentName Op>
void AllReduceList(Call& call) {
  RequireReduction(call, Op);
  ReturnMetas(call, Inputs, [](const Operand& t) { return Contiguous(t); });
}

template <ArgumentName Inputs>
void AllGatherList(Call& call) {
  const Dim ranks = GroupSize(call);
  ReturnMetas(call, Inputs, [&](const Operand& t) { return Gathered(t, ranks); });
}

template <ArgumentName Op>
void ReduceScatterList(Call& call) {
  RequireReduction(call, Op);
  const Dim ranks = GroupSize(call);
  ReturnMetas(call, "inputs", [&](const Operand& t) { return Scattered(call, t, ranks); });
}

// ---- into arguments

// Autograd does not see the write.
void Fill(Call& call, Tensor& t) { call.WriteUnfollowed(t); }

Output FilledOutput(Call& call, const Operand& t) {
  Fill(call, t.tensor());
  return ArgumentOutput(t.tensor());
}

void AllReduceInto(Call& call) { Return(call, FilledOutput(call, ReducedInput<"input", "reduce_op">(call))); }
void BroadcastInto(Call& call) { Return(call, FilledOutput(call, call.In("input"))); }

void AllReduceListInto(Call& call) {
  RequireReduction(call, "reduce_op");
  std::vector<Output> items;
  for (const Operand& t : call.ListIn("inputs")) items.push_back(FilledOutput(call, t));
  RequireValue(call, !items.empty(), "takes at least one tensor");
  ReturnList(call, std::move(items));
}

// The out tensor's strides are its own.
void WriteOut(Call& call, const TensorMeta& result) {
  const Operand out = call.In("out");
  out.Sizes(result.sizes, {"takes an out tensor of shape {}, but got {}", result.sizes});
  call.Write(out.tensor());
  call.ReturnArgument(out.tensor());
}

void AllGatherOut(Call& call) { WriteOut(call, Gathered(call.In("input"), GroupSize(call))); }

void ReduceScatterOut(Call& call) {
  const Operand input = ReducedInput<"input", "reduce_op">(call);
  WriteOut(call, Scattered(call, input, GroupSize(call)));
}

// ---- waiting, and single messages

// The tensor itself; to autograd a result, where it requires grad.
template <ArgumentName Name>
void Wait(Call& call) {
  Tensor& t = call.In(Name).tensor();
  if (call.state().grad_enabled && t.RequiresGrad()) ReturnFollowedAlias(call, t, t.meta);
  else call.ReturnArgument(t);
}

// The tensors themselves.
void WaitForAll(Call& call) {
  const Operands tensors = call.ListIn("tensors");
  RequireValue(call, !tensors.empty(), "waits for at least one tensor");
  std::vector<Output> items;
  for (const Operand& t : tensors) {
    const bool followed = call.state().grad_enabled && t.tensor().RequiresGrad();
    items.push_back(followed ? UntrackedViewOutput(call, t.tensor(), *t) : ArgumentOutput(t.tensor()));
  }
  ReturnList(call, std::move(items));
}

// An AsyncCollectiveTensor, which waits when it is first used; a graph sees a tensor of its own.
void Wrap(Call& call) { call.ReturnNew(EmptyLike(call.In("input"))); }

TensorMeta NothingOf(const TensorMeta& t) { return ContiguousMeta(Dims{0}, t.dtype, t.device); }

template <ArgumentName Name>
void Send(Call& call) {
  call.ReturnNew(NothingOf(call.In(Name)));
}

template <ArgumentName Name>
void Receive(Call& call) {
  Return(call, FilledOutput(call, call.In(Name)));
}

std::vector<std::string_view> Names(const Call& call, ArgumentName name) {
  std::vector<std::string_view> names;
  if (const List* list = call.Arg(name).TryList())
    for (const Value& item : list->items)
      if (const std::string* text = item.TryGet<std::string>()) names.push_back(*text);
  return names;
}

void PointToPoint(Call& call) {
  const std::vector<std::string_view> ops = Names(call, "op_list");
  const Operands tensors = call.ListIn("tensors");
  RequireValue(call, ops.size() == tensors.size(),
      {"takes an operation for each tensor, but got {} and {}", ops.size(), tensors.size()});
  std::vector<Output> items;
  for (size_t i = 0; i < ops.size(); ++i) {
    RequireValue(call, ops[i] == "isend" || ops[i] == "irecv", {"takes isend and irecv, not `{}`", ops[i]});
    items.push_back(ops[i] == "irecv" ? FilledOutput(call, tensors[i]) : NewOutput(NothingOf(tensors[i])));
  }
  ReturnList(call, std::move(items));
}

// ---- DTensor

// A tensor that was cut along shard_dim is cut along gather_dim instead: the ranks' parts of one dimension come
// together, and another is shared out.
void ShardDimAllToAll(Call& call) {
  const Operand input = call.In("input").RankAtLeast(1, "cuts along dimensions, but got shape {}");
  const int64_t gather = call.WrappedDim("gather_dim", input), shard = call.WrappedDim("shard_dim", input);
  const Dim ranks = SizeOfGroup(call);
  RequireShape(call, Divides(ranks, input->sizes[shard]),
      {"cuts dimension {} for {} ranks, but {} is not divisible by that", shard, ranks, input->sizes[shard]});
  Dims sizes = input->sizes;
  sizes[shard] = FloorDiv(sizes[shard], ranks);
  sizes[gather] *= ranks;
  call.ReturnNew(ContiguousMeta(sizes, input->dtype, input->device));
}

// The process group of one dimension of a device mesh: an object.
void GroupOfMesh(Call& call) {
  call.ReturnNumber(Opaque{"torch.distributed.distributed_c10d.ProcessGroup", ToString(call.Arg("dim"))});
}

constexpr RuleRow kRows[] = {
    {"_c10d_functional::all_reduce", AllReduce<"input", "reduce_op">},
    {"_c10d_functional::all_reduce_", AllReduceInto},
    {"_c10d_functional::all_reduce_coalesced", AllReduceList<"inputs", "reduce_op">, Devices::kSame},
    {"_c10d_functional::all_reduce_coalesced_", AllReduceListInto, Devices::kSame},
    {"_c10d_functional::all_gather_into_tensor", AllGather<"input">},
    {"_c10d_functional::all_gather_into_tensor_out", AllGatherOut, Devices::kSame},
    {"_c10d_functional::all_gather_into_tensor_coalesced", AllGatherList<"inputs">, Devices::kSame},
    {"_c10d_functional::reduce_scatter_tensor", ReduceScatter<"reduce_op">},
    {"_c10d_functional::reduce_scatter_tensor_out", ReduceScatterOut, Devices::kSame},
    {"_c10d_functional::reduce_scatter_tensor_coalesced", ReduceScatterList<"reduce_op">, Devices::kSame},
    {"_c10d_functional::all_to_all_single", AllToAll},
    {"_c10d_functional::broadcast", Broadcast<"input">},
    {"_c10d_functional::broadcast_", BroadcastInto},
    {"_c10d_functional::isend", Send<"tensor">},
    {"_c10d_functional::irecv", Receive<"tensor">},
    {"_c10d_functional::batch_p2p_ops", PointToPoint},
    {"_c10d_functional::wait_tensor", Wait<"tensor">},
    {"_c10d_functional::wait_tensors", WaitForAll, Devices::kAny},
    {"_c10d_functional::_wrap_tensor_autograd", Wrap},
    {"_c10d_functional_autograd::all_gather_into_tensor", AllGather<"input">},
    {"_c10d_functional_autograd::reduce_scatter_tensor", ReduceScatter<"reduce_op">},
    {"_c10d_functional_autograd::all_to_all_single", AllToAll},
    // The forms of torch 2.0 to 2.2, which name the ranks.
    {"c10d_functional::all_reduce", AllReduce<"self", "reduceOp">},
    {"c10d_functional::all_reduce_coalesced", AllReduceList<"self", "reduceOp">, Devices::kSame},
    {"c10d_functional::all_gather_into_tensor", AllGather<"shard">},
    {"c10d_functional::all_gather_into_tensor_coalesced", AllGatherList<"input">, Devices::kSame},
    {"c10d_functional::reduce_scatter_tensor", ReduceScatter<"reduceOp">},
    {"c10d_functional::reduce_scatter_tensor_coalesced", ReduceScatterList<"reduceOp">, Devices::kSame},
    {"c10d_functional::all_to_all_single", AllToAll},
    {"c10d_functional::broadcast", Broadcast<"self">},
    {"c10d_functional::isend", Send<"self">},
    {"c10d_functional::irecv", Receive<"self">},
    {"c10d_functional::batch_p2p_ops", PointToPoint},
    {"c10d_functional::wait_tensor", Wait<"self">},
    {"_dtensor::shard_dim_alltoall", ShardDimAllToAll},
    {"_dtensor::mesh_get_process_group", GroupOfMesh},
};

}  // namespace

RuleRows CollectiveRules() { return kRows; }

}  // namespace fakeprop::rules
