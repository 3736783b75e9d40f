// Operators of TorchScript on lists of numbers and on strings, its questions about tensors and about the state it runs
// in. Source: torch/csrc/jit/runtime/register_prim_ops.cpp, register_special_ops.cpp (torch 2.13).
#include <algorithm>

#include "lib/meta/dtype.h"
#include "lib/meta/lists.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/families.h"

namespace fakeprop::rules {
namespace {

// ---- values

double AsDouble(const Value& v) {
  if (auto d = v.TryGet<double>()) return *d;
  if (auto b = v.TryGet<bool>()) return *b ? 1 : 0;
  if (auto d = v.TryGet<Dim>()) return static_cast<double>(d->Specialize());
  return 0;
}

bool IsTrue(const Value& v) {
  if (auto d = v.TryGet<Dim>()) return Guard(Ne(*d, 0));
  if (auto s = v.TryGet<std::string>()) return !s->empty();
  return AsDouble(v) != 0;
}

bool SameLists(const List& a, const List& b);

// Equal as Python has it, for what lists hold.
bool Same(const Value& a, const Value& b) {
  if (a.TryList() && b.TryList()) return SameLists(*a.TryList(), *b.TryList());
  if (a.Is<std::string>() && b.Is<std::string>()) return a.Get<std::string>() == b.Get<std::string>();
  if (a.Is<Device>() && b.Is<Device>()) return a.Get<Device>() == b.Get<Device>();
  if (a.Is<Dim>() && b.Is<Dim>()) return GuardOrFalse(Eq(a.Get<Dim>(), b.Get<Dim>()));
  return a.IsNumber() && b.IsNumber() && AsDouble(a) == AsDouble(b);
}

bool SameLists(const List& a, const List& b) {
  return a.items.size() == b.items.size() && std::equal(a.items.begin(), a.items.end(), b.items.begin(), Same);
}

const std::vector<Value>& Items(const Call& call, int i) {
  if (const List* list = call.Arg(i).TryList()) return list->items;
  Fail(ErrorClass::kTypeError, OpName(call) + " takes a list, not " + ToString(call.Arg(i)));
}

void Equals(Call& call) { call.ReturnNumber(Same(call.Arg(0), call.Arg(1))); }
void Differs(Call& call) { call.ReturnNumber(!Same(call.Arg(0), call.Arg(1))); }

template <typename Compare>
void CompareStrings(Call& call) {
  call.ReturnNumber(Compare{}(call.String(0), call.String(1)));
}

void JoinStrings(Call& call) { call.ReturnNumber(std::string(call.String(0)) + std::string(call.String(1))); }
void StringLength(Call& call) { call.ReturnNumber(static_cast<int64_t>(call.String(0).size())); }

// ---- lists

void All(Call& call) { call.ReturnNumber(std::all_of(Items(call, 0).begin(), Items(call, 0).end(), IsTrue)); }
void Any(Call& call) { call.ReturnNumber(std::any_of(Items(call, 0).begin(), Items(call, 0).end(), IsTrue)); }

void Sum(Call& call) {
  const auto& items = Items(call, 0);
  if (call.schema().returns[0].type.kind == TypeKind::kFloat) {
    double total = 0;
    for (const Value& item : items) total += AsDouble(item);
    return void(call.ReturnNumber(total));
  }
  Dim total = 0;
  for (Dim item : call.DimList(0)) total += item;
  call.ReturnNumber(total);
}

int64_t CountOf(const Call& call) {
  const auto& items = Items(call, 0);
  return std::count_if(items.begin(), items.end(), [&](const Value& item) { return Same(item, call.Arg(1)); });
}

void Count(Call& call) { call.ReturnNumber(CountOf(call)); }
void Contains(Call& call) { call.ReturnNumber(CountOf(call) > 0); }

void IndexOf(Call& call) {
  const auto& items = Items(call, 0);
  const auto at = std::find_if(items.begin(), items.end(), [&](const Value& item) { return Same(item, call.Arg(1)); });
  if (at == items.end()) FailValue(call, "finds no " + ToString(call.Arg(1)) + " in " + ToString(call.Arg(0)));
  call.ReturnNumber(static_cast<int64_t>(at - items.begin()));
}

bool Before(const Value& a, const Value& b) {
  if (a.Is<Dim>() && b.Is<Dim>()) return Guard(Lt(a.Get<Dim>(), b.Get<Dim>()));
  if (a.Is<std::string>() && b.Is<std::string>()) return a.Get<std::string>() < b.Get<std::string>();
  return AsDouble(a) < AsDouble(b);
}

void Sorted(Call& call) {
  List list{Items(call, 0)};
  std::stable_sort(list.items.begin(), list.items.end(), Before);
  call.ReturnNumber(std::move(list));
}

void Copied(Call& call) { call.ReturnNumber(List{Items(call, 0)}); }

// ---- sizes

void Broadcast(Call& call) { call.ReturnNumber(IntListOf(BroadcastSizes(call.DimList(0), call.DimList(1)))); }

void SizeIfNotEqual(Call& call) {
  const Dims own = call.DimList(0), other = call.DimList(1);
  GuardSame(own, other) ? call.ReturnNone() : void(call.ReturnNumber(IntListOf(own)));
}

void Sizes(Call& call) { call.ReturnNumber(IntListOf(call.Meta(0).size_span())); }
void Strides(Call& call) { call.ReturnNumber(IntListOf(call.Meta(0).stride_span())); }

// The first size, as len(tensor) gives it.
void Length(Call& call) {
  if (call.Meta(0).rank() == 0) Fail(ErrorClass::kTypeError, "a 0-dim tensor has no length", {&call.TensorArg(0)});
  call.ReturnNumber(call.Meta(0).sizes[0]);
}

void ElementSize(Call& call) { call.ReturnNumber(ItemSize(call.Meta(0).dtype)); }
void Dense(Call& call) { call.ReturnNumber(IsNonOverlappingAndDense(call.Meta(0))); }

// The order of strides, not their density.
void StridesLike(Call& call) {
  const MemoryFormat format = *call.OptionalMemoryFormat(1);
  const bool like = format == MemoryFormat::ChannelsLast     ? IsChannelsLastStrides2d(call.Meta(0))
                    : format == MemoryFormat::ChannelsLast3d ? IsChannelsLastStrides3d(call.Meta(0))
                                                             : false;
  call.ReturnNumber(like);
}

// ---- the state

void Yes(Call& call) { call.ReturnNumber(true); }
void No(Call& call) { call.ReturnNumber(false); }
void GradEnabled(Call& call) { call.ReturnNumber(call.state().grad_enabled); }
void CpuAutocast(Call& call) { call.ReturnNumber(call.state().cpu_autocast.enabled); }
void CudaAutocast(Call& call) { call.ReturnNumber(call.state().cuda_autocast.enabled); }

constexpr RuleRow kRows[] = {
    {"aten::eq.str", Equals},
    {"aten::eq.device", Equals},
    {"aten::eq.int_list", Equals},
    {"aten::eq.float_list", Equals},
    {"aten::eq.bool_list", Equals},
    {"aten::eq.str_list", Equals},
    {"aten::ne.str", Differs},
    {"aten::ne.device", Differs},
    {"aten::ne.int_list", Differs},
    {"aten::ne.float_list", Differs},
    {"aten::ne.bool_list", Differs},
    {"aten::ne.str_list", Differs},
    {"aten::lt.str", CompareStrings<std::less<>>},
    {"aten::le.str", CompareStrings<std::less_equal<>>},
    {"aten::gt.str", CompareStrings<std::greater<>>},
    {"aten::ge.str", CompareStrings<std::greater_equal<>>},
    {"aten::add.str", JoinStrings},
    {"aten::len.str", StringLength},

    {"aten::all.int", All},
    {"aten::all.float", All},
    {"aten::all.bool", All},
    {"aten::any.int", Any},
    {"aten::any.float", Any},
    {"aten::any.bool", Any},
    {"aten::any.str", Any},
    {"aten::sum.int", Sum},
    {"aten::sum.float", Sum},
    {"aten::sum.bool", Sum},
    {"aten::count.int", Count},
    {"aten::count.float", Count},
    {"aten::count.bool", Count},
    {"aten::count.str", Count},
    {"aten::__contains__.int_list", Contains},
    {"aten::__contains__.float_list", Contains},
    {"aten::__contains__.str_list", Contains},
    {"aten::index.list_int", IndexOf},
    {"aten::index.list_float", IndexOf},
    {"aten::index.list_bool", IndexOf},
    {"aten::index.list_str", IndexOf},
    {"aten::sorted.int", Sorted},
    {"aten::sorted.float", Sorted},
    {"aten::sorted.bool", Sorted},
    {"aten::sorted.str", Sorted},

    {"aten::Size", Copied},
    {"aten::_infer_size", Broadcast},
    {"aten::broadcast_shapes", Broadcast},
    {"aten::_size_if_not_equal", SizeIfNotEqual},
    {"aten::size", Sizes},
    {"aten::sym_size", Sizes},
    {"aten::stride", Strides},
    {"aten::sym_stride", Strides},
    {"aten::len.Tensor", Length},
    {"aten::element_size", ElementSize},
    {"aten::is_non_overlapping_and_dense", Dense},
    {"aten::is_strides_like_format", StridesLike},

    {"aten::is_scripting", Yes},
    {"aten::_get_tracing_state", No},
    {"aten::is_grad_enabled", GradEnabled},
    {"aten::is_autocast_enabled", CudaAutocast},
    {"aten::is_autocast_cpu_enabled", CpuAutocast},
};

}  // namespace

RuleRows ScriptValueRules() { return kRows; }

}  // namespace fakeprop::rules
