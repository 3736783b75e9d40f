// Methods of torch.Tensor whose arguments no operator's schema has, or that ask for metadata alone.
// Source: tools/autograd/templates/python_variable_methods.cpp, torch/_tensor.py (torch 2.13).
#include "lib/meta/device_name.h"
#include "lib/meta/dtype.h"
#include "lib/meta/lists.h"
#include "lib/python/indexing.h"
#include "lib/python/registry.h"

namespace fakeprop {
namespace {

Value AllOrOne(const Dims& dims, const Bindings& a) {
  if (a.IsNone("dim")) return IntTupleOf(dims);
  const int64_t rank = static_cast<int64_t>(dims.size());
  const int64_t dim = a.Int("dim");
  if (dim < -rank || dim >= rank)
    Fail(ErrorClass::kIndexOutOfRange,
        "dimension " + std::to_string(dim) + " is out of range for rank " + std::to_string(rank));
  return dims[static_cast<size_t>(dim < 0 ? dim + rank : dim)];
}

Value Size(Python&, const Bindings& a) { return AllOrOne(a.TensorOf("self").meta.sizes, a); }
Value Stride(Python&, const Bindings& a) { return AllOrOne(a.TensorOf("self").meta.strides, a); }
Value Rank(Python&, const Bindings& a) { return a.TensorOf("self").meta.rank(); }
Value StorageOffset(Python&, const Bindings& a) { return a.TensorOf("self").meta.storage_offset; }
Value ElementSize(Python&, const Bindings& a) { return ItemSize(a.TensorOf("self").meta.dtype); }
Value IsComplexTensor(Python&, const Bindings& a) { return IsComplex(a.TensorOf("self").meta.dtype); }
Value IsFloatTensor(Python&, const Bindings& a) { return IsFloat(a.TensorOf("self").meta.dtype); }
Value IsConj(Python&, const Bindings& a) { return a.TensorOf("self").meta.is_conj; }
Value IsNeg(Python&, const Bindings& a) { return a.TensorOf("self").meta.is_neg; }

Value IsSigned(Python&, const Bindings& a) {
  const ScalarType dtype = a.TensorOf("self").meta.dtype;
  return dtype != ScalarType::Bool && IsSignedDtype(dtype);
}

Value DeviceIndex(Python&, const Bindings& a) {
  const Device device = a.TensorOf("self").meta.device;
  return static_cast<int64_t>(device.has_index() ? device.index() : -1);
}

// Of a tensor, or of a torch.Size.
Value NumberOfElements(Python&, const Bindings& a) {
  if (const List* sizes = a["self"].TryList()) {
    Dim product = 1;
    for (const Value& size : sizes->items) product *= AsInt(size);
    return product;
  }
  return Numel(a.TensorOf("self").meta.size_span());
}

Value IsContiguousTensor(Python&, const Bindings& a) {
  const auto* format = a["memory_format"].TryGet<MemoryFormat>();
  const TensorMeta& meta = a.TensorOf("self").meta;
  return format ? IsContiguousIn(meta, *format) : IsContiguous(meta);
}

Value Item(Python& python, const Bindings& a) { return python.Item(a.TensorOf("self")); }

Value NumbersOf(Python& python, Tensor& t) {
  if (t.meta.rank() == 0) return python.Item(t);
  if (const std::vector<Value>* known = t.KnownValue(); known && t.meta.rank() == 1) return List{*known, false};
  // Source: FakeTensor.tolist in torch/_subclasses/fake_tensor.py.
  List numbers;
  const Value rows = python.Operator("aten::unbind.int", {Value(&t)});
  for (const Value& row : rows.TryList()->items) numbers.items.push_back(NumbersOf(python, *row.TryTensor()));
  return numbers;
}

Value ToListOfNumbers(Python& python, const Bindings& a) { return NumbersOf(python, a.TensorOf("self")); }

Value DeviceOf(const Value& value) {
  if (auto name = value.TryGet<std::string>()) {
    if (auto device = DeviceFromName(*name)) return *device;
    Fail(ErrorClass::kValueError, "there is no device " + ToString(value));
  }
  if (auto index = value.TryGet<Dim>())
    return Device(DeviceType::CUDA, static_cast<fakeprop::DeviceIndex>(index->Specialize()));
  return value;
}

// to(dtype, ...), to(device, dtype, ...), to(other, ...): parse_to_conversion of python_arg_parser.h.
Value To(Python& python, const Bindings& a) {
  const std::vector<Value>& given = AsItems(a["args"]);
  std::vector<Value> slots = {a["device"], a["dtype"], a["non_blocking"], a["copy"]};
  size_t next = 0;
  if (!given.empty()) {
    if (const Tensor* other = given[0].TryTensor()) {
      slots[0] = other->meta.device;
      slots[1] = other->meta.dtype;
      next = 2;
    } else if (given[0].Is<ScalarType>()) {
      slots[1] = given[0];
      next = 2;
    } else {
      slots[0] = given[0];
      next = 1;
    }
  }
  for (size_t i = 1; i < given.size(); ++i, ++next) {
    if (next >= slots.size()) FailArguments("to", "is given too many arguments");
    slots[next] = given[i];
  }
  if (const Tensor* other = a["other"].TryTensor()) slots[0] = other->meta.device, slots[1] = other->meta.dtype;
  const Value device = DeviceOf(slots[0]);
  const Value &dtype = slots[1], &format = a["memory_format"];
  const bool copies = python.Truth(slots[3]);
  if (device.IsNone() && dtype.IsNone() && !copies && format.IsNone()) return a["self"];
  const Value own = a.TensorOf("self").meta.dtype;
  if (device.IsNone())
    return python.Operator("aten::to.dtype", {a["self"], dtype.IsNone() ? own : dtype, slots[2], slots[3], format});
  if (dtype.IsNone())
    return python.Operator(
        "aten::to.dtype_layout", {a["self"], own, Value(), device, Value(), slots[2], slots[3], format});
  return python.Operator("aten::to.device", {a["self"], device, dtype, slots[2], slots[3], format});
}

template <ScalarType kDtype>
Value ToDtype(Python& python, const Bindings& a) {
  return python.Operator("aten::to.dtype", {a["self"], Value(kDtype), Value(false), Value(false), a["memory_format"]});
}

Value ToCuda(Python& python, const Bindings& a) {
  Value device = a.IsNone("device") ? Value(Device(DeviceType::CUDA, 0)) : DeviceOf(a["device"]);
  return python.Operator("aten::to.device",
      {a["self"], device, Value(a.TensorOf("self").meta.dtype), a["non_blocking"], Value(false), a["memory_format"]});
}

Value ToCpu(Python& python, const Bindings& a) {
  return python.Operator(
      "aten::to.device", {a["self"], Value(Device(DeviceType::CPU)), Value(a.TensorOf("self").meta.dtype), Value(false),
                             Value(false), a["memory_format"]});
}

struct LegacyType {
  std::string_view name;
  ScalarType dtype;
};
constexpr LegacyType kLegacyTypes[] = {
    {"FloatTensor", ScalarType::Float},
    {"DoubleTensor", ScalarType::Double},
    {"HalfTensor", ScalarType::Half},
    {"BFloat16Tensor", ScalarType::BFloat16},
    {"LongTensor", ScalarType::Long},
    {"IntTensor", ScalarType::Int},
    {"ShortTensor", ScalarType::Short},
    {"CharTensor", ScalarType::Char},
    {"ByteTensor", ScalarType::Byte},
    {"BoolTensor", ScalarType::Bool},
};

// type(), type(dtype), type("torch.cuda.FloatTensor")
Value Type(Python& python, const Bindings& a) {
  const TensorMeta& meta = a.TensorOf("self").meta;
  const std::string place = meta.device.is_cuda() ? "torch.cuda." : "torch.";
  if (a.IsNone("dtype")) {
    for (const LegacyType& t : kLegacyTypes)
      if (t.dtype == meta.dtype) return place + std::string(t.name);
    Fail(ErrorClass::kUnsupportedOperator, "there is no name for the type of " + ToString(meta));
  }
  if (a["dtype"].Is<ScalarType>()) return python.Operator("aten::to.dtype", {a["self"], a["dtype"]});
  const std::string_view name = a.String("dtype");
  const bool cuda = name.starts_with("torch.cuda.");
  for (const LegacyType& t : kLegacyTypes)
    if (name.ends_with(t.name) && name.starts_with("torch."))
      return python.Operator("aten::to.device",
          {a["self"], Value(cuda ? Device(DeviceType::CUDA, 0) : Device(DeviceType::CPU)), Value(t.dtype)});
  Fail(ErrorClass::kValueError, "there is no tensor type `" + std::string(name) + "`");
}

Value NewTensor(Python& python, const Bindings& a) {
  const TensorMeta& own = a.TensorOf("self").meta;
  const Value device = DeviceOf(a["device"]);
  const auto* dtype = a["dtype"].TryGet<ScalarType>();
  Value made = TensorFromNumbers(python, a["data"], dtype ? std::optional(*dtype) : own.dtype,
      device.Is<Device>() ? device.Get<Device>() : own.device);
  AsTensor(made).own_requires_grad = a.Bool("requires_grad");
  return made;
}

// Tensor.__len__, __iter__ and what else goes by its operator.
constexpr FunctionRow kRows[] = {
    {"size(self, dim=None)", {}, Size},
    {"stride(self, dim=None)", {}, Stride},
    {"dim(self)", {}, Rank},
    {"ndimension(self)", {}, Rank},
    {"numel(self)", {}, NumberOfElements},
    {"nelement(self)", {}, NumberOfElements},
    {"storage_offset(self)", {}, StorageOffset},
    {"element_size(self)", {}, ElementSize},
    {"get_device(self)", {}, DeviceIndex},
    {"is_complex(self)", {}, IsComplexTensor},
    {"is_floating_point(self)", {}, IsFloatTensor},
    {"is_signed(self)", {}, IsSigned},
    {"is_conj(self)", {}, IsConj},
    {"is_neg(self)", {}, IsNeg},
    {"is_contiguous(self, memory_format=None)", {}, IsContiguousTensor},
    {"item(self)", {}, Item},
    {"tolist(self)", {}, ToListOfNumbers},
    {"__len__(self)", "builtins.len(self)"},
    {"__bool__(self)", "builtins.bool(self)"},
    {"__int__(self)", "builtins.int(self)"},
    {"__float__(self)", "builtins.float(self)"},
    {"to(self, *args, device=None, dtype=None, other=None, non_blocking=False, copy=False, memory_format=None)", {},
        To},
    {"cuda(self, device=None, non_blocking=False, memory_format=None)", {}, ToCuda},
    {"cpu(self, memory_format=None)", {}, ToCpu},
    {"float(self, memory_format=None)", {}, ToDtype<ScalarType::Float>},
    {"double(self, memory_format=None)", {}, ToDtype<ScalarType::Double>},
    {"half(self, memory_format=None)", {}, ToDtype<ScalarType::Half>},
    {"bfloat16(self, memory_format=None)", {}, ToDtype<ScalarType::BFloat16>},
    {"long(self, memory_format=None)", {}, ToDtype<ScalarType::Long>},
    {"int(self, memory_format=None)", {}, ToDtype<ScalarType::Int>},
    {"short(self, memory_format=None)", {}, ToDtype<ScalarType::Short>},
    {"char(self, memory_format=None)", {}, ToDtype<ScalarType::Char>},
    {"byte(self, memory_format=None)", {}, ToDtype<ScalarType::Byte>},
    {"bool(self, memory_format=None)", {}, ToDtype<ScalarType::Bool>},
    {"cfloat(self, memory_format=None)", {}, ToDtype<ScalarType::ComplexFloat>},
    {"cdouble(self, memory_format=None)", {}, ToDtype<ScalarType::ComplexDouble>},
    {"chalf(self, memory_format=None)", {}, ToDtype<ScalarType::ComplexHalf>},
    {"type(self, dtype=None, non_blocking=False)", {}, Type},
    {"new_tensor(self, data, dtype=None, device=None, requires_grad=False)", {}, NewTensor},
    {"split(self, split_size, dim=0)", "torch.split(self, split_size, dim)"},
    {"norm(self, p='fro', dim=None, keepdim=False, dtype=None)", "torch.norm(self, p, dim, keepdim, dtype=dtype)"},
    {"where(self, condition, other)", "aten.where(condition, self, other)"},
    {"polygamma(self, n)", "aten.polygamma(n, self)"},
    {"nonzero(self, as_tuple=False)", "torch.nonzero(self, as_tuple=as_tuple)"},
    {"unique(self, sorted=True, return_inverse=False, return_counts=False, dim=None)",
        "torch.unique(self, sorted, return_inverse, return_counts, dim)"},
    {"unique_consecutive(self, return_inverse=False, return_counts=False, dim=None)",
        "torch.unique_consecutive(self, return_inverse, return_counts, dim)"},
    {"stft(self, n_fft, hop_length=None, win_length=None, window=None, center=True, pad_mode='reflect', "
     "normalized=False,"
     " onesided=None, return_complex=None, align_to_window=None)",
        "torch.stft(self, n_fft, hop_length, win_length, window, center, pad_mode, normalized, onesided, "
        "return_complex)"},
    {"lu(self, pivot=True, get_infos=False)", "torch.lu(self, pivot, get_infos)"},
    {"is_shared(self)", "False"},
    {"share_memory_(self)", "self"},
    {"record_stream(self, s)", "None"},
    {"requires_grad_(self, requires_grad=True)", "aten.requires_grad_(self, requires_grad)"},
};

}  // namespace

FunctionTable TensorMethods() { return {"torch.Tensor.", kRows}; }

}  // namespace fakeprop
