// Questions about tensors, tensors made of numbers and lists, and numbers that prim:: has operators for.
// Source: torch/csrc/jit/runtime/register_prim_ops.cpp and register_special_ops.cpp (torch 2.13).
#include <algorithm>
#include <cmath>

#include "lib/meta/dtype.h"
#include "lib/meta/lists.h"
#include "lib/schema/schema_table.h"
#include "lib/torchscript/operations/script.h"
#include "lib/torchscript/operations/script_tables.h"
#include "lib/torchscript/operations/script_values.h"

namespace fakeprop {
namespace {

// ---- questions

Value DtypeOf(HigherOrderCall& call) { return static_cast<int64_t>(TensorAt(call, 0).meta.dtype); }
Value DeviceOf(HigherOrderCall& call) { return TensorAt(call, 0).meta.device; }
Value LayoutOf(HigherOrderCall& call) { return static_cast<int64_t>(TensorAt(call, 0).meta.layout); }
Value RequiresGradOf(HigherOrderCall& call) { return TensorAt(call, 0).RequiresGrad(); }
Value ItemSizeOf(HigherOrderCall& call) { return static_cast<int64_t>(ItemSize(TensorAt(call, 0).meta.dtype)); }
Value BytesOf(HigherOrderCall& call) {
  const TensorMeta& meta = TensorAt(call, 0).meta;
  return Numel(meta.size_span()) * Dim(static_cast<int64_t>(ItemSize(meta.dtype)));
}

template <DeviceType Type>
Value IsOn(HigherOrderCall& call) {
  return TensorAt(call, 0).meta.device.type() == Type;
}
template <Layout L>
Value HasLayout(HigherOrderCall& call) {
  return TensorAt(call, 0).meta.layout == L;
}

// The answer decides between a fast and a slow way to one result (nn.TransformerEncoder). Where data decides it, it is
// that of padding after the end of each sequence.
Value IsLeftAligned(HigherOrderCall& call) {
  const Value answer = RunScriptOperator(call);
  return IsUnknown(answer) ? Value(true) : answer;
}

Value IsQuantized(HigherOrderCall& call) { return kQuantizedDtypes.Has(TensorAt(call, 0).meta.dtype); }
Value No(HigherOrderCall&) { return false; }
Value None(HigherOrderCall&) { return {}; }

Value ShapeOf(HigherOrderCall& call) { return Share(IntListOf(TensorAt(call, 0).meta.sizes)); }

// A tensor on the same storage that autograd does not follow.
Value DataOf(HigherOrderCall& call) {
  Tensor& of = TensorAt(call, 0);
  Tensor* t = call.objects().NewTensor(of.meta, of.storage);
  t->constant = of.constant;
  t->constant_version = of.constant_version;
  return t;
}

Value DeviceTypeOf(HigherOrderCall& call) {
  const Device* device = call.At(0, "a device").TryGet<Device>();
  if (!device) return None(call);
  return std::string(DeviceTypeName(device->type()));
}

Value DeviceIndexOf(HigherOrderCall& call) {
  const Device* device = call.At(0, "a device").TryGet<Device>();
  return device && device->has_index() ? Value(static_cast<int64_t>(device->index())) : Value();
}

// ---- tensors of numbers

constexpr size_t kMostKnown = 64;
constexpr int64_t kMostSymbols = 64;  // of a list that is made of a tensor's elements

Tensor* MakeTensor(
    HigherOrderCall& call, const Dims& sizes, ScalarType dtype, Device device, std::vector<Value> elements) {
  TensorMeta meta = ContiguousMeta({sizes.data(), sizes.size()}, dtype, device);
  Storage* storage = call.objects().NewStorage(StorageNbytes(meta), device);
  Tensor* t = call.objects().NewTensor(std::move(meta), storage);
  const bool is_known = elements.size() <= kMostKnown &&
                        std::none_of(elements.begin(), elements.end(), [](const Value& v) { return !v.IsNumber(); });
  if (is_known) {
    t->constant = std::make_shared<const std::vector<Value>>(std::move(elements));
    t->constant_version = storage->version;
  }
  return t;
}

// As at::scalar_to_tensor: a float is a double.
Value NumToTensor(HigherOrderCall& call) {
  const Value& number = call.At(0, "a number");
  ScalarType dtype = ScalarType::Double;
  if (number.Is<Dim>()) dtype = ScalarType::Long;
  if (number.Is<bool>()) dtype = ScalarType::Bool;
  if (number.Is<std::complex<double>>()) dtype = ScalarType::ComplexDouble;
  if (IsUnknown(number) && UnknownType(number) == "int") dtype = ScalarType::Long;
  if (IsUnknown(number) && UnknownType(number) == "bool") dtype = ScalarType::Bool;
  return MakeTensor(call, {}, dtype, Device(DeviceType::CPU), {number});
}

struct Nested {
  Dims sizes;
  std::vector<Value> elements;
};

void Flatten(const Value& value, size_t depth, Nested& out) {
  const List* list = Deref(value).TryList();
  if (!list) {
    if (depth != out.sizes.size())
      Fail(ErrorClass::kValueError, "a tensor cannot be made of lists of different depths");
    return out.elements.push_back(value);
  }
  const Dim length = static_cast<int64_t>(list->items.size());
  if (depth == out.sizes.size() && out.elements.empty()) out.sizes.push_back(length);
  else if (depth >= out.sizes.size() || !Known(Eq(out.sizes[depth], length)))
    Fail(ErrorClass::kValueError, "a tensor cannot be made of lists of different lengths");
  for (const Value& item : list->items) Flatten(item, depth + 1, out);
}

ScalarType DtypeOfNumber(const Value& v, ScalarType default_dtype) {
  if (v.Is<Dim>() || (IsUnknown(v) && UnknownType(v) == "int")) return ScalarType::Long;
  if (v.Is<bool>() || (IsUnknown(v) && UnknownType(v) == "bool")) return ScalarType::Bool;
  if (v.Is<std::complex<double>>())
    return default_dtype == ScalarType::Double ? ScalarType::ComplexDouble : ScalarType::ComplexFloat;
  return default_dtype;
}

Value ConvertedTo(const Value& v, ScalarType dtype) {
  double real = 0;
  if (const Dim* d = v.TryGet<Dim>()) {
    if (kIntegerDtypes.Has(dtype)) return v;
    if (d->IsSymbolic()) return {};
    real = static_cast<double>(*d->TryNumber());
  } else if (const bool* b = v.TryGet<bool>()) {
    real = *b ? 1 : 0;
  } else if (const double* d = v.TryGet<double>()) {
    real = *d;
  } else {
    return v;
  }
  if (dtype == ScalarType::Bool) return real != 0;
  if (kIntegerDtypes.Has(dtype)) return std::isfinite(real) ? Value(static_cast<int64_t>(real)) : Value();
  return real;
}

// tensor(data, dtype, device, requires_grad), as_tensor(data, dtype, device)
Value TensorOfList(HigherOrderCall& call) {
  Nested nested;
  Flatten(call.At(0, "numbers"), 0, nested);
  const Value &dtype = call.At(1, "a dtype"), &device = call.At(2, "a device");
  const ScalarType default_dtype = call.state().default_dtype;
  ScalarType made = nested.elements.empty() ? default_dtype : DtypeOfNumber(nested.elements[0], default_dtype);
  if (const Dim* code = dtype.TryGet<Dim>()) made = static_cast<ScalarType>(code->Specialize());
  for (Value& element : nested.elements) {
    if (const Tensor* t = element.TryTensor())
      element = t->KnownValue() && t->meta.rank() == 0 ? t->KnownValue()->front() : Value();
    element = ConvertedTo(element, made);
  }
  Tensor* t = MakeTensor(call, nested.sizes, made, device.Is<Device>() ? device.Get<Device>() : Device(DeviceType::CPU),
      std::move(nested.elements));
  if (const bool* requires_grad = call.TryBool(3)) t->own_requires_grad = *requires_grad;
  return t;
}

// The elements as lists.
Value NestedList(const Tensor& t, const std::vector<Value>& elements, int64_t d, size_t& next) {
  if (d == t.meta.rank()) return elements[next++];
  List list;
  for (int64_t i = 0; i < t.meta.sizes[d].Specialize(); ++i) list.items.push_back(NestedList(t, elements, d + 1, next));
  return Share(std::move(list));
}

Value ToList(HigherOrderCall& call) {
  const Tensor& t = TensorAt(call, 0);
  size_t next = 0;
  if (const std::vector<Value>* known = t.KnownValue()) return NestedList(t, *known, 0, next);
  const Dim numel = Numel(t.meta.size_span());
  const int64_t count = numel.Specialize();
  if (count > 1 << 20) Fail(ErrorClass::kOverflow, "a list of " + numel.ToString() + " elements");
  const std::string type = t.meta.dtype == ScalarType::Bool ? "bool" : IsFloat(t.meta.dtype) ? "float" : "int";
  std::vector<Value> elements;
  for (int64_t i = 0; i < count; ++i) elements.push_back(count <= kMostSymbols ? NumberOfData(type) : UnknownOf(type));
  return NestedList(t, elements, 0, next);
}

// ---- numbers

double RealOf(const Value& v) {
  if (const std::optional<double> real = TryReal(v)) return *real;
  Fail(ErrorClass::kTypeError, "a number is expected, not " + ToString(v));
}

Value AsFloat(const Value& v) { return RealOf(v); }

// Where the sizes in question depend on data, the result is an expression.
template <typename Better>
Dim PickDim(Dim a, Dim b) {
  constexpr bool kIsLess = std::is_same_v<Better, std::less<>>;
  if (!a.Hint() || !b.Hint()) return kIsLess ? Min(a, b) : Max(a, b);
  return Guard(kIsLess ? Lt(b, a) : Gt(b, a)) ? b : a;
}

// The smaller (larger) one; a float where one is.
template <typename Better>
Value Pick(const Value& a, const Value& b) {
  if (IsUnknown(a) || IsUnknown(b)) return IsUnknown(a) ? a : b;
  if (a.Is<Dim>() && b.Is<Dim>()) return PickDim<Better>(a.Get<Dim>(), b.Get<Dim>());
  const bool is_first = !Better{}(RealOf(b), RealOf(a));
  const bool mixed = a.Is<double>() != b.Is<double>();
  const Value& picked = is_first ? a : b;
  return mixed ? AsFloat(picked) : picked;
}

template <typename Better>
Value Extreme(HigherOrderCall& call) {
  if (call.size() == 2 && !Deref(call.At(0, "")).Is<List>())
    return Pick<Better>(call.At(0, "a number"), call.At(1, "a number"));
  if (call.size() == 2) {  // of two lists, as lists are ordered
    const auto &a = ListAt(call, 0), &b = ListAt(call, 1);
    const bool second = std::lexicographical_compare(b.begin(), b.end(), a.begin(), a.end(),
        [](const Value& x, const Value& y) { return Better{}(RealOf(x), RealOf(y)); });
    return call.At(second ? 1 : 0, "a list");
  }
  const std::vector<Value>& items = ListAt(call, 0);
  if (items.empty()) Fail(ErrorClass::kValueError, std::string(call.Name()) + " of an empty list");
  Value best = items[0];
  for (const Value& item : items) best = Pick<Better>(best, item);
  return best;
}

Value Absolute(HigherOrderCall& call) {
  const Value& v = call.At(0, "a number");
  if (Tensor* t = v.TryTensor()) {
    static const Schema* const schema = FindSchema("aten::abs");
    const Value tensor(t);
    const Value* arguments[] = {&tensor};
    return call.host().operators().CallOperator(*schema, arguments);
  }
  if (IsUnknown(v)) return v;
  if (const auto* z = v.TryGet<std::complex<double>>()) return std::abs(*z);
  if (const Dim* d = v.TryGet<Dim>()) return Max(*d, -*d);
  return std::fabs(RealOf(v));
}

constexpr HigherOrderRow kRows[] = {
    {"prim::dtype", DtypeOf},
    {"prim::device", DeviceOf},
    {"prim::layout", LayoutOf},
    {"prim::requires_grad", RequiresGradOf},
    {"prim::itemsize", ItemSizeOf},
    {"prim::nbytes", BytesOf},
    {"prim::shape", ShapeOf},
    {"prim::data", DataOf},
    {"prim::grad", None},
    {"prim::name", None},
    {"prim::is_cpu", IsOn<DeviceType::CPU>},
    {"prim::is_cuda", IsOn<DeviceType::CUDA>},
    {"prim::is_xpu", IsOn<DeviceType::XPU>},
    {"prim::is_mps", IsOn<DeviceType::MPS>},
    {"prim::is_meta", IsOn<DeviceType::Meta>},
    {"prim::is_xla", IsOn<DeviceType::XLA>},
    {"prim::is_ipu", No},
    {"prim::is_maia", No},
    {"prim::is_mtia", No},
    {"prim::is_vulkan", No},
    {"prim::is_nested", HasLayout<Layout::Jagged>},
    {"prim::is_mkldnn", HasLayout<Layout::Mkldnn>},
    {"prim::is_sparse", HasLayout<Layout::Sparse>},
    {"prim::is_sparse_csr", HasLayout<Layout::SparseCsr>},
    {"prim::is_quantized", IsQuantized},
    {"prim::type", DeviceTypeOf},
    {"prim::index", DeviceIndexOf},

    {"aten::_nested_tensor_from_mask_left_aligned", IsLeftAligned},

    {"prim::NumToTensor", NumToTensor},
    {"aten::tensor", TensorOfList},
    {"aten::as_tensor.list", TensorOfList},
    {"prim::tolist", ToList},

    {"prim::min", Extreme<std::less<>>},
    {"prim::max", Extreme<std::greater<>>},
    {"prim::abs", Absolute},
};

}  // namespace

std::span<const HigherOrderRow> ScriptTensorRows() { return kRows; }

}  // namespace fakeprop
