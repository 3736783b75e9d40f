// Collectives on memory that the ranks of one machine share, alone and fused with products.
// Source: the Meta functions of torch/distributed/_symmetric_memory/__init__.py, and
// torch/csrc/distributed/c10d/symm_mem/SymmetricMemory.cpp (torch 2.13).
#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/families.h"
#include "lib/rules/support/copy_metas.h"
#include "lib/rules/support/group_sizes.h"
#include "lib/rules/support/matmul_metas.h"
#include "lib/rules/support/outputs.h"
#include "lib/rules/support/reshape_metas.h"
#include "lib/rules/support/view_metas.h"

namespace fakeprop::rules {
namespace {

template <ArgumentName Name>
void LikeInput(Call& call) {
  call.ReturnNew(EmptyLike(call.In(Name)));
}

// Writes what the schema says, and returns it where the schema does.
void WriteDeclared(Call& call) {
  for (size_t i = 0; i < call.size(); ++i)
    if (call.schema().arguments[i].is_write) call.Write(call.TensorArg(static_cast<int>(i)));
  if (!call.schema().returns.empty()) call.ReturnArgument(call.In("input").tensor());
}

// t with dimension `dim` divided among the ranks, contiguous.
TensorMeta ScatteredAlong(const Call& call, const TensorMeta& t, int64_t dim) {
  const Dim ranks = SizeOfGroup(call);
  const int64_t d = WrapDim(dim, t.rank());
  RequireShape(call, Divides(ranks, t.sizes[d]),
      {"scatters dimension {} to {} ranks, but {} is not divisible by that", d, ranks, t.sizes[d]});
  Dims sizes = t.sizes;
  sizes[d] = FloorDiv(sizes[d], ranks);
  return ContiguousMeta(sizes, t.dtype, t.device);
}

// The first dimension put at another place.
TensorMeta FirstMovedTo(const TensorMeta& t, int64_t place) {
  std::vector<int64_t> order(t.rank());
  for (int64_t d = 0; d < t.rank(); ++d) order[d] = d < place ? d + 1 : d == place ? 0 : d;
  return Permuted(t, order);
}

TensorMeta MovedToFirst(const TensorMeta& t, int64_t dim) {
  std::vector<int64_t> order{dim};
  for (int64_t d = 0; d < t.rank(); ++d)
    if (d != dim) order.push_back(d);
  return Permuted(t, order);
}

// The ranks' parts of `shard`, one after another along `dim`, which is put first.
TensorMeta GatheredFirst(const TensorMeta& shard, int64_t dim, Dim ranks) {
  Dims stacked = shard.sizes;
  stacked.insert(stacked.begin(), ranks);
  TensorMeta t = MovedToFirst(ContiguousMeta(stacked, shard.dtype, shard.device), dim + 1);
  t = FirstMovedTo(t, 1);  // ranks, dim, the others
  Dims sizes(t.sizes.begin() + 1, t.sizes.end());
  sizes[0] *= ranks;
  return Reshaped(t, sizes);
}

struct GatherDim {
  Operand shard;
  int64_t dim;
};

GatherDim GatherArguments(const Call& call) {
  const Operand shard = call.In("A").RankAtLeast(2);
  return {shard, call.WrappedDim("gather_dim", shard)};
}

void AllGatherMatmul(Call& call) {
  const auto [shard, dim] = GatherArguments(call);
  const bool is_last = dim == shard->rank() - 1;
  const Dim ranks = SizeOfGroup(call);
  Dims wide = shard->sizes;
  wide[dim] *= ranks;
  const TensorMeta gathered =
      is_last ? ContiguousMeta(wide, shard->dtype, shard->device) : GatheredFirst(shard, dim, ranks);
  const auto placed = [&](const TensorMeta& t) { return is_last ? t : FirstMovedTo(t, dim); };
  std::vector<TensorMeta> products;
  for (const Operand& b : call.ListIn("Bs")) products.push_back(placed(Matmul(gathered, b)));
  if (call.Bool("return_A")) call.ReturnNew(placed(gathered));
  else call.ReturnNone();
  call.ReturnNewList(std::move(products));
}

// The product of the rows of `a` with `b`, in another dtype where one is given.
TensorMeta ScaledProduct(const TensorMeta& a, const TensorMeta& b, const Value& dtype) {
  const TensorMeta rows = Reshaped(a, Dims{Numel(a.size_span().first(a.rank() - 1)), a.sizes.back()});
  TensorMeta product = MatrixProduct(rows, b);
  if (const ScalarType* given = dtype.TryGet<ScalarType>()) product.dtype = *given;
  return product;
}

void AllGatherScaledMatmul(Call& call) {
  const auto [shard, dim] = GatherArguments(call);
  RequireValue(call, dim < shard->rank() - 1, {"gathers along no last dimension, but got {}", dim});
  const TensorMeta gathered = GatheredFirst(shard, dim, SizeOfGroup(call));
  const Operands matrices = call.ListIn("Bs");
  const List* dtypes = call.Arg("out_dtypes").TryList();
  RequireValue(call, dtypes && dtypes->items.size() == matrices.size(), "takes an output dtype for each matrix");
  std::vector<TensorMeta> products;
  for (size_t i = 0; i < matrices.size(); ++i) {
    const TensorMeta product = ScaledProduct(gathered, matrices[i], dtypes->items[i]);
    Dims sizes = gathered.sizes;
    sizes.back() = product.sizes[1];
    products.push_back(FirstMovedTo(Reshaped(product, sizes), dim));
  }
  call.ReturnNew(FirstMovedTo(gathered, dim));
  call.ReturnNewList(std::move(products));
}

void MatmulReduceScatter(Call& call) {
  const TensorMeta product = Matmul(call.In("A"), call.In("B"));
  call.ReturnNew(ScatteredAlong(call, product, call.Int("scatter_dim")));
}

void ScaledMatmulReduceScatter(Call& call) {
  const Operand b = call.In("B").Rank(2);
  const TensorMeta product = ScaledProduct(call.In("A").RankAtLeast(2), b, call.Arg("out_dtype"));
  Dims sizes = call.OptionalDimList("output_shape").value_or(call.In("A")->sizes);
  RequireValue(call, !sizes.empty(), "takes an output shape of at least 1 dimension");
  sizes.back() = b->sizes[1];
  call.ReturnNew(ScatteredAlong(call, Reshaped(product, sizes), call.Int("orig_scatter_dim")));
}

Dims GatheredSizes(const Call& call, const TensorMeta& t) {
  Dims sizes = t.sizes;
  if (sizes.empty()) sizes.push_back(1);
  sizes[0] *= SizeOfGroup(call);
  return sizes;
}

void LowContentionAllGather(Call& call) {
  const Operand t = call.In("tensor").RankAtLeast(1);
  call.ReturnNew(ContiguousMeta(GatheredSizes(call, t), t->dtype, t->device));
}

// These two take numbers, too (torch 2.14).
void MulticastAllGather(Call& call) {
  const Operand t = call.In("tensor");
  call.ReturnNew(ContiguousMeta(GatheredSizes(call, t), t->dtype, t->device));
}

void MulticastAllGatherOut(Call& call) {
  const Operand t = call.In("tensor"), out = call.In("out");
  out.Sizes(GatheredSizes(call, t)).SameDtypeAs(t);
  call.Write(out.tensor());
  call.ReturnArgument(out.tensor());
}

void LowContentionReduceScatter(Call& call) {
  call.ReturnNew(ScatteredAlong(call, call.In("tensor").RankAtLeast(1), 0));
}

// This tensor as each rank has it.
void RemoteTensors(Call& call) {
  const std::optional<int64_t> ranks = SizeOfGroup(call).TryNumber();
  if (!ranks) DynamicShape(call);
  call.ReturnNewList(std::vector<TensorMeta>(static_cast<size_t>(*ranks), EmptyLike(call.In("x"))));
}

constexpr RuleRow kRows[] = {
    {"symm_mem::one_shot_all_reduce", LikeInput<"input">},
    {"symm_mem::one_shot_all_reduce_copy", LikeInput<"local_input">, Devices::kSame},
    {"symm_mem::multimem_one_shot_all_reduce", LikeInput<"input">},
    {"symm_mem::multimem_all_reduce_", WriteDeclared},
    {"symm_mem::two_shot_all_reduce_", WriteDeclared},
    {"symm_mem::all_to_all_vdev_2d", WriteDeclared},
    {"symm_mem::all_to_all_vdev_2d_offset", WriteDeclared},
    {"symm_mem::fused_all_gather_matmul", AllGatherMatmul},
    {"symm_mem::fused_all_gather_scaled_matmul", AllGatherScaledMatmul},
    {"symm_mem::fused_matmul_reduce_scatter", MatmulReduceScatter},
    {"symm_mem::fused_scaled_matmul_reduce_scatter", ScaledMatmulReduceScatter},
    {"symm_mem::_low_contention_all_gather", LowContentionAllGather},
    {"symm_mem::_low_contention_all_gather_ce_multicast", MulticastAllGather},
    {"symm_mem::_low_contention_all_gather_ce_multicast_out", MulticastAllGatherOut},
    {"symm_mem::_low_contention_reduce_scatter", LowContentionReduceScatter},
    {"symm_mem::get_remote_tensors", RemoteTensors},
};

}  // namespace

RuleRows SymmetricMemoryRules() { return kRows; }

}  // namespace fakeprop::rules
