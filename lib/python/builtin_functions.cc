// Python's builtins, and attributes of the values that a graph can hold.
// Source: torch/csrc/autograd/python_variable.cpp (torch 2.13) for a tensor's attributes.
#include <algorithm>

#include "lib/meta/dtype.h"
#include "lib/meta/lists.h"
#include "lib/python/builtins.h"
#include "lib/python/indexing.h"
#include "lib/python/registry.h"

namespace fakeprop {
namespace {

std::optional<Value> PlainTensorAttribute(const Tensor& t, std::string_view name) {
  const TensorMeta& meta = t.meta;
  if (name == "shape") return IntTupleOf(meta.sizes);
  if (name == "dtype") return Value(meta.dtype);
  if (name == "device") return Value(meta.device);
  if (name == "layout") return Value(meta.layout);
  if (name == "ndim") return Value(meta.rank());
  if (name == "requires_grad") return Value(t.RequiresGrad());
  if (name == "is_leaf") return Value(t.is_leaf || !t.RequiresGrad());
  if (name == "is_cuda") return Value(meta.device.is_cuda());
  if (name == "is_cpu") return Value(meta.device.is_cpu());
  if (name == "is_meta") return Value(meta.device.is_meta());
  if (name == "is_sparse") return Value(meta.layout == Layout::Sparse);
  static constexpr std::string_view kFalse[] = {"is_quantized", "is_nested", "is_mkldnn", "retains_grad", "is_ipu",
      "is_maia", "is_mps", "is_mtia", "is_sparse_csr", "is_vulkan", "is_xla", "is_xpu"};
  if (std::find(std::begin(kFalse), std::end(kFalse), name) != std::end(kFalse)) return Value(false);
  if (name == "itemsize") return Value(ItemSize(meta.dtype));
  if (name == "nbytes") return Value(Numel(meta.size_span()) * Dim(ItemSize(meta.dtype)));
  if (name == "grad" || name == "_grad" || name == "name" || name == "_backward_hooks") return Value();
  if (name == "output_nr") return Value(0);
  if (name == "_version") return Value(static_cast<int64_t>(t.Version()));
  return std::nullopt;
}

struct AttributeOperator {
  std::string_view name;
  std::string_view op;
};
constexpr AttributeOperator kAttributeOperators[] = {
    {"T", "aten::numpy_T"},
    {"mT", "aten::mT"},
    {"H", "aten::matrix_H"},
    {"mH", "aten::mH"},
    {"real", "aten::real"},
    {"imag", "aten::imag"},
    {"data", "aten::detach"},
};

std::optional<Value> TensorAttribute(Python& python, Tensor& t, std::string_view name) {
  if (auto plain = PlainTensorAttribute(t, name)) return plain;
  for (const AttributeOperator& attribute : kAttributeOperators)
    if (attribute.name == name) return python.Operator(attribute.op, {Value(&t)});
  return std::nullopt;
}

std::optional<Value> NumberAttribute(const Value& value, std::string_view name) {
  const auto* z = value.TryGet<std::complex<double>>();
  if (name == "real") return z ? Value(z->real()) : value;
  if (name == "imag") return z ? Value(z->imag()) : Value(0);
  return std::nullopt;
}

// Whether it stands for the module or a submodule.
bool IsPartOf(const Opaque& of, const Module& self) {
  return of.name == self.name || of.name.starts_with(self.name + ".");
}

// Of `self` in a module's rule, and of its submodules: tensors, submodules with tensors, what the module was made with.
Value ModuleAttribute(Python& python, const Module& self, const Opaque& of, std::string_view name) {
  const std::string path = of.name + "." + std::string(name);
  if (Tensor* t = python.ModuleTensor(path)) return t;
  if (of.name == self.name) {
    if (name == "training") return Value(self.training);
    for (const auto& [key, value] : self.arguments.items)
      if (AsString(key) == name) return value;
  }
  if (python.host().HasAttributesBelow(path)) return Value(Opaque{"", path});
  Fail(ErrorClass::kUnsupportedOperator,
      "the file has no attribute `" + std::string(name) + "` of the module `" + of.name + "`");
}

std::optional<Value> Attribute(Python& python, const Value& of, std::string_view name) {
  if (const Opaque* opaque = of.TryGet<Opaque>(); opaque && python.self() && IsPartOf(*opaque, *python.self()))
    return ModuleAttribute(python, *python.self(), *opaque, name);
  if (Tensor* t = of.TryTensor()) return TensorAttribute(python, *t, name);
  if (const List* list = of.TryList()) {
    const Value* named = python.NamedResult(*list, name);
    return named ? std::optional(*named) : std::nullopt;
  }
  if (auto device = of.TryGet<Device>()) {
    if (name == "type") return Value(std::string(DeviceTypeName(device->type())));
    if (name == "index") return device->has_index() ? Value(static_cast<int64_t>(device->index())) : Value();
  }
  if (auto dtype = of.TryGet<ScalarType>()) {
    if (name == "is_floating_point") return Value(IsFloat(*dtype));
    if (name == "is_complex") return Value(IsComplex(*dtype));
    if (name == "itemsize") return Value(ItemSize(*dtype));
  }
  if (of.IsNumber()) return NumberAttribute(of, name);
  return std::nullopt;
}

Value GetAttr(Python& python, const Bindings& a) {
  const std::string_view name = a.String("name");
  if (auto value = Attribute(python, a["object"], name)) return std::move(*value);
  if (const List& rest = *a["default"].TryList(); !rest.items.empty()) return rest.items[0];
  Fail(ErrorClass::kUnsupportedOperator,
      PythonTypeName(a["object"]) + " has no attribute `" + std::string(name) + "` here");
}

Value HasAttr(Python& python, const Bindings& a) {
  return Attribute(python, a["object"], a.String("name")).has_value();
}

Value Len(Python&, const Bindings& a) {
  if (const List* list = a["object"].TryList()) return static_cast<int64_t>(list->items.size());
  if (const Dict* dict = a["object"].TryGet<Dict>()) return static_cast<int64_t>(dict->items.size());
  if (const Tensor* t = a["object"].TryTensor()) {
    if (t->meta.rank() == 0) Fail(ErrorClass::kTypeError, "a tensor of rank 0 has no length", {t});
    return t->meta.sizes[0];
  }
  FailArguments("len", "does not take " + ToString(a["object"]));
}

Value Number(Python& python, const Value& value) {
  if (Tensor* t = value.TryTensor()) return python.Item(*t);
  return value;
}

Value ToInt(Python& python, const Bindings& a) { return CallBuiltin("torch.sym_int", {Number(python, a["object"])}); }
Value ToFloat(Python& python, const Bindings& a) {
  return CallBuiltin("torch.sym_float", {Number(python, a["object"])});
}
Value ToBool(Python& python, const Bindings& a) { return python.Truth(a["object"]); }

std::vector<Value> ItemsOf(Python& python, const Value& value) {
  if (const List* list = value.TryList()) return list->items;
  if (value.TryTensor()) return python.Operator("aten::unbind.int", {value}).TryList()->items;
  if (const Dict* dict = value.TryGet<Dict>()) {
    std::vector<Value> keys;
    for (const auto& [key, item] : dict->items) keys.push_back(key);
    return keys;
  }
  Fail(ErrorClass::kTypeError, "there is nothing to go through in " + ToString(value));
}

// The extreme of some values; of tensors it depends on their data.
Value Extreme(Python& python, const Bindings& a, std::string_view builtin) {
  std::vector<Value> items = AsItems(a["values"]);
  if (items.size() == 1) items = ItemsOf(python, items[0]);
  if (items.empty()) Fail(ErrorClass::kValueError, "the extreme of nothing");
  Value best = Number(python, items[0]);
  for (size_t i = 1; i < items.size(); ++i) {
    const Value other = Number(python, items[i]);
    if (python.Truth(CallBuiltin(builtin, {other, best}))) best = other;
  }
  return best;
}
Value Largest(Python& python, const Bindings& a) { return Extreme(python, a, "_operator.gt"); }
Value Smallest(Python& python, const Bindings& a) { return Extreme(python, a, "_operator.lt"); }

Value Sum(Python& python, const Bindings& a) {
  Value total = a["start"];
  for (const Value& item : ItemsOf(python, a["values"])) total = python.Call("_operator.add", {total, item});
  return total;
}

Value AnyTrue(Python& python, const Bindings& a) {
  const auto items = ItemsOf(python, a["values"]);
  return std::any_of(items.begin(), items.end(), [&](const Value& v) { return python.Truth(v); });
}
Value AllTrue(Python& python, const Bindings& a) {
  const auto items = ItemsOf(python, a["values"]);
  return std::all_of(items.begin(), items.end(), [&](const Value& v) { return python.Truth(v); });
}

Value ToTuple(Python& python, const Bindings& a) { return List{ItemsOf(python, a["values"]), true}; }
Value ToList(Python& python, const Bindings& a) { return List{ItemsOf(python, a["values"]), false}; }

Value Reversed(Python& python, const Bindings& a) {
  std::vector<Value> items = ItemsOf(python, a["values"]);
  std::reverse(items.begin(), items.end());
  return List{std::move(items), false};
}

Value MakeSlice(Python&, const Bindings& a) {
  const std::vector<Value>& given = AsItems(a["bounds"]);
  if (given.size() == 1) return Slice{{Value(), given[0], Value()}};
  Slice slice{given};
  slice.bounds.resize(3);
  return slice;
}

Value Range(Python&, const Bindings& a) {
  std::vector<int64_t> bounds;
  for (const Value& v : AsItems(a["bounds"])) {
    if (!v.Is<Dim>()) FailArguments("range", "does not take " + ToString(v));
    bounds.push_back(AsInt(v).Specialize());
  }
  if (bounds.size() == 1) bounds.insert(bounds.begin(), 0);
  if (bounds.size() == 2) bounds.push_back(1);
  if (bounds.size() != 3 || bounds[2] == 0) FailArguments("range", "takes start, stop and a step that is not 0");
  const PythonRange range{bounds[0], bounds[1], bounds[2]};
  CheckListLength(range.size());
  List list;
  for (uint64_t i = 0; i < range.size(); ++i) list.items.push_back(Value(range[i]));
  return list;
}

Value Round(Python& python, const Bindings& a) {
  if (a["number"].TryTensor()) return python.Call("aten.round", {a["number"]});
  if (a.IsNone("ndigits")) return CallBuiltin("round", {a["number"]});
  return CallBuiltin("round", {a["number"], a["ndigits"]});
}

constexpr FunctionRow kRows[] = {
    {"getattr(object, name, *default)", {}, GetAttr},
    {"hasattr(object, name)", {}, HasAttr},
    {"len(object)", {}, Len},
    {"int(object=0)", {}, ToInt},
    {"float(object=0.0)", {}, ToFloat},
    {"bool(object=False)", {}, ToBool},
    {"max(*values)", {}, Largest},
    {"min(*values)", {}, Smallest},
    {"sum(values, start=0)", {}, Sum},
    {"any(values)", {}, AnyTrue},
    {"all(values)", {}, AllTrue},
    {"abs(number)", "_operator.abs(number)"},
    {"pow(base, exp)", "_operator.pow(base, exp)"},
    {"round(number, ndigits=None)", {}, Round},
    {"tuple(values=())", {}, ToTuple},
    {"list(values=())", {}, ToList},
    {"reversed(values)", {}, Reversed},
    {"slice(*bounds)", {}, MakeSlice},
    {"range(*bounds)", {}, Range},
};

}  // namespace

FunctionTable BuiltinFunctions() { return {"builtins.", kRows}; }

}  // namespace fakeprop
