#include "lib/torchscript/operations/script_values.h"

#include <algorithm>

#include "lib/meta/value_visit.h"
#include "lib/rules/support/data_dependent_results.h"

namespace fakeprop {
namespace {

constexpr std::string_view kUnknown = "unknown ";

[[noreturn]] void FailType(HigherOrderCall& call, size_t i, std::string_view expected) {
  const Value& value = call.At(i, expected);
  const std::string which = "argument " + std::to_string(i) + " of " + std::string(call.Name());
  if (IsUnknown(Deref(value))) Fail(ErrorClass::kDataDependentOutput, which + " depends on data: " + ToString(value));
  Fail(ErrorClass::kTypeError, which + " has to be " + std::string(expected) + " but is " + ToString(value));
}

bool SameTensors(const Tensor& a, const Tensor& b) {
  const TensorMeta &x = a.meta, &y = b.meta;
  return x.dtype == y.dtype && x.device == y.device && x.layout == y.layout && x.sizes.size() == y.sizes.size() &&
         x.strides.size() == y.strides.size() && Known(Eq(x.storage_offset, y.storage_offset)) &&
         std::equal(x.sizes.begin(), x.sizes.end(), y.sizes.begin(), [](Dim s, Dim t) { return Known(Eq(s, t)); }) &&
         std::equal(
             x.strides.begin(), x.strides.end(), y.strides.begin(), [](Dim s, Dim t) { return Known(Eq(s, t)); });
}

bool SameNumbers(const Value& a, const Value& b) {
  const auto number = [](const Value& v) {
    const std::optional<double> real = TryReal(v);
    return real ? std::complex<double>(*real) : v.Get<std::complex<double>>();
  };
  return number(a) == number(b);
}

// `same_tensors`, `same_dims`: when two different tensors, and two integers, count as the same.
template <typename SameTensor>
bool SameBy(
    const Value& left, const Value& right, const SameTensor& same_tensor, bool (*same_dims)(Cond), int level = 0) {
  constexpr int kMostLevels = 100;
  const Value &a = Deref(left), &b = Deref(right);
  if (&a == &b || level > kMostLevels) return true;
  const auto inner = [&](const Value& x, const Value& y) { return SameBy(x, y, same_tensor, same_dims, level + 1); };
  if (a.TryTensor() && b.TryTensor())
    return a.TryTensor() == b.TryTensor() || same_tensor(*a.TryTensor(), *b.TryTensor());
  if (a.TryList() && b.TryList()) {
    const auto &x = a.TryList()->items, &y = b.TryList()->items;
    return x.size() == y.size() && std::equal(x.begin(), x.end(), y.begin(), inner);
  }
  if (a.Is<Dict>() && b.Is<Dict>()) {
    const auto &x = a.Get<Dict>().items, &y = b.Get<Dict>().items;
    return x.size() == y.size() && std::equal(x.begin(), x.end(), y.begin(), [&](const auto& p, const auto& q) {
      return inner(p.first, q.first) && inner(p.second, q.second);
    });
  }
  if (a.IsNumber() && b.IsNumber()) {
    return a.Is<Dim>() && b.Is<Dim>() ? same_dims(Eq(a.Get<Dim>(), b.Get<Dim>())) : SameNumbers(a, b);
  }
  if (a.variant().index() != b.variant().index()) return false;
  if (const auto* s = a.TryGet<std::string>()) return *s == b.Get<std::string>();
  if (const auto* d = a.TryGet<Device>()) return *d == b.Get<Device>();
  if (const auto* d = a.TryGet<ScalarType>()) return *d == b.Get<ScalarType>();
  if (const auto* s = a.TryGet<SharedValue>()) return s->to == b.Get<SharedValue>().to;
  return ToString(a) == ToString(b);
}

}  // namespace

const Value& Deref(const Value& value) {
  const SharedValue* shared = value.TryGet<SharedValue>();
  return shared && shared->class_name.empty() ? *shared->to : value;
}

Value Share(Value value) { return SharedValue{std::make_shared<Value>(std::move(value)), ""}; }

Value Shared(const Value& value) {
  const auto same = [](const Value& inner) { return inner; };
  return MapValues(value, same, [](Value container) {
    const List* list = container.TryList();
    const bool can_change = container.Is<Dict>() || (list && !list->is_tuple);
    return can_change ? Share(std::move(container)) : container;
  });
}

Value UnknownOf(std::string type) { return Opaque{std::string(kUnknown) + type, "that depends on data"}; }

Value NumberOfData(const std::string& type) {
  return type == "int" && rules::MakesUnbacked() ? Value(rules::UnbackedInteger()) : UnknownOf(type);
}

bool IsUnknown(const Value& value) {
  const Opaque* opaque = value.TryGet<Opaque>();
  return opaque && opaque->class_name.starts_with(kUnknown);
}

Value UninitializedValue() { return Opaque{"uninitialized", ""}; }

bool IsUninitialized(const Value& value) {
  const Opaque* opaque = value.TryGet<Opaque>();
  return opaque && opaque->class_name == "uninitialized";
}

const std::string& UnknownType(const Value& value) {
  static const std::string kTypes[] = {"int", "float", "bool", "str", "number"};
  for (const std::string& type : kTypes)
    if (value.Get<Opaque>().class_name.ends_with(type)) return type;
  return kTypes[4];
}

bool SameMetadata(const Value& a, const Value& b) {
  return SameBy(a, b, SameTensors, [](Cond equal) { return Known(equal); });
}
bool SameValue(const Value& a, const Value& b) {
  return SameBy(
      a, b, [](const Tensor&, const Tensor&) { return false; }, [](Cond equal) { return Guard(equal); });
}

std::optional<double> TryReal(const Value& value) {
  if (const Dim* d = value.TryGet<Dim>()) return static_cast<double>(d->Specialize());
  if (const bool* b = value.TryGet<bool>()) return *b ? 1 : 0;
  if (const double* d = value.TryGet<double>()) return *d;
  return std::nullopt;
}

std::vector<Value>& ItemsAt(HigherOrderCall& call, size_t i) {
  const SharedValue* shared = call.At(i, "a list").TryGet<SharedValue>();
  if (!shared || !shared->to->Is<List>()) FailType(call, i, "a list");
  return shared->to->TryGet<List>()->items;
}

const std::vector<Value>& ListAt(HigherOrderCall& call, size_t i) {
  const List* list = Deref(call.At(i, "a list")).TryList();
  if (!list) FailType(call, i, "a list");
  return list->items;
}

Dict& DictAt(HigherOrderCall& call, size_t i) {
  const SharedValue* shared = call.At(i, "a dict").TryGet<SharedValue>();
  if (!shared || !shared->to->Is<Dict>()) FailType(call, i, "a dict");
  return *shared->to->TryGet<Dict>();
}

int64_t IntAt(HigherOrderCall& call, size_t i) {
  const Value& value = call.At(i, "an int");
  if (const bool* b = value.TryGet<bool>()) return *b;
  if (const Dim* d = value.TryGet<Dim>()) return d->Specialize();
  FailType(call, i, "an int");
}

std::optional<int64_t> OptionalIntAt(HigherOrderCall& call, size_t i) {
  if (i >= call.size() || call.At(i, "an int").IsNone()) return std::nullopt;
  return IntAt(call, i);
}

const std::string& StringAt(HigherOrderCall& call, size_t i) {
  if (const auto* text = call.At(i, "a string").TryGet<std::string>()) return *text;
  FailType(call, i, "a string");
}

Tensor& TensorAt(HigherOrderCall& call, size_t i) {
  if (Tensor* t = call.At(i, "a tensor").TryTensor()) return *t;
  FailType(call, i, "a tensor");
}

}  // namespace fakeprop
