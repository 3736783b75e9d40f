// FSDP2: how weights are put into the tensor that a rank sends, and taken out of what it received; and the marks of
// torch.profiler that its graphs are full of.
// Source: torch/distributed/fsdp/_fully_shard/_fsdp_collectives.py, _fsdp_param.py; RecordFunction in
// torch/csrc/autograd/record_function_ops.cpp (torch 2.13).
#include "lib/rules/core/results.h"
#include "lib/rules/families.h"
#include "lib/rules/support/join.h"
#include "lib/rules/support/slice_metas.h"

namespace fakeprop::rules {
namespace {

Dim Sum(const Dims& sizes) {
  Dim sum = 0;
  for (const Dim size : sizes) sum += size;
  return sum;
}

// This rank's part of the output, into which the inputs are copied, and the output.
void AllGatherCopyIn(Call& call) {
  Tensor& output = call.In("all_gather_output").Rank(1).tensor();
  const Dim numel = call.DimArg("all_gather_input_numel");
  const Dims splits = call.DimList("inp_split_sizes");
  const Operands inputs = call.ListIn("all_gather_inputs");
  RequireValue(call, splits.size() == inputs.size() && Expect(Eq(Sum(splits), numel)),
      {"takes a size for each of {} inputs, {} in all, but got {}", inputs.size(), numel, splits});
  for (size_t i = 0; i < splits.size(); ++i) inputs[i].BroadcastsTo(Dims{splits[i]});
  call.ReturnAlias(output, NarrowedMeta(output.meta, 0, numel * call.DimArg("rank"), numel));
  call.ReturnArgument(output);
  call.Write(output);
}

void SplitWithSizesCopy(Call& call) {
  const Operand whole = call.In("all_gather_output").RankAtLeast(1);
  const int64_t dim = call.WrappedDim("dim", whole);
  const Dims splits = call.DimList("all_gather_input_split_sizes");
  const Operands outs = call.ListIn("out");
  RequireValue(call, splits.size() == outs.size() && Expect(Eq(Sum(splits), whole->sizes[dim])),
      {"takes a size for each of {} out tensors, {} in all, but got {}", outs.size(), whole->sizes[dim], splits});
  for (size_t i = 0; i < splits.size(); ++i) {
    Dims sizes = whole->sizes;
    sizes[dim] = splits[i];
    outs[i].Sizes(sizes);
    call.Write(outs[i].tensor());
  }
}

void ChunkCatOut(Call& call) {
  const Operand out = call.In("out");
  out.Sizes(ChunkCatSizes(call));
  call.Write(out.tensor());
}

void Copy(Call& call) {
  const Operand to = call.In("tensor");
  call.In("data").BroadcastsTo(to->sizes);
  call.Write(to.tensor());
}

void EnterRecord(Call& call) {
  call.ReturnNumber(Opaque{std::string(call.schema().returns[0].type.text), std::string(call.String("name"))});
}

constexpr RuleRow kRows[] = {
    {"fsdp::all_gather_copy_in", AllGatherCopyIn, Devices::kSame},
    {"fsdp::split_with_sizes_copy", SplitWithSizesCopy, Devices::kSame},
    {"fsdp::chunk_cat", ChunkCatOut, Devices::kSame},
    {"fsdp::chunk_cat_mixed_dtype", ChunkCatOut, Devices::kSame},
    {"fsdp::record_grad_output_stream", NoResult},
    {"fsdp::copy_", Copy, Devices::kAny},
    {"profiler::_record_function_enter_new", EnterRecord},
    {"profiler::_record_function_exit._RecordFunction", NoResult},
};

}  // namespace

RuleRows FullyShardedRules() { return kRows; }

}  // namespace fakeprop::rules
