// What the bodies of the tables call by a bare name.
#include "lib/meta/dtype.h"
#include "lib/python/indexing.h"
#include "lib/python/registry.h"

namespace fakeprop {
namespace {

// torch.nn._reduction.get_enum
Value Reduction(Python&, const Bindings& a) {
  const std::string_view name = a.String("reduction");
  if (name == "none") return 0;
  if (name == "mean") return 1;
  if (name == "sum") return 2;
  Fail(ErrorClass::kValueError, "a reduction is none, mean or sum, not `" + std::string(name) + "`");
}

// The reduction that the old flags ask for (torch.nn._reduction.legacy_get_string), else the one that is given.
Value LegacyReduction(Python& python, const Bindings& a) {
  if (a.IsNone("size_average") && a.IsNone("reduce")) return a["reduction"];
  const bool average = a.IsNone("size_average") || python.Truth(a["size_average"]);
  const bool reduce = a.IsNone("reduce") || python.Truth(a["reduce"]);
  return Value(!reduce ? "none" : average ? "mean" : "sum");
}

// torch.nn.modules.utils: one number for each dimension.
Value Repeat(Python&, const Bindings& a) {
  if (a["value"].TryList()) return a["value"];
  List list;
  list.is_tuple = true;
  list.items.assign(static_cast<size_t>(a.Int("count")), a["value"]);
  return list;
}

// A sum of equal tensors or reduction of one, as losses end.
Value Reduce(Python& python, const Bindings& a) {
  const std::string_view reduction = a.String("reduction");
  if (reduction == "mean") return python.Call("aten.mean", {a["value"]});
  if (reduction == "sum") return python.Call("aten.sum", {a["value"]});
  return a["value"];
}

Value MatchSizes(Python& python, const Bindings& a) {
  return python.Call("aten.broadcast_tensors", {Value(List{{a["input"], a["target"]}, false})});
}

Value First(Python&, const Bindings& a) { return GetContainerItem(a["list"], Value(0)); }
Value Second(Python&, const Bindings& a) { return GetContainerItem(a["list"], Value(1)); }

// The implicit dimension of softmax and alike (torch.nn.functional._get_softmax_dim).
Value SoftmaxDim(Python&, const Bindings& a) {
  if (!a.IsNone("dim")) return a["dim"];
  const int64_t rank = a.TensorOf("input").meta.rank();
  return Value(rank == 0 || rank == 1 || rank == 3 ? 0 : 1);
}

// What the rule of a custom operator demands of its arguments.
Value Check(Python& python, const Bindings& a) {
  if (python.Truth(a["condition"])) return {};
  Fail(ErrorClass::kValueError, a.IsNone("message") ? "a check fails" : std::string(a.String("message")));
}

constexpr FunctionRow kRows[] = {
    {"check(condition, message=None)", {}, Check},
    {"reduction_number(reduction)", {}, Reduction},
    {"legacy_reduction(reduction, size_average, reduce)", {}, LegacyReduction},
    {"repeat(value, count)", {}, Repeat},
    {"reduce(value, reduction)", {}, Reduce},
    {"match_sizes(input, target)", {}, MatchSizes},
    {"first(list)", {}, First},
    {"second(list)", {}, Second},
    {"softmax_dim(input, dim)", {}, SoftmaxDim},
    {"triplet_of_distances(positive, negative, margin, reduction)",
        "reduce(aten.clamp_min(aten.add(aten.sub(positive, negative), margin), 0), reduction)"},
    // Tensor.__rtruediv__ and __rfloordiv__
    {"divide_number(tensor, number)", "aten.mul(aten.reciprocal(tensor), number)"},
    {"floor_divide_number(tensor, number)", "aten.floor_divide(torch.scalar_like(tensor, number), tensor)"},
};

}  // namespace

FunctionTable Helpers() { return {"", kRows}; }

}  // namespace fakeprop
