// The calls that torch.vmap is made of in a graph of torch.export. Source: torch/_functorch/predispatch.py
// (torch 2.13).
#include "lib/higher_order/higher_order_tables.h"
#include "lib/higher_order/vmap_batched.h"

namespace fakeprop {
namespace {

Dim SizeAt(HigherOrderCall& call, size_t i, std::string_view what) {
  const Value& value = call.At(i, what);
  if (const Dim* d = value.TryGet<Dim>()) return *d;
  Fail(ErrorClass::kTypeError, call.Name() + " takes " + std::string(what) + " where it was given " + ToString(value));
}

int64_t IntAt(HigherOrderCall& call, size_t i, std::string_view what) { return SizeAt(call, i, what).Specialize(); }

Value AddBatchDim(HigherOrderCall& call) {
  return call.host().batched().Hide(
      call.TensorAt(0, "a tensor"), IntAt(call, 1, "a dimension"), IntAt(call, 2, "a level"));
}

Value RemoveBatchDim(HigherOrderCall& call) {
  return call.host().batched().Show(call.TensorAt(0, "a tensor"), IntAt(call, 1, "a level"), SizeAt(call, 2, "a size"),
      IntAt(call, 3, "a dimension"));
}

Value Increment(HigherOrderCall& call) { return call.host().batched().Enter(); }
Value Decrement(HigherOrderCall& call) { return call.host().batched().Leave(); }
Value Nothing(HigherOrderCall&) { return {}; }

constexpr HigherOrderRow kRows[] = {
    {"_add_batch_dim", AddBatchDim},
    {"_remove_batch_dim", RemoveBatchDim},
    {"_vmap_increment_nesting", Increment},
    {"_vmap_decrement_nesting", Decrement},
    {"lazy_load_decompositions", Nothing},
};

}  // namespace

HigherOrder FindVmap(std::string_view name) {
  for (const HigherOrderRow& row : kRows)
    if (row.name == name) return row.handler;
  return nullptr;
}

}  // namespace fakeprop
