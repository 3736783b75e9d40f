#include "lib/fuzzer/mutate.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>
#include <stdexcept>

#include "lib/error/error.h"
#include "lib/meta/dtype.h"
#include "lib/meta/value_visit.h"
#include "lib/rules/core/bind_arguments.h"
#include "lib/rules/core/common_device.h"
#include "lib/rules/rule_table.h"
#include "lib/rules/testing/parsed_call.h"
#include "lib/schema/schema_table.h"

namespace fakeprop::fuzzer {
namespace {

constexpr int64_t kSizes[] = {0, 1, 1, 2, 3, 4, 5, 7};
constexpr int64_t kMostElements = 100'000;
constexpr ScalarType kDtypes[] = {ScalarType::Float, ScalarType::Double, ScalarType::Half, ScalarType::BFloat16,
    ScalarType::Long, ScalarType::Int, ScalarType::Bool, ScalarType::Byte, ScalarType::ComplexFloat, ScalarType::Short};

class Mutator {
 public:
  Mutator(testing::ParsedCall& call, Random& random) : call_(call), random_(random) {}

  void Run() {
    for (int left = 1 + static_cast<int>(random_.Below(3)); left > 0; --left) Change();
  }

 private:
  void Change() {
    switch (random_.Below(14)) {
      case 0:
      case 1: return ResizeEverywhere();
      case 2: return ResizeOne();
      case 3: return ChangeRanks();
      case 4:
      case 5:
      case 6: return Restride();
      case 7:
      case 8: return ChangeDtype();
      case 9:
      case 10: return ChangeNumber();
      case 11: return DropOption();
      case 12: return AddOption();
      default: return ChangeForm();
    }
  }

  Tensor* AnyTensor() { return call_.tensors.empty() ? nullptr : random_.Pick(call_.tensors); }

  // ---- sizes

  // New sizes in the order that the old strides had.
  static void SetSizes(Tensor& t, Dims sizes) {
    const bool same_rank = sizes.size() == t.meta.sizes.size();
    TensorMeta meta = t.meta;
    meta.sizes = std::move(sizes);
    if (!same_rank || IsContiguous(t.meta)) {
      meta.strides = ContiguousStrides(meta.size_span());
      meta.storage_offset = 0;
    } else {
      meta.strides = PackedLike(meta.size_span(), t.meta.stride_span());
    }
    if (IsSmall(meta)) t.meta = std::move(meta);
  }

  static bool IsSmall(const TensorMeta& meta) { return Known(Le(Numel(meta.size_span()), kMostElements)); }

  // Dense strides whose order is that of `like`.
  static Dims PackedLike(DimSpan sizes, DimSpan like) {
    std::vector<size_t> order(sizes.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return Known(Gt(like[a], like[b])); });
    return Packed(sizes, order);
  }

  // Dense strides, the outermost dimension first in `order`.
  static Dims Packed(DimSpan sizes, const std::vector<size_t>& order) {
    Dims strides(sizes.size(), Dim(1));
    Dim next = 1;
    for (auto it = order.rbegin(); it != order.rend(); ++it) {
      strides[*it] = next;
      next = next * Max(sizes[*it], 1);
    }
    return strides;
  }

  void ResizeEverywhere() {
    Tensor* chosen = AnyTensor();
    if (!chosen || chosen->meta.sizes.empty()) return;
    const Dim from = random_.Pick(chosen->meta.sizes);
    const Dim to = random_.Pick(kSizes);
    for (Tensor* t : call_.tensors) {
      Dims sizes = t->meta.sizes;
      std::replace_if(
          sizes.begin(), sizes.end(), [&](Dim d) { return Known(Eq(d, from)); }, to);
      SetSizes(*t, std::move(sizes));
    }
    if (!random_.OneIn(2)) return;
    const auto replaced = [&](const Value& inner) {
      const Dim* number = inner.TryGet<Dim>();
      return number && Known(Eq(*number, from)) ? Value(to) : inner;
    };
    for (GivenArgument& argument : call_.arguments) argument.value = MapValues(argument.value, replaced);
  }

  void ResizeOne() {
    Tensor* t = AnyTensor();
    if (!t || t->meta.sizes.empty()) return;
    Dims sizes = t->meta.sizes;
    random_.Pick(sizes) = random_.Pick(kSizes);
    SetSizes(*t, std::move(sizes));
  }

  // A dimension more or less, in front: of one tensor, or of all of its rank.
  void ChangeRanks() {
    const Tensor* chosen = AnyTensor();
    if (!chosen) return;
    const bool only_one = random_.OneIn(3), more = random_.OneIn(2) && chosen->meta.rank() < 5;
    const int64_t rank = chosen->meta.rank();
    const Dim size = random_.Pick(kSizes);
    for (Tensor* t : call_.tensors) {
      if (only_one ? t != chosen : t->meta.rank() != rank) continue;
      Dims sizes = t->meta.sizes;
      if (more) sizes.insert(sizes.begin(), size);
      else if (!sizes.empty()) sizes.erase(sizes.begin());
      SetSizes(*t, std::move(sizes));
    }
  }

  // ---- strides

  void Restride() {
    Tensor* t = AnyTensor();
    if (!t || t->meta.sizes.empty()) return;
    TensorMeta& m = t->meta;
    std::vector<size_t> order(m.sizes.size());
    std::iota(order.begin(), order.end(), 0);
    switch (random_.Below(7)) {
      case 0:  // transposed
        if (order.size() >= 2) std::swap(order[order.size() - 1], order[order.size() - 2]);
        break;
      case 1:  // permuted
        for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random_.Below(i)]);
        break;
      case 2:  // channels-last
      case 3:
        if (order.size() >= 3) std::rotate(order.begin() + 1, order.begin() + 2, order.end());
        break;
      case 4:  // expanded
        random_.Pick(m.strides) = 0;
        return;
      case 5:  // every second element, from the second on
        for (Dim& stride : m.strides) stride = stride * 2;
        m.storage_offset = 1;
        return;
      default:  // a slice of rows
        for (size_t i = 0; i + 1 < m.strides.size(); ++i) m.strides[i] = m.strides[i] + 1;
        m.storage_offset = 2;
        return;
    }
    m.strides = Packed(m.size_span(), order);
    m.storage_offset = random_.OneIn(4) ? 3 : 0;
  }

  // ---- dtypes

  void ChangeDtype() {
    const Tensor* chosen = AnyTensor();
    if (!chosen) return;
    const ScalarType from = chosen->meta.dtype, to = random_.Pick(kDtypes);
    const bool only_one = random_.OneIn(2);
    for (Tensor* t : call_.tensors)
      if (only_one ? t == chosen : t->meta.dtype == from) t->meta.dtype = to;
  }

  // ---- other arguments

  // No tensor and no list of tensors.
  static bool MayChange(const Value& value) {
    if (const List* list = value.TryList()) return list->items.empty() || !list->items[0].TryTensor();
    return value.IsNumber() || value.Is<ScalarType>() || value.Is<MemoryFormat>();
  }

  void ChangeNumber() {
    std::vector<const Value*> found;
    for (const GivenArgument& argument : call_.arguments)
      ForEachValue(argument.value, [&](const Value& inner) {
        if (MayChange(inner)) found.push_back(&inner);
      });
    if (!found.empty()) ChangeValue(const_cast<Value&>(*random_.Pick(found)));  // the arguments are our own
  }

  void ChangeValue(Value& value) {
    constexpr int64_t kInts[] = {-2, -1, 0, 0, 1, 1, 2, 3, 4};
    constexpr double kFloats[] = {0.0, 1.0, 0.5, -0.5, 2.0, 1e-5};
    constexpr MemoryFormat kFormats[] = {
        MemoryFormat::Contiguous, MemoryFormat::Preserve, MemoryFormat::ChannelsLast, MemoryFormat::ChannelsLast3d};
    if (const bool* b = value.TryGet<bool>()) value = !*b;
    else if (const Dim* d = value.TryGet<Dim>())
      value = random_.OneIn(2) ? Value(*d + (random_.OneIn(2) ? 1 : -1)) : Value(random_.Pick(kInts));
    else if (value.Is<double>()) value = random_.Pick(kFloats);
    else if (value.Is<ScalarType>()) value = random_.Pick(kDtypes);
    else if (value.Is<MemoryFormat>()) value = random_.Pick(kFormats);
    else if (List* list = value.TryGet<List>()) ChangeLength(*list);
  }

  void ChangeLength(List& list) {
    if (list.items.empty() || random_.OneIn(2)) list.items.push_back(list.items.empty() ? Value(1) : list.items.back());
    else list.items.pop_back();
  }

  // An optional argument as None, or a written one as its default.
  void DropOption() {
    if (call_.arguments.empty()) return;
    const size_t i = random_.Below(call_.arguments.size());
    GivenArgument& argument = call_.arguments[i];
    const int at = argument.name.empty() ? static_cast<int>(i) : call_.schema->FindArgument(argument.name);
    if (at < 0 || at >= static_cast<int>(call_.schema->arguments.size())) return;
    const SchemaArgument& declared = call_.schema->arguments[at];
    if (declared.type.is_optional) argument.value = Value();
    else if (declared.default_value) argument.value = *declared.default_value;
    DropLostTensors();
  }

  void DropLostTensors() {
    std::vector<Tensor*> left;
    for (const GivenArgument& argument : call_.arguments)
      ForEachTensor(argument.value, [&](Tensor& t) { left.push_back(&t); });
    call_.tensors = std::move(left);
  }

  // An argument that is left to its default, with another value.
  void AddOption() {
    std::vector<const SchemaArgument*> unset;
    for (size_t i = call_.arguments.size(); i < call_.schema->arguments.size(); ++i) {
      const SchemaArgument& declared = call_.schema->arguments[i];
      const bool named = std::any_of(call_.arguments.begin(), call_.arguments.end(),
          [&](const GivenArgument& a) { return a.name == declared.name; });
      if (!named && declared.default_value) unset.push_back(&declared);
    }
    if (unset.empty()) return;
    const SchemaArgument& declared = *random_.Pick(unset);
    Value value = *declared.default_value;
    if (value.IsNone()) value = PlainValue(declared.type);
    ChangeValue(value);
    if (!value.IsNone()) call_.arguments.push_back({declared.name, std::move(value)});
  }

  Value PlainValue(const Type& type) {
    if (type.is_list) {
      List list;
      if (type.kind == TypeKind::kInt || type.kind == TypeKind::kSymInt) list.items.push_back(1);
      return list.items.empty() ? Value() : Value(list);
    }
    switch (type.kind) {
      case TypeKind::kInt:
      case TypeKind::kSymInt:
      case TypeKind::kScalar: return 1;
      case TypeKind::kFloat: return 0.5;
      case TypeKind::kBool: return true;
      case TypeKind::kDtype: return ScalarType::Float;
      case TypeKind::kMemoryFormat: return MemoryFormat::Preserve;
      default: return {};
    }
  }

  // ---- the operator

  void ChangeForm() { random_.OneIn(2) ? ChangeToInplace() : ChangeToOut(); }

  // `add.Tensor` as `add_.Tensor`, or back.
  void ChangeToInplace() {
    const std::string full(call_.schema->full_name);
    const size_t end = std::min(full.find('.', 6), full.size());
    std::string other = full;
    if (full[end - 1] == '_') other.erase(end - 1, 1);
    else other = full.substr(0, end) + "_" + full.substr(end);
    const Schema* schema = FindSchema(other);
    if (!schema || call_.arguments.size() > schema->arguments.size()) return;
    for (const GivenArgument& argument : call_.arguments)
      if (!argument.name.empty() && schema->FindArgument(argument.name) < 0) return;
    call_.op = other;
    call_.schema = schema;
  }

  // With tensors for what our rule says that it gives, now and then of another size, dtype or order.
  void ChangeToOut() {
    const Schema* form = OutForm();
    if (!form) return;
    std::vector<TensorMeta> metas = ResultMetas();
    size_t next = 0;
    for (const SchemaArgument& argument : form->arguments) {
      if (!argument.IsOut()) continue;
      if (argument.type.is_list) {
        List list;
        while (next < metas.size()) list.items.push_back(NewTensor(metas[next++]));
        call_.arguments.push_back({argument.name, std::move(list)});
      } else if (next < metas.size()) {
        call_.arguments.push_back({argument.name, NewTensor(metas[next++])});
      }
    }
    call_.op = form->full_name;
    call_.schema = form;
  }

  const Schema* OutForm() const {
    for (const SchemaEntry& entry : Overloads(call_.schema->name)) {
      const Schema* form = FindSchema(entry.full_name);
      const ServedRule* served = form->IsOut() ? FindRule(*form) : nullptr;
      if (served && served->functional == call_.schema && TakesWritten(*form)) return form;
    }
    return nullptr;
  }

  // The positions of what is written by position stay.
  bool TakesWritten(const Schema& form) const {
    for (size_t i = 0; i < call_.arguments.size(); ++i) {
      const GivenArgument& argument = call_.arguments[i];
      if (!argument.name.empty() ? form.FindArgument(argument.name) < 0
                                 : form.FindArgument(call_.schema->arguments[i].name) != static_cast<int>(i))
        return false;
    }
    return true;
  }

  std::vector<TensorMeta> ResultMetas() const {
    const std::vector<const Value*> bound = BindArguments(*call_.schema, call_.arguments);
    const ServedRule* served = FindRule(*call_.schema);
    const ExecutionState state;
    Effects effects;
    Call call(*call_.schema, bound, state, CommonDevice(*call_.schema, bound, Devices::kAny), effects);
    if (served) RunRule(*served, call);
    std::vector<TensorMeta> metas;
    for (const Output& output : effects.outputs) AddMetas(output, metas);
    return metas;
  }
  static void AddMetas(const Output& output, std::vector<TensorMeta>& metas) {
    for (const Output& item : output.items) AddMetas(item, metas);
    if (output.kind == Output::Kind::kList || output.kind == Output::Kind::kValue) return;
    metas.push_back(output.kind == Output::Kind::kArgument ? output.source->meta : output.meta);
  }

  Tensor* NewTensor(const TensorMeta& like) {
    TensorMeta meta = ContiguousMeta(like.size_span(), like.dtype, like.device);
    if (random_.OneIn(3)) meta = ContiguousMeta(std::array{Dim(0)}, like.dtype, like.device);
    if (random_.OneIn(3)) meta.dtype = random_.Pick(kDtypes);
    if (random_.OneIn(5) && meta.rank() >= 2) std::reverse(meta.strides.begin(), meta.strides.end());
    call_.tensors.push_back(call_.objects.NewTensor(meta, call_.objects.NewStorage(StorageNbytes(meta), meta.device)));
    return call_.tensors.back();
  }

  testing::ParsedCall& call_;
  Random& random_;
};

}  // namespace

uint64_t Random::Next() {
  uint64_t z = state_ += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

std::string Mutate(const std::string& text, Random& random) {
  testing::ParsedCall call = testing::ParseCall(text);
  if (!call.schema) return text;
  try {
    Mutator(call, random).Run();
  } catch (const OpError&) {  // a size beyond int64
    return text;
  }
  return testing::CallText(call);
}

}  // namespace fakeprop::fuzzer
