#include "lib/dispatch/ivalues.h"

#include "lib/dispatch/dispatch_host.h"
#include "lib/dispatch/fake_tensor.h"
#include "lib/dispatch/sym_ints.h"
#include "lib/meta/value_visit.h"

namespace fakeprop::dispatch {
namespace {

// A number in place of a tensor. It has the widest dtype of its kind, and in promotion the dtype of any tensor wins.
// Source: THPVariable's argument parser, scalar_to_tensor (torch/csrc/utils/python_arg_parser.cpp, 2.13).
at::Tensor WrapNumber(const Value& number) {
  TensorMeta meta;
  meta.dtype = number.Is<double>() ? ScalarType::Double
               : number.Is<bool>() ? ScalarType::Bool
               : number.Is<Dim>()  ? ScalarType::Long
                                   : ScalarType::ComplexDouble;
  at::Tensor tensor = MakeFakeTensor(meta, MakeFakeStorage(ItemSize(meta.dtype), c10::DeviceType::CPU));
  tensor.unsafeGetTensorImpl()->set_wrapped_number(true);
  if (Host* host = Host::Current()) host->RememberConstant(tensor, std::make_shared<std::vector<Value>>(1, number));
  return tensor;
}

class Boxer {
 public:
  Boxer(const c10::Argument& argument, const MakeTensor& make) : argument_(argument), make_(make) {}

  c10::IValue Box(const Value& value, const c10::TypePtr& type) const {
    if (TakesSymbols(*type))
      if (auto symbol = BoxSymbol(value)) return *symbol;
    switch (type->kind()) {
      case c10::TypeKind::OptionalType:
        return value.IsNone() ? c10::IValue() : Box(value, type->expectRef<c10::OptionalType>().getElementType());
      case c10::TypeKind::ListType: return BoxList(value, type->expectRef<c10::ListType>().getElementType());
      case c10::TypeKind::TensorType: return BoxTensor(value);
      case c10::TypeKind::NumberType:
        if (value.IsNumber()) return ToScalar(value);
        break;
      case c10::TypeKind::SymIntType:
      case c10::TypeKind::IntType: return BoxInt(value);
      case c10::TypeKind::FloatType:
      case c10::TypeKind::SymFloatType:
        if (value.IsNumber() && !value.Is<std::complex<double>>()) return ToScalar(value).toDouble();
        break;
      case c10::TypeKind::BoolType:
      case c10::TypeKind::SymBoolType:
        if (value.Is<bool>() || value.Is<Dim>()) return ToScalar(value).toBool();
        break;
      case c10::TypeKind::ComplexType:
        if (value.IsNumber()) return ToScalar(value).toComplexDouble();
        break;
      case c10::TypeKind::StringType:
        if (auto text = value.TryGet<std::string>()) return *text;
        break;
      case c10::TypeKind::DeviceObjType:
        if (auto device = value.TryGet<Device>()) return ToTorch(*device);
        if (auto name = value.TryGet<std::string>()) return c10::Device(*name);
        break;
      case c10::TypeKind::AnyType: return BoxAny(value);
      // A process group, say: LibTorch's own object, which is not made here.
      case c10::TypeKind::ClassType:
        Fail(ErrorClass::kUnsupportedOperator, "argument `" + argument_.name() + "` takes an object of " + type->str());
      default: break;
    }
    FailType(value);
  }

 private:
  // What the value itself is: a process group's name, say.
  c10::IValue BoxAny(const Value& value) const {
    if (value.IsNone()) return {};
    if (Tensor* t = value.TryTensor()) return make_(*t);
    if (auto text = value.TryGet<std::string>()) return *text;
    if (auto device = value.TryGet<Device>()) return ToTorch(*device);
    if (auto symbol = BoxSymbol(value)) return *symbol;
    if (value.IsNumber()) return ToScalar(value);
    const List* list = value.TryList();
    if (!list) FailType(value);
    c10::impl::GenericList boxed(c10::AnyType::get());
    for (const Value& item : list->items) boxed.push_back(BoxAny(item));
    return boxed;
  }

  static bool TakesSymbols(const c10::Type& type) {
    return type.kind() == c10::TypeKind::NumberType || type.kind() == c10::TypeKind::SymIntType ||
           type.kind() == c10::TypeKind::SymFloatType || type.kind() == c10::TypeKind::SymBoolType;
  }

  static bool HasSymbol(const Value& value) {
    return AnyValue(value, [](const Value& inner) {
      const Dim* size = inner.TryGet<Dim>();
      return size && size->IsSymbolic();
    });
  }

  c10::IValue BoxTensor(const Value& value) const {
    if (value.IsNone()) return at::Tensor();
    if (Tensor* t = value.TryTensor()) return make_(*t);
    if (value.IsNumber()) return WrapNumber(value);
    FailType(value);
  }

  c10::IValue BoxInt(const Value& value) const {
    if (value.Is<Dim>() || value.Is<bool>()) return ToScalar(value).toLong();
    if (auto dtype = value.TryGet<ScalarType>()) return static_cast<int64_t>(*dtype);
    if (auto layout = value.TryGet<Layout>()) return static_cast<int64_t>(*layout);
    if (auto format = value.TryGet<MemoryFormat>()) return static_cast<int64_t>(*format);
    FailType(value);
  }

  c10::IValue BoxList(const Value& value, c10::TypePtr element) const {
    // Kernels that take plain ints can only unbox lists of plain ints. Those that take symbols unbox both.
    if (element->kind() == c10::TypeKind::SymIntType && !HasSymbol(value)) element = c10::IntType::get();
    c10::impl::GenericList boxed(element);
    if (const List* list = value.TryList()) {
      // A number can replace a single tensor, but not one in a list of tensors.
      const bool of_tensors = element->kind() == c10::TypeKind::TensorType;
      for (const Value& item : list->items) {
        if (of_tensors && item.IsNumber()) FailType(value);
        boxed.push_back(Box(item, element));
      }
    } else {
      // A number can only replace a list with a declared length, such as int[2].
      if (!argument_.N()) FailType(value);
      boxed.resize(*argument_.N(), Box(value, element));
    }
    return boxed;
  }

  [[noreturn]] void FailType(const Value& value) const {
    Fail(ErrorClass::kTypeError,
        "argument `" + argument_.name() + "` takes " + argument_.real_type()->str() + ", not " + ToString(value));
  }

  const c10::Argument& argument_;
  const MakeTensor& make_;
};

Value IntAs(int64_t value, TypeKind kind) {
  switch (kind) {
    case TypeKind::kDtype: return static_cast<ScalarType>(value);
    case TypeKind::kLayout: return static_cast<Layout>(value);
    case TypeKind::kMemoryFormat: return static_cast<MemoryFormat>(value);
    default: return value;
  }
}

}  // namespace

c10::Scalar ToScalar(const Value& value) {
  if (auto d = value.TryGet<double>()) return *d;
  if (auto b = value.TryGet<bool>()) return *b;
  if (auto z = value.TryGet<std::complex<double>>()) return c10::complex<double>(z->real(), z->imag());
  return value.Get<Dim>().Specialize();
}

c10::IValue ToIValue(const Value& value, const c10::Argument& argument, const MakeTensor& make) {
  return Boxer(argument, make).Box(value, argument.type());
}

Value ToValue(const c10::IValue& boxed, const Type& type, const ReadTensor& read) {
  if (boxed.isNone()) return {};
  if (boxed.isTensor()) return boxed.toTensor().defined() ? read(boxed.toTensor()) : Value();
  if (boxed.isInt()) return IntAs(boxed.toInt(), type.kind);
  if (boxed.isSymInt() || boxed.isSymFloat() || boxed.isSymBool()) return ReadSymbol(boxed);
  if (boxed.isDouble()) return boxed.toDouble();
  if (boxed.isBool()) return boxed.toBool();
  if (boxed.isComplexDouble()) return std::complex<double>(boxed.toComplexDouble());
  if (boxed.isString()) return boxed.toStringRef();
  if (boxed.isDevice()) return FromTorch(WithIndex(boxed.toDevice()));
  if (!boxed.isList()) return Opaque{boxed.tagKind(), ""};
  List list;
  for (const c10::IValue& item : boxed.toListRef()) list.items.push_back(ToValue(item, type, read));
  return list;
}

}  // namespace fakeprop::dispatch
