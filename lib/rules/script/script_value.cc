// Operators of TorchScript on lists of numbers and on strings, its questions about tensors and about the state it runs
// in. Source: torch/csrc/jit/runtime/register_prim_ops.cpp, register_special_ops.cpp (torch 2.13).
#include <algorithm>

#include "lib/meta/dtype.h"
#include "lib/meta/lists.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/families.h"
#include "lib/rules/support/required_arguments.h"

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
  if (a.Is<Dim>() && b.Is<Dim>()) return Guard(Eq(a.Get<Dim>(), b.Get<Dim>()));
  return a.IsNumber() && b.IsNumber() && AsDouble(a) == AsDouble(b);
}

bool SameLists(const List& a, const List& b) {
  return a.items.size() == b.items.size() && std::equal(a.items.begin(), a.items.end(), b.items.begin(), Same);
}

const std::vector<Value>& Items(const Call& call, ArgumentName name) {
  if (const List* list = call.Arg(name).TryList()) return list->items;
  FailAs(call, ErrorClass::kTypeError, {"takes a list, not {}", call.Arg(name)});
}

void Equals(Call& call) { call.ReturnNumber(Same(call.Arg("a"), call.Arg("b"))); }
void Differs(Call& call) { call.ReturnNumber(!Same(call.Arg("a"), call.Arg("b"))); }

template <typename Compare>
void CompareStrings(Call& call) {
  call.ReturnNumber(Compare{}(call.String("a"), call.String("b")));
}

void JoinStrings(Call& call) {
  const std::string_view a = call.String("a"), b = call.String("b");
  CheckTextLength(a.size() + b.size());
  call.ReturnNumber(std::string(a) + std::string(b));
}
void StringLength(Call& call) { call.ReturnNumber(static_cast<int64_t>(call.String("s").size())); }

// ---- lists

void All(Call& call) {
  const auto& items = Items(call, "self");
  call.ReturnNumber(std::all_of(items.begin(), items.end(), IsTrue));
}

void Any(Call& call) {
  const auto& items = Items(call, "self");
  call.ReturnNumber(std::any_of(items.begin(), items.end(), IsTrue));
}

double SumOfFloats(const std::vector<Value>& items) {
  double total = 0;
  for (const Value& item : items) total += AsDouble(item);
  return total;
}

void Sum(Call& call) {
  const auto& items = Items(call, "self");
  if (call.schema().returns[0].type.kind == TypeKind::kFloat) return void(call.ReturnNumber(SumOfFloats(items)));
  Dim total = 0;
  for (Dim item : call.DimList("self")) total += item;
  call.ReturnNumber(total);
}

int64_t CountOf(const std::vector<Value>& items, const Value& wanted) {
  return std::count_if(items.begin(), items.end(), [&](const Value& item) { return Same(item, wanted); });
}

void Count(Call& call) { call.ReturnNumber(CountOf(Items(call, "self"), call.Arg("el"))); }
void Contains(Call& call) { call.ReturnNumber(CountOf(Items(call, "l"), call.Arg("item")) > 0); }

void IndexOf(Call& call) {
  const auto& items = Items(call, "self");
  const Value& wanted = call.Arg("el");
  const auto at = std::find_if(items.begin(), items.end(), [&](const Value& item) { return Same(item, wanted); });
  RequireValue(call, at != items.end(), {"finds no {} in {}", wanted, call.Arg("self")});
  call.ReturnNumber(static_cast<int64_t>(at - items.begin()));
}

bool Before(const Value& a, const Value& b) {
  if (a.Is<Dim>() && b.Is<Dim>()) return Guard(Lt(a.Get<Dim>(), b.Get<Dim>()));
  if (a.Is<std::string>() && b.Is<std::string>()) return a.Get<std::string>() < b.Get<std::string>();
  return AsDouble(a) < AsDouble(b);
}

void Sorted(Call& call) {
  List list{Items(call, "input")};
  std::stable_sort(list.items.begin(), list.items.end(), Before);
  call.ReturnNumber(std::move(list));
}

void Copied(Call& call) { call.ReturnNumber(List{Items(call, "sizes")}); }

// ---- sizes

void Broadcast(Call& call) { call.ReturnNumber(IntListOf(BroadcastSizes(call.DimList("a"), call.DimList("b")))); }

void SizeIfNotEqual(Call& call) {
  const Dims own = call.DimList("self_size"), other = call.DimList("other_size");
  GuardSame(own, other) ? call.ReturnNone() : void(call.ReturnNumber(IntListOf(own)));
}

void Sizes(Call& call) { call.ReturnNumber(IntListOf(call.In("self")->size_span())); }
void Strides(Call& call) { call.ReturnNumber(IntListOf(call.In("self")->stride_span())); }

// The first size, as len(tensor) gives it.
void Length(Call& call) {
  const Operand t = call.In("t");
  if (t->rank() == 0) Fail(ErrorClass::kTypeError, "a 0-dim tensor has no length", {&t.tensor()});
  call.ReturnNumber(t->sizes[0]);
}

void ElementSize(Call& call) { call.ReturnNumber(ItemSize(call.In("self")->dtype)); }
void Dense(Call& call) { call.ReturnNumber(IsNonOverlappingAndDense(call.In("self"))); }

// Asks about the order of the strides alone. The tensor may have gaps.
void StridesLike(Call& call) {
  const Operand self = call.In("self");
  const MemoryFormat format = RequiredMemoryFormat(call);
  const bool like = format == MemoryFormat::ChannelsLast     ? IsChannelsLastStrides2d(self)
                    : format == MemoryFormat::ChannelsLast3d ? IsChannelsLastStrides3d(self)
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
    {"aten::size", Sizes, Reads::kMetadata},
    {"aten::sym_size", Sizes, Reads::kMetadata},
    {"aten::stride", Strides, Reads::kMetadata},
    {"aten::sym_stride", Strides, Reads::kMetadata},
    {"aten::len.Tensor", Length, Reads::kMetadata},
    {"aten::element_size", ElementSize},
    {"aten::is_non_overlapping_and_dense", Dense},
    {"aten::is_strides_like_format", StridesLike},

    {"aten::is_scripting", Yes},
    {"aten::_is_tracing", No},
    {"aten::_get_tracing_state", No},
    {"aten::is_grad_enabled", GradEnabled},
    {"aten::is_autocast_enabled", CudaAutocast},
    {"aten::is_autocast_cpu_enabled", CpuAutocast},
};

}  // namespace

RuleRows ScriptValueRules() { return kRows; }

}  // namespace fakeprop::rules
