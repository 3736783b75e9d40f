// Lists and dicts, which all who hold them see change. Source: torch/csrc/jit/runtime/register_prim_ops.cpp
// (torch 2.13).
#include <algorithm>

#include "lib/meta/lists.h"
#include "lib/torchscript/operations/script_tables.h"
#include "lib/torchscript/operations/script_values.h"

namespace fakeprop {
namespace {

bool IsDict(HigherOrderCall& call, size_t i = 0) { return Deref(call.At(i, "a value")).Is<Dict>(); }

// ---- places in lists

// The place that an index means; throws OpError outside of the list.
size_t PlaceOf(int64_t index, size_t size) {
  const int64_t length = static_cast<int64_t>(size), place = index < 0 ? index + length : index;
  if (place < 0 || place >= length)
    Fail(ErrorClass::kIndexOutOfRange,
        "the index " + std::to_string(index) + " is outside of a list of " + std::to_string(size));
  return static_cast<size_t>(place);
}

int64_t Clamped(int64_t index, int64_t length) {
  return std::clamp<int64_t>(index < 0 ? index + length : index, 0, length);
}

Value Found(std::pair<Value, Value>* entry, const Value& key) {
  if (entry) return entry->second;
  Fail(ErrorClass::kIndexOutOfRange, "the dict has no key " + ToString(key));
}

std::pair<Value, Value>* Find(Dict& dict, const Value& key) {
  for (auto& entry : dict.items)
    if (SameValue(entry.first, key)) return &entry;
  return nullptr;
}

// ---- both

Value Length(HigherOrderCall& call) {
  const Value& value = Deref(call.At(0, "a value"));
  if (const Dict* dict = value.TryGet<Dict>()) return static_cast<int64_t>(dict->items.size());
  return static_cast<int64_t>(ListAt(call, 0).size());
}

Value GetItem(HigherOrderCall& call) {
  if (IsDict(call)) return Found(Find(DictAt(call, 0), call.At(1, "a key")), call.At(1, "a key"));
  const std::vector<Value>& items = ListAt(call, 0);
  return items[PlaceOf(IntAt(call, 1), items.size())];
}

Value SetItem(HigherOrderCall& call) {
  const Value& value = call.At(2, "a value");
  if (!IsDict(call)) {
    std::vector<Value>& items = ItemsAt(call, 0);
    items[PlaceOf(IntAt(call, 1), items.size())] = value;
    return call.At(0, "a list");
  }
  Dict& dict = DictAt(call, 0);
  if (auto* entry = Find(dict, call.At(1, "a key"))) entry->second = value;
  else dict.items.emplace_back(call.At(1, "a key"), value);
  return {};
}

Value Delete(HigherOrderCall& call) {
  if (!IsDict(call)) {
    std::vector<Value>& items = ItemsAt(call, 0);
    items.erase(items.begin() + static_cast<ptrdiff_t>(PlaceOf(IntAt(call, 1), items.size())));
    return {};
  }
  Dict& dict = DictAt(call, 0);
  Found(Find(dict, call.At(1, "a key")), call.At(1, "a key"));
  std::erase_if(dict.items, [&](const auto& entry) { return SameValue(entry.first, call.At(1, "a key")); });
  return {};
}

Value Clear(HigherOrderCall& call) {
  if (IsDict(call)) DictAt(call, 0).items.clear();
  else ItemsAt(call, 0).clear();
  return {};
}

Value Copy(HigherOrderCall& call) { return Share(Deref(call.At(0, "a value"))); }

Value Contains(HigherOrderCall& call) {
  const Value& key = call.At(1, "a value");
  if (IsDict(call)) return Find(DictAt(call, 0), key) != nullptr;
  const auto& items = ListAt(call, 0);
  return std::any_of(items.begin(), items.end(), [&](const Value& item) { return SameValue(item, key); });
}

// ---- lists

Value Append(HigherOrderCall& call) {
  ItemsAt(call, 0).push_back(call.At(1, "a value"));
  return call.At(0, "a list");
}

Value Extend(HigherOrderCall& call) {
  const std::vector<Value> more = ListAt(call, 1);
  std::vector<Value>& items = ItemsAt(call, 0);
  CheckListLength(items.size() + more.size());
  items.insert(items.end(), more.begin(), more.end());
  return {};
}

Value AddInPlace(HigherOrderCall& call) {
  Extend(call);
  return call.At(0, "a list");
}

Value Insert(HigherOrderCall& call) {
  std::vector<Value>& items = ItemsAt(call, 0);
  items.insert(items.begin() + Clamped(IntAt(call, 1), static_cast<int64_t>(items.size())), call.At(2, "a value"));
  return {};
}

Value Remove(HigherOrderCall& call) {
  std::vector<Value>& items = ItemsAt(call, 0);
  const auto at = std::find_if(
      items.begin(), items.end(), [&](const Value& item) { return SameValue(item, call.At(1, "a value")); });
  if (at == items.end()) Fail(ErrorClass::kValueError, "the list has no " + ToString(call.At(1, "a value")));
  items.erase(at);
  return {};
}

Value Reverse(HigherOrderCall& call) {
  std::reverse(ItemsAt(call, 0).begin(), ItemsAt(call, 0).end());
  return {};
}

Value Joined(HigherOrderCall& call) {
  List list{ListAt(call, 0), false};
  const auto& more = ListAt(call, 1);
  CheckListLength(list.items.size() + more.size());
  list.items.insert(list.items.end(), more.begin(), more.end());
  return Share(std::move(list));
}

Value Repeated(HigherOrderCall& call) {
  const bool list_first = Deref(call.At(0, "a list")).Is<List>();
  const std::vector<Value>& items = ListAt(call, list_first ? 0 : 1);
  const uint64_t times = static_cast<uint64_t>(std::max<int64_t>(0, IntAt(call, list_first ? 1 : 0)));
  CheckListLength(times);
  CheckListLength(times * items.size());
  List list;
  for (uint64_t i = 0; i < times; ++i) list.items.insert(list.items.end(), items.begin(), items.end());
  return Share(std::move(list));
}

Value Slice(HigherOrderCall& call) {
  const std::vector<Value>& items = ListAt(call, 0);
  const int64_t step = OptionalIntAt(call, 3).value_or(1);
  if (step == 0) Fail(ErrorClass::kValueError, "the step of a slice is 0");
  const PythonRange places =
      PlacesOfSlice(OptionalIntAt(call, 1), OptionalIntAt(call, 2), step, static_cast<int64_t>(items.size()));
  List list;
  for (uint64_t i = 0; i < places.size(); ++i) list.items.push_back(items[static_cast<size_t>(places[i])]);
  return Share(std::move(list));
}

Value Pop(HigherOrderCall& call) {
  if (!IsDict(call)) {
    std::vector<Value>& items = ItemsAt(call, 0);
    const size_t place = PlaceOf(OptionalIntAt(call, 1).value_or(-1), items.size());
    Value taken = std::move(items[place]);
    items.erase(items.begin() + static_cast<ptrdiff_t>(place));
    return taken;
  }
  auto* entry = Find(DictAt(call, 0), call.At(1, "a key"));
  if (!entry && call.size() > 2) return call.At(2, "a value");
  const Value taken = Found(entry, call.At(1, "a key"));
  std::erase_if(DictAt(call, 0).items, [&](const auto& e) { return SameValue(e.first, call.At(1, "a key")); });
  return taken;
}

bool Before(const Value& a, const Value& b) {
  if (a.Is<std::string>() && b.Is<std::string>()) return a.Get<std::string>() < b.Get<std::string>();
  const auto real = [](const Value& v) {
    if (const std::optional<double> number = TryReal(v)) return *number;
    Fail(ErrorClass::kDataDependentOutput, "the order of " + ToString(v) + " among others depends on data");
  };
  return real(a) < real(b);
}

void SortItems(std::vector<Value>& items, bool reverse) {
  for (const Value& item : items) Before(item, item);
  if (reverse)
    std::stable_sort(items.begin(), items.end(), [](const Value& a, const Value& b) { return Before(b, a); });
  else std::stable_sort(items.begin(), items.end(), Before);
}

Value Sort(HigherOrderCall& call) {
  const bool* reverse = call.TryBool(1);
  SortItems(ItemsAt(call, 0), reverse && *reverse);
  return {};
}

Value Sorted(HigherOrderCall& call) {
  List list{ListAt(call, 0), false};
  SortItems(list.items, false);
  return Share(std::move(list));
}

Value RangeList(HigherOrderCall& call) {
  const int64_t end = IntAt(call, 0);
  CheckListLength(static_cast<uint64_t>(std::max<int64_t>(end, 0)));
  List list;
  for (int64_t i = 0; i < end; ++i) list.items.push_back(i);
  return Share(std::move(list));
}

Value SameLists(HigherOrderCall& call) {
  const auto &a = ListAt(call, 0), &b = ListAt(call, 1);
  for (const auto* items : {&a, &b})
    for (const Value& item : *items)
      if (item.TryTensor() && a.size() == b.size()) return UnknownOf("bool");
  return SameValue(call.At(0, "a list"), call.At(1, "a list"));
}

Value DifferentLists(HigherOrderCall& call) {
  const Value same = SameLists(call);
  return IsUnknown(same) ? same : Value(!same.Get<bool>());
}

// ---- dicts

Value MakeDict(HigherOrderCall& call) {
  Dict dict;
  if (call.size() && IsDict(call)) return Share(DictAt(call, 0));
  if (call.size()) {
    for (const Value& pair : ListAt(call, 0)) {
      const List* two = Deref(pair).TryList();
      if (!two || two->items.size() != 2)
        Fail(ErrorClass::kTypeError, "a dict is made of pairs, not of " + ToString(pair));
      if (auto* entry = Find(dict, two->items[0])) entry->second = two->items[1];
      else dict.items.emplace_back(two->items[0], two->items[1]);
    }
  }
  return Share(std::move(dict));
}

Value Keys(HigherOrderCall& call) {
  List list;
  for (const auto& entry : DictAt(call, 0).items) list.items.push_back(entry.first);
  return Share(std::move(list));
}

Value Values(HigherOrderCall& call) {
  List list;
  for (const auto& entry : DictAt(call, 0).items) list.items.push_back(entry.second);
  return Share(std::move(list));
}

Value Items(HigherOrderCall& call) {
  List list;
  for (const auto& [key, value] : DictAt(call, 0).items) list.items.push_back(List{{key, value}, true});
  return Share(std::move(list));
}

Value Get(HigherOrderCall& call) {
  if (auto* entry = Find(DictAt(call, 0), call.At(1, "a key"))) return entry->second;
  return call.size() > 2 ? call.At(2, "a value") : Value();
}

Value SetDefault(HigherOrderCall& call) {
  if (auto* entry = Find(DictAt(call, 0), call.At(1, "a key"))) return entry->second;
  DictAt(call, 0).items.emplace_back(call.At(1, "a key"), call.At(2, "a value"));
  return call.At(2, "a value");
}

Value Update(HigherOrderCall& call) {
  const auto more = DictAt(call, 1).items;
  Dict& dict = DictAt(call, 0);
  for (const auto& [key, value] : more) {
    if (auto* entry = Find(dict, key)) entry->second = value;
    else dict.items.emplace_back(key, value);
  }
  return {};
}

Value PopItem(HigherOrderCall& call) {
  Dict& dict = DictAt(call, 0);
  if (dict.items.empty()) Fail(ErrorClass::kIndexOutOfRange, "popitem of an empty dict");
  const auto [key, value] = dict.items.back();
  dict.items.pop_back();
  return List{{key, value}, true};
}

constexpr HigherOrderRow kRows[] = {
    {"aten::len.t", Length},
    {"aten::len.any", Length},
    {"aten::len.Dict_str", Length},
    {"aten::len.Dict_int", Length},
    {"aten::len.Dict_bool", Length},
    {"aten::len.Dict_float", Length},
    {"aten::len.Dict_complex", Length},
    {"aten::len.Dict_Tensor", Length},
    {"aten::__getitem__.t", GetItem},
    {"aten::__getitem__.Dict_str", GetItem},
    {"aten::__getitem__.Dict_int", GetItem},
    {"aten::__getitem__.Dict_bool", GetItem},
    {"aten::__getitem__.Dict_float", GetItem},
    {"aten::__getitem__.Dict_complex", GetItem},
    {"aten::__getitem__.Dict_Tensor", GetItem},
    {"aten::select.t", GetItem},
    {"prim::TupleIndex", GetItem},
    {"aten::_set_item*", SetItem},
    {"aten::Delete*", Delete},
    {"aten::clear*", Clear},
    {"aten::copy.t", Copy},
    {"aten::copy.Dict_str", Copy},
    {"aten::copy.Dict_int", Copy},
    {"aten::copy.Dict_bool", Copy},
    {"aten::copy.Dict_float", Copy},
    {"aten::copy.Dict_complex", Copy},
    {"aten::copy.Dict_Tensor", Copy},
    {"aten::list.t", Copy},
    {"aten::__contains__.str", Contains},
    {"aten::__contains__.int", Contains},
    {"aten::__contains__.bool", Contains},
    {"aten::__contains__.float", Contains},
    {"aten::__contains__.complex", Contains},
    {"aten::__contains__.Tensor", Contains},

    {"aten::append*", Append},
    {"aten::extend*", Extend},
    {"aten::insert*", Insert},
    {"aten::remove*", Remove},
    {"aten::reverse*", Reverse},
    {"aten::pop*", Pop},
    {"aten::add.t", Joined},
    {"aten::add_.t", AddInPlace},
    {"aten::mul.left_t", Repeated},
    {"aten::mul.right_", Repeated},
    {"aten::slice.t", Slice},
    {"aten::sort.int", Sort},
    {"aten::sort.float", Sort},
    {"aten::sort.bool", Sort},
    {"aten::sort.str", Sort},
    {"aten::sort.Tensor", Sort},
    {"aten::sort.any", Sort},
    {"aten::sorted.any", Sorted},
    {"aten::sorted.Tensor", Sorted},
    {"aten::eq.Tensor_list", SameLists},
    {"aten::ne.Tensor_list", DifferentLists},
    {"prim::rangelist", RangeList},

    {"aten::dict*", MakeDict},
    {"aten::keys*", Keys},
    {"aten::values.str", Values},
    {"aten::values.int", Values},
    {"aten::values.bool", Values},
    {"aten::values.float", Values},
    {"aten::values.complex", Values},
    {"aten::values.Tensor", Values},
    {"aten::items*", Items},
    {"aten::get*", Get},
    {"aten::setdefault*", SetDefault},
    {"aten::update*", Update},
    {"aten::popitem*", PopItem},
};

}  // namespace

std::span<const HigherOrderRow> ScriptContainerRows() { return kRows; }

}  // namespace fakeprop
