// Collectives of a process group, as torch.distributed calls them: they write into their arguments, and return those
// and a Work to wait for. Source: torch/csrc/distributed/c10d/Ops.cpp (torch 2.13).
#include "lib/meta/value_visit.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/families.h"
#include "lib/rules/support/outputs.h"

namespace fakeprop::rules {
namespace {

// A tensor, or a list of tensors or of such lists, as it was given.
Output AsGiven(const Value& value) {
  if (Tensor* t = value.TryTensor()) return ArgumentOutput(*t);
  Output out;
  const List* list = value.TryList();
  if (!list) return out;
  out.kind = Output::Kind::kList;
  for (const Value& item : list->items) out.items.push_back(AsGiven(item));
  return out;
}

void ReturnObject(Call& call, const Type& type) {
  const std::string_view name = type.text.substr(type.text.rfind('.') + 1);
  call.ReturnNumber(Opaque{std::string(type.text), std::string(name)});
}

// Writes `Written`, which the schema does not say, and returns it where the schema has a result beside the Work.
template <ArgumentName Written>
void Exchange(Call& call) {
  const Value& written = call.Arg(Written);
  ForEachTensor(written, [&](const Tensor& t) { call.Write(const_cast<Tensor&>(t)); });
  for (const SchemaReturn& result : call.schema().returns)
    if (result.type.kind == TypeKind::kObject) ReturnObject(call, result.type);
    else Return(call, AsGiven(written));
}

// One tensor holds the parts of all ranks.
void RequireParts(const Operand& all, const Operand& part) {
  part.SameDtypeAs(all);
  const Dim whole = all.Numel(), one = part.Numel();
  part.Require(GuardOrFalse(Eq(one, 0)) || Divides(one, whole),
      {"takes one tensor that holds as many elements as the other for each rank, but got {} and {}", all->sizes});
}

void AllGatherBase(Call& call) {
  RequireParts(call.In("output_tensor"), call.In("input_tensor"));
  Exchange<"output_tensor">(call);
}

void ReduceScatterBase(Call& call) {
  RequireParts(call.In("input_tensor"), call.In("output_tensor"));
  Exchange<"output_tensor">(call);
}

// Writes nothing.
void Synchronize(Call& call) {
  for (const SchemaReturn& result : call.schema().returns) ReturnObject(call, result.type);
}

constexpr RuleRow kRows[] = {
    {"c10d::_allgather_base_", AllGatherBase, Devices::kSame},
    {"c10d::_reduce_scatter_base_", ReduceScatterBase, Devices::kSame},
    {"c10d::allgather_", Exchange<"output_tensors">, Devices::kSame},
    {"c10d::allgather_coalesced_", Exchange<"output_lists">},
    {"c10d::allgather_into_tensor_coalesced_", Exchange<"outputs">},
    {"c10d::allreduce_", Exchange<"tensors">, Devices::kSame},
    {"c10d::allreduce_coalesced_", Exchange<"tensors">},
    {"c10d::alltoall_", Exchange<"output_tensors">, Devices::kSame},
    {"c10d::alltoall_base_", Exchange<"output">},
    {"c10d::broadcast_", Exchange<"tensors">, Devices::kSame},
    {"c10d::gather_", Exchange<"output_tensors">},
    {"c10d::recv_", Exchange<"tensors">},
    {"c10d::recv_any_source_", Exchange<"tensors">},
    {"c10d::reduce_", Exchange<"tensors">},
    {"c10d::reduce_scatter_", Exchange<"output_tensors">, Devices::kSame},
    {"c10d::reduce_scatter_tensor_coalesced_", Exchange<"outputs">},
    {"c10d::scatter_", Exchange<"output_tensors">, Devices::kSame},
    {"c10d::send", Synchronize},
    {"c10d::barrier", Synchronize},
    {"c10d::monitored_barrier_", Synchronize},
    {"c10d::check_for_nan", Synchronize},
};

}  // namespace

RuleRows ProcessGroupRules() { return kRows; }

}  // namespace fakeprop::rules
