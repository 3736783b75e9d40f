#include "lib/libtorch_fallback/plugin/real_run.h"

#include <ATen/EmptyTensor.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/grad_mode.h>
#include <c10/core/CPUAllocator.h>
#include <c10/core/DefaultDtype.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <cstring>

#include "lib/dispatch/boxed_call.h"
#include "lib/dispatch/dispatch_errors.h"
#include "lib/dispatch/ivalues.h"
#include "lib/dispatch/torch_types.h"
#include "lib/meta/dtype.h"
#include "lib/meta/value_visit.h"

namespace fakeprop::libtorch {
namespace {

// What LibTorch warns of is no difference.
struct NoWarnings final : c10::WarningHandler {
  void process(const c10::Warning&) override {}
};
NoWarnings no_warnings;

// Of messages about elements rather than metadata.
constexpr std::string_view kDataWords[] = {"allocated size does not match", "Boolean value of Tensor",
    "Class values must be", "converge", "Expected p_in >=", "Index out of range", "index out of range",
    "Invalid packed weight", "is out of bounds", "Length of all samples", "max must be larger than min",
    "must be in range", "must be in the range", "negative dimensions are not", "not positive", "offsets[",
    "out of bounds:", "Pivots given", "probabilities", "probability", "should be between 0 and 1",
    "should be non-negative", "singular", "value cannot be converted to type", "ZeroDivisionError"};

// Elements of a storage, one after the other: a different one each time, the same in every run.
template <typename T>
void FillWith(void* data, int64_t bytes, T (*element)(int64_t)) {
  for (int64_t i = 0; i < bytes / static_cast<int64_t>(sizeof(T)); ++i) static_cast<T*>(data)[i] = element(i);
}

template <typename T>
T Fraction(int64_t i) {
  return static_cast<T>(0.05 + 0.9 * static_cast<double>(i * 37 % 101) / 101.0);
}
template <typename T>
T Bit(int64_t i) {
  return static_cast<T>(i * 5 % 7 % 2);
}
template <typename T>
T One(int64_t) {
  return static_cast<T>(1);
}

template <typename T>
void FillIntegers(void* data, int64_t bytes, Integers integers) {
  if (integers == Integers::kZeros) return;  // as the storage was made
  FillWith<T>(data, bytes, integers == Integers::kOnes ? One<T> : Bit<T>);
}

// Other dtypes (float8, quantised) stay at zero.
void Fill(void* data, int64_t bytes, ScalarType dtype, Integers integers) {
  switch (dtype) {
    case ScalarType::Float:
    case ScalarType::ComplexFloat: return FillWith<float>(data, bytes, Fraction<float>);
    case ScalarType::Double:
    case ScalarType::ComplexDouble: return FillWith<double>(data, bytes, Fraction<double>);
    case ScalarType::Half:
    case ScalarType::ComplexHalf: return FillWith<c10::Half>(data, bytes, Fraction<c10::Half>);
    case ScalarType::BFloat16: return FillWith<c10::BFloat16>(data, bytes, Fraction<c10::BFloat16>);
    case ScalarType::Long:
    case ScalarType::UInt64: return FillIntegers<int64_t>(data, bytes, integers);
    case ScalarType::Int:
    case ScalarType::UInt32: return FillIntegers<int32_t>(data, bytes, integers);
    case ScalarType::Short:
    case ScalarType::UInt16: return FillIntegers<int16_t>(data, bytes, integers);
    case ScalarType::Char:
    case ScalarType::Byte:
    case ScalarType::Bool: return FillIntegers<int8_t>(data, bytes, integers);
    default: return;
  }
}

std::vector<int64_t> Numbers(DimSpan dims) {
  std::vector<int64_t> numbers;
  for (Dim d : dims) numbers.push_back(d.Specialize());
  return numbers;
}

// Heavy enough for products of such matrices, too.
void AddDiagonal(const at::Tensor& t) {
  if (t.dim() < 2 || t.size(-1) != t.size(-2) || !IsFloatOrComplex(FromTorch(t.scalar_type())) || t.element_size() < 4)
    return;
  if (!t.is_non_overlapping_and_dense()) return;
  t.diagonal(0, -2, -1).add_(2 * t.size(-1));
}

bool TakesTensor(const c10::Argument& argument) {
  const c10::TypePtr& type = argument.type();
  if (type->kind() != c10::TypeKind::OptionalType) return type->kind() == c10::TypeKind::TensorType;
  return type->expectRef<c10::OptionalType>().getElementType()->kind() == c10::TypeKind::TensorType;
}

// A number in a tensor's place, as Python's binding makes one of it.
at::Tensor WrapNumber(const Value& number) {
  const c10::Scalar scalar = dispatch::ToScalar(number);
  at::Tensor t = at::detail::empty_cpu({}, scalar.isFloatingPoint() ? c10::ScalarType::Double
                                           : scalar.isComplex()     ? c10::ScalarType::ComplexDouble
                                           : scalar.isBoolean()     ? c10::ScalarType::Bool
                                                                    : c10::ScalarType::Long);
  t.fill_(scalar);
  t.unsafeGetTensorImpl()->set_wrapped_number(true);
  return t;
}

torch::jit::Stack Box(const c10::OperatorHandle& op, const Call& call, ArgumentTensors& tensors) {
  const dispatch::MakeTensor make = [&](Tensor& t) { return tensors.Make(t); };
  return dispatch::BoxArguments(op, call, [&](const Value& value, const c10::Argument& argument) {
    return value.IsNumber() && TakesTensor(argument) ? c10::IValue(WrapNumber(value))
                                                     : dispatch::ToIValue(value, argument, make);
  });
}

bool IsOnCpu(const Value& value) {
  return !AnyValue(value, [](const Value& inner) {
    const Tensor* t = inner.TryTensor();
    const Device* device = t ? &t->meta.device : inner.TryGet<Device>();
    return device && !device->is_cpu();
  });
}

}  // namespace

c10::Storage RealTensors::MakeStorage(const Tensor& t) const {
  const int64_t bytes = t.storage->nbytes.Specialize();
  c10::Allocator* allocator = c10::GetCPUAllocator();
  c10::Storage storage = c10::make_intrusive<c10::StorageImpl>(
      c10::StorageImpl::use_byte_size_t(), bytes, allocator->allocate(bytes), allocator, /*resizable=*/true);
  if (bytes == 0) return storage;
  std::memset(storage.mutable_data(), 0, bytes);
  Fill(storage.mutable_data(), bytes, t.meta.dtype, integers_);
  return storage;
}

at::Tensor RealTensors::MakeTensor(const TensorMeta& meta, c10::Storage storage) const {
  at::Tensor t = at::detail::make_tensor<c10::TensorImpl>(
      std::move(storage), c10::DispatchKeySet(c10::DispatchKey::CPU), c10::scalarTypeToTypeMeta(ToTorch(meta.dtype)));
  SetNumbers(t, meta);
  AddDiagonal(t);
  return t;
}

void SetNumbers(const at::Tensor& t, const TensorMeta& meta) {
  t.unsafeGetTensorImpl()->set_sizes_and_strides(
      Numbers(meta.size_span()), Numbers(meta.stride_span()), meta.storage_offset.Specialize());
  if (meta.is_conj) t._set_conj(true);
  if (meta.is_neg) t._set_neg(true);
}

torch::jit::Stack RunKernels(const Call& call, ArgumentTensors& tensors) {
  const c10::WarningUtils::WarningHandlerGuard quiet(&no_warnings);
  const c10::OperatorName name(std::string(call.schema().name), std::string(call.schema().overload));
  const auto op = c10::Dispatcher::singleton().findSchema(name);
  if (!op) Fail(ErrorClass::kUnsupportedOperator, "LibTorch has no operator " + std::string(call.schema().full_name));
  torch::jit::Stack stack = Box(*op, call, tensors);
  const at::AutoGradMode grad_mode(call.state().grad_enabled);
  op->callBoxed(stack);
  return stack;
}

torch::jit::Stack RunReal(const Call& call, ArgumentTensors& tensors) {
  try {
    return RunKernels(call, tensors);
  } catch (const OpError&) {
    throw;
  } catch (const c10::Error& e) {
    throw dispatch::ToOpError(e);
  } catch (const std::bad_alloc&) {
    Fail(ErrorClass::kUnsupportedOperator, "more memory than there is");
  } catch (const std::exception& e) {
    Fail(dispatch::ClassOfMessage(e.what()), e.what());
  }
}

bool MayBeAboutData(std::string_view message) {
  return std::any_of(std::begin(kDataWords), std::end(kDataWords),
      [&](std::string_view words) { return message.find(words) != std::string_view::npos; });
}

bool IsOnCpu(const Call& call) {
  for (size_t i = 0; i < call.size(); ++i)
    if (!IsOnCpu(call.Arg(static_cast<int>(i)))) return false;
  return true;
}

}  // namespace fakeprop::libtorch
