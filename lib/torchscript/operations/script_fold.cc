#include "lib/torchscript/operations/script_fold.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "lib/meta/dtype.h"
#include "lib/schema/functional_name.h"

namespace fakeprop {
namespace {

using Binary = double (*)(double, double);

double FloorMod(double a, double b) { return b == 0 ? std::nan("") : a - std::floor(a / b) * b; }

struct Row {
  std::string_view name;
  Binary compute;
};
constexpr Row kRows[] = {
    {"aten::add", [](double a, double b) { return a + b; }},
    {"aten::sub", [](double a, double b) { return a - b; }},
    {"aten::rsub", [](double a, double b) { return b - a; }},
    {"aten::mul", [](double a, double b) { return a * b; }},
    {"aten::div", [](double a, double b) { return a / b; }},
    {"aten::true_divide", [](double a, double b) { return a / b; }},
    {"aten::floor_divide", [](double a, double b) { return std::floor(a / b); }},
    {"aten::remainder", FloorMod},
    {"aten::pow", [](double a, double b) { return std::pow(a, b); }},
    {"aten::maximum", [](double a, double b) { return std::max(a, b); }},
    {"aten::minimum", [](double a, double b) { return std::min(a, b); }},
    {"aten::max", [](double a, double b) { return std::max(a, b); }},
    {"aten::min", [](double a, double b) { return std::min(a, b); }},
    {"aten::eq", [](double a, double b) { return a == b ? 1.0 : 0.0; }},
    {"aten::ne", [](double a, double b) { return a != b ? 1.0 : 0.0; }},
    {"aten::lt", [](double a, double b) { return a < b ? 1.0 : 0.0; }},
    {"aten::le", [](double a, double b) { return a <= b ? 1.0 : 0.0; }},
    {"aten::gt", [](double a, double b) { return a > b ? 1.0 : 0.0; }},
    {"aten::ge", [](double a, double b) { return a >= b ? 1.0 : 0.0; }},
};
struct UnaryRow {
  std::string_view name;
  double (*compute)(double);
};
constexpr UnaryRow kUnaryRows[] = {
    {"aten::neg", [](double a) { return -a; }},
    {"aten::abs", [](double a) { return std::fabs(a); }},
    {"aten::floor", [](double a) { return std::floor(a); }},
    {"aten::ceil", [](double a) { return std::ceil(a); }},
    {"aten::round", [](double a) { return std::nearbyint(a); }},
    {"aten::trunc", [](double a) { return std::trunc(a); }},
    {"aten::sqrt", [](double a) { return std::sqrt(a); }},
    {"aten::logical_not", [](double a) { return a == 0 ? 1.0 : 0.0; }},
    {"aten::reciprocal", [](double a) { return 1 / a; }},
    {"aten::to", [](double a) { return a; }},
};
// Over all elements, of the overloads that take nothing else or a dtype.
constexpr Row kReductions[] = {
    {"aten::max", [](double a, double b) { return std::max(a, b); }},
    {"aten::min", [](double a, double b) { return std::min(a, b); }},
    {"aten::sum", [](double a, double b) { return a + b; }},
    {"aten::prod", [](double a, double b) { return a * b; }},
};

// A number, or the element of a tensor that has one and is known. Nothing for symbols: FoldedDim.
std::optional<double> NumberOf(const Value& value) {
  if (const Tensor* t = value.TryTensor()) {
    const std::vector<Value>* known = t->KnownValue();
    return known && known->size() == 1 && t->meta.rank() == 0 ? NumberOf(known->front()) : std::nullopt;
  }
  if (const Dim* d = value.TryGet<Dim>()) {
    const auto number = d->TryNumber();
    if (!number || std::abs(static_cast<double>(*number)) > 9e15) return std::nullopt;  // exact as a double
    return static_cast<double>(*number);
  }
  if (const double* d = value.TryGet<double>()) return *d;
  if (const bool* b = value.TryGet<bool>()) return *b ? 1 : 0;
  return std::nullopt;
}

// The integer in a tensor of one element, or as a number.
std::optional<Dim> DimOf(const Value& value) {
  if (const Dim* d = value.TryGet<Dim>()) return *d;
  const Tensor* t = value.TryTensor();
  const std::vector<Value>* known = t && t->meta.rank() == 0 && IsIntegral(t->meta.dtype) ? t->KnownValue() : nullptr;
  return known && known->front().Is<Dim>() ? DimOf(known->front()) : std::nullopt;
}

// What a trace computes with sizes that are symbols.
std::optional<Dim> FoldedDim(const Schema& schema, std::span<const Value* const> arguments) {
  const std::string_view name = FunctionalName(schema.name);
  const auto a = DimOf(*arguments[0]);
  if (a && name == "aten::neg") return -*a;
  const auto b = arguments.size() > 1 ? DimOf(*arguments[1]) : std::nullopt;
  const int alpha = schema.FindArgument("alpha");
  if (!a || !b || (alpha >= 0 && NumberOf(*arguments[alpha]) != 1)) return std::nullopt;
  if (name == "aten::add") return *a + *b;
  if (name == "aten::sub") return *a - *b;
  if (name == "aten::rsub") return *b - *a;
  if (name == "aten::mul") return *a * *b;
  if (name == "aten::floor_divide") return FloorDiv(*a, *b);
  return std::nullopt;
}

// "floor", "trunc" or none.
double Rounded(double value, const Schema& schema, std::span<const Value* const> arguments) {
  const int mode = schema.FindArgument("rounding_mode");
  const std::string* text = mode < 0 ? nullptr : arguments[mode]->TryGet<std::string>();
  if (!text) return value;
  return *text == "floor" ? std::floor(value) : std::trunc(value);
}

std::optional<double> Reduce(const Schema& schema, const Tensor& t) {
  const std::vector<Value>* known = t.KnownValue();
  if (!known || known->empty() || !schema.overload.empty()) return std::nullopt;
  for (const Row& row : kReductions) {
    if (row.name != schema.name) continue;
    std::optional<double> result = NumberOf(known->front());
    for (size_t i = 1; i < known->size() && result; ++i) {
      const auto next = NumberOf((*known)[i]);
      result = next ? std::optional(row.compute(*result, *next)) : std::nullopt;
    }
    return result;
  }
  return std::nullopt;
}

// As a tensor of the dtype holds it; nothing for dtypes whose rounding is not known here.
std::optional<Value> ElementOf(double number, ScalarType dtype) {
  if (!std::isfinite(number)) return std::nullopt;
  if (dtype == ScalarType::Bool) return Value(number != 0);
  if (dtype == ScalarType::Float) return Value(static_cast<double>(static_cast<float>(number)));
  if (IsFloat(dtype)) return Value(number);
  if (IsFloatOrComplex(dtype)) return std::nullopt;
  if (std::fabs(number) > 9e15) return std::nullopt;
  return Value(static_cast<int64_t>(number));
}

void Know(Tensor& t, std::vector<Value> elements) {
  t.constant = std::make_shared<const std::vector<Value>>(std::move(elements));
  t.constant_version = t.storage->version;
}

std::optional<int64_t> IntAt(std::span<const Value* const> arguments, size_t i) {
  const Dim* d = i < arguments.size() ? arguments[i]->TryGet<Dim>() : nullptr;
  return d ? d->TryNumber() : std::nullopt;
}

// Parts of a list of known elements: x[1], x[-2:].
void FoldPart(const Schema& schema, std::span<const Value* const> arguments, const Tensor& whole, Tensor& part) {
  const std::vector<Value>* known = whole.KnownValue();
  if (!known || whole.meta.rank() != 1) return;
  const int64_t size = static_cast<int64_t>(known->size());
  const auto place = IntAt(arguments, 2);
  if (schema.full_name == "aten::select.int" && place)
    if (const int64_t i = *place < 0 ? *place + size : *place; i >= 0 && i < size)
      Know(part, {(*known)[static_cast<size_t>(i)]});
  const auto step = IntAt(arguments, 4);
  const auto length = part.meta.rank() == 1 ? part.meta.sizes[0].TryNumber() : std::nullopt;
  if (schema.full_name != "aten::slice.Tensor" || !step || !length || *length == 0) return;
  const int64_t given = place.value_or(0), first = std::max<int64_t>(given < 0 ? given + size : given, 0);
  std::vector<Value> elements;
  for (int64_t i = 0; i < *length && first + i * *step < size; ++i)
    elements.push_back((*known)[static_cast<size_t>(first + i * *step)]);
  if (std::ssize(elements) == *length) Know(part, std::move(elements));
}

// A sorted list of known elements and their places: lengths, from which pack_padded_sequence makes its steps.
void FoldSort(const Schema& schema, std::span<const Value* const> arguments, const Tensor& whole, const Value& result) {
  const std::vector<Value>* known = whole.KnownValue();
  const List* sorted = result.TryList();
  const int falling = schema.FindArgument("descending");
  if (schema.name != "aten::sort" || !known || whole.meta.rank() != 1 || !sorted || falling < 0) return;
  if (!std::ranges::all_of(*known, [](const Value& v) { return NumberOf(v).has_value(); })) return;
  std::vector<size_t> order(known->size());
  std::iota(order.begin(), order.end(), size_t{0});
  const bool falls = arguments[falling]->TryGet<bool>() && *arguments[falling]->TryGet<bool>();
  std::ranges::stable_sort(order, [&](size_t i, size_t j) {
    const double a = *NumberOf((*known)[i]), b = *NumberOf((*known)[j]);
    return falls ? a > b : a < b;
  });
  std::vector<Value> elements, places;
  for (const size_t i : order) elements.push_back((*known)[i]), places.emplace_back(static_cast<int64_t>(i));
  Know(*sorted->items[0].TryTensor(), std::move(elements));
  Know(*sorted->items[1].TryTensor(), std::move(places));
}

}  // namespace

std::optional<double> FoldedNumber(const Schema& schema, std::span<const Value* const> arguments) {
  if (arguments.empty() || !arguments[0]->TryTensor()) return std::nullopt;
  if (const auto reduced = Reduce(schema, *arguments[0]->TryTensor())) return reduced;
  const auto a = NumberOf(*arguments[0]);
  if (!a) return std::nullopt;
  const std::string_view name = FunctionalName(schema.name);
  for (const UnaryRow& row : kUnaryRows)
    if (row.name == name) return row.compute(*a);
  auto b = arguments.size() > 1 ? NumberOf(*arguments[1]) : std::nullopt;
  if (!b) return std::nullopt;
  if (const int alpha = schema.FindArgument("alpha"); alpha >= 0) {
    const auto factor = NumberOf(*arguments[alpha]);
    if (!factor) return std::nullopt;
    b = *b * *factor;
  }
  for (const Row& row : kRows)
    if (row.name == name) return Rounded(row.compute(*a, *b), schema, arguments);
  return std::nullopt;
}

void KeepKnown(
    const Schema& schema, std::span<const Value* const> arguments, std::optional<double> number, const Value& result) {
  if (arguments.empty() || !arguments[0]->TryTensor()) return;
  FoldSort(schema, arguments, *arguments[0]->TryTensor(), result);
  Tensor* t = result.TryTensor();
  if (!t || t->KnownValue()) return;
  FoldPart(schema, arguments, *arguments[0]->TryTensor(), *t);
  if (t->meta.rank() != 0 || t->KnownValue()) return;
  if (const auto element = number ? ElementOf(*number, t->meta.dtype) : std::nullopt) return Know(*t, {*element});
  const auto symbolic = number || t->meta.dtype != ScalarType::Long ? std::nullopt : FoldedDim(schema, arguments);
  if (symbolic) Know(*t, {Value(*symbolic)});
}

}  // namespace fakeprop
