// Assertions, questions about a tensor's metadata, and numbers read from data.
// Source: aten/src/ATen/native/TensorProperties.cpp, TestOps; fake_impls.py local_scalar_dense (torch 2.13).
#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/families.h"
#include "lib/rules/support/data_dependent_results.h"

namespace fakeprop::rules {
namespace {

// `what`: the property of the tensor that is not as expected.
template <typename T>
[[noreturn]] void FailAssertion(const char* what, const T& expected, const T& seen) {
  Fail(ErrorClass::kAssertionFailed, Format("tensor {} mismatch: expected {}, but got {}", what, expected, seen));
}

template <typename T>
void AssertSame(const char* what, const std::optional<T>& expected, T seen) {
  if (expected && *expected != seen) FailAssertion(what, Value(*expected), Value(seen));
}

void AssertDims(const std::optional<Dims>& expected, DimSpan seen, const char* what) {
  if (expected && !ExpectSame(*expected, seen)) FailAssertion(what, DimSpan(*expected), seen);
}

// Each property that is given must be the tensor's. Source: at::native::_assert_tensor_metadata_symint.
void AssertMetadata(Call& call) {
  const Operand t = call.In("a");
  AssertDims(call.OptionalDimList("size"), t->size_span(), "sizes");
  AssertDims(call.OptionalDimList("stride"), t->stride_span(), "strides");
  AssertSame("dtype", call.OptionalDtype("dtype"), t->dtype);
  AssertSame("device", call.OptionalDevice("device"), t->device);
  AssertSame("layout", call.OptionalLayout("layout"), t->layout);
}

// The condition that a number is not 0. Other values count as true.
Cond ConditionOf(const Value& value) {
  if (auto b = value.TryGet<bool>()) return Cond(*b);
  if (auto f = value.TryGet<double>()) return Cond(*f != 0);
  if (auto d = value.TryGet<Dim>()) return Ne(*d, 0);
  if (value.IsSymbolicBool()) return Cond::Of(value.Get<Symbolic>().expression);
  return Cond(true);
}

void Assert(const Value& value, const std::string& message) {
  RequireTrue(ConditionOf(value), ErrorClass::kAssertionFailed, message);
}

// The number must not be 0 or false.
void AssertScalar(Call& call) { Assert(call.Number("self"), std::string(call.String("assert_msg"))); }

// The one known element of a tensor, or null.
const Value* KnownElement(const Tensor& t) {
  const std::vector<Value>* values = t.KnownValue();
  return values && values->size() == 1 ? &values->front() : nullptr;
}

// `self`, which must have one element.
Operand OneElement(const Call& call) {
  const Operand t = call.In("self");
  RequireValue(call, HasNumel(t, 1),
      {"takes a tensor of one element, but got shape {}: a Tensor with {} elements cannot be converted to Scalar",
          t->sizes, t.Numel()});
  return t;
}

void AssertAsync(Call& call) {
  const Value* value = KnownElement(OneElement(call).tensor());
  const Value* message = call.TryArg("assert_msg");
  const bool has_message = message && message->Is<std::string>();
  if (value) Assert(*value, has_message ? message->Get<std::string>() : "the asserted tensor is false");
}

// Assertions that return a token, so that functional graphs keep their order. The token is a copy. Only Python's
// function for the asynchronous assertion, which serves devices other than the cpu, returns the token itself.
template <Rule Assertion>
void AssertWithToken(Call& call) {
  Assertion(call);
  const Operand asserted = call.TryIn("self"), token = call.In("dep_token");
  token.SameDeviceAs(asserted);
  if (Assertion == Rule(AssertAsync) && !token->device.is_cpu()) return void(call.ReturnArgument(token.tensor()));
  ReturnLike(call, token);
}

// _print has no result, and its argument is text.
void PrintNothing(Call&) {}

// Asserts min <= size <= max.
void ConstrainRange(Call& call) {
  const Value& number = call.Number("size");
  auto size = number.TryGet<Dim>();
  if (!size) FailValue(call, {"constrains integers only, not {}", number});
  const auto min = call.OptionalDim("min"), max = call.OptionalDim("max");
  if (min && max && Known(Gt(*min, *max)))
    FailValue(call, {"is given the minimum {}, which is above the maximum {}", *min, *max});
  const std::string outside = Format("the value {} is outside of [{}, {}]", *size, call.Arg("min"), call.Arg("max"));
  if (min) RequireTrue(Ge(*size, *min), ErrorClass::kAssertionFailed, outside);
  if (max) RequireTrue(Le(*size, *max), ErrorClass::kAssertionFailed, outside);
}

// A size is at least 0 if no minimum is given. Source: _constrain_range_for_size in symbolic_shapes.py.
void ConstrainSize(Call& call) {
  ConstrainRange(call);
  auto size = call.Number("size").TryGet<Dim>();
  if (call.IsNone("min"))
    RequireTrue(Ge(*size, 0), ErrorClass::kAssertionFailed, Format("the size {} is negative", *size));
}

// Returns the token, on the cpu a copy of it.
void ConstrainRangeWithToken(Call& call) {
  const bool of_size = call.schema().name.ends_with("_for_size");
  if (!of_size || call.Has("min") || call.Has("max")) ConstrainRange(call);
  // The maximum may not rule out all sizes but 0 and 1. Source: sym_constrain_range_for_size.
  const auto max = call.OptionalDim("max");
  if (max && of_size) RequireValue(call, Gt(*max, 2), {"takes a maximum above 2, not {}", *max});
  const Operand token = call.In("dep_token");
  if (token->device.is_cpu()) {
    ReturnLike(call, token);
  } else {
    call.ReturnArgument(token.tensor());
  }
}

// `dim` as an index. A 0-dim tensor has no dimension.
int64_t ExistingDim(const Call& call, const Operand& t) {
  const int64_t dim = call.Int("dim");
  if (t->rank() == 0)
    Fail(ErrorClass::kIndexOutOfRange, Format("a 0-dim tensor has no dimension {}", dim), {&t.tensor()});
  return WrapDim(dim, t->rank());
}

void Size(Call& call) {
  const Operand self = call.In("self");
  call.ReturnNumber(self->sizes[ExistingDim(call, self)]);
}

void Stride(Call& call) {
  const Operand self = call.In("self");
  call.ReturnNumber(self->strides[ExistingDim(call, self)]);
}

void Numel(Call& call) { call.ReturnNumber(Numel(call.In("self")->size_span())); }
void StorageOffset(Call& call) { call.ReturnNumber(call.In("self")->storage_offset); }
void Rank(Call& call) { call.ReturnNumber(Dim(call.In("self")->rank())); }

void Contiguous(Call& call) {
  const auto format = call.Has("memory_format") ? call.OptionalMemoryFormat("memory_format") : std::nullopt;
  call.ReturnNumber(IsContiguousIn(call.In("self"), format.value_or(MemoryFormat::Contiguous)));
}

template <bool (*Predicate)(ScalarType)>
void AskDtype(Call& call) {
  call.ReturnNumber(Predicate(call.In("self")->dtype));
}

void IsConj(Call& call) { call.ReturnNumber(call.In("self")->is_conj); }
void IsNeg(Call& call) { call.ReturnNumber(call.In("self")->is_neg); }

void SameSize(Call& call) { call.ReturnNumber(GuardSame(call.In("self")->size_span(), call.In("other")->size_span())); }

// Both are the same view of one storage. Source: TensorImpl's storage, offset, sizes and strides in
// at::native::is_set_to.
void SetTo(Call& call) {
  const Operand a = call.In("self"), b = call.In("tensor");
  call.ReturnNumber(a.tensor().storage == b.tensor().storage &&
                    GuardOrFalse(Eq(a->storage_offset, b->storage_offset)) &&
                    GuardSame(a->size_span(), b->size_span()) && GuardSame(a->stride_span(), b->stride_span()));
}

// The device's index, or -1 if it has none, as the cpu.
void DeviceIndex(Call& call) { call.ReturnNumber(static_cast<int64_t>(call.In("self")->device.index())); }

// item(): a number where the element is known, else a symbol.
void Item(Call& call) {
  Tensor& self = OneElement(call).tensor();
  const Value* value = KnownElement(self);
  call.ReturnNumber(value ? *value : UnbackedNumber(call, self));
}

void IsNonZero(Call& call) {
  const Value* value = KnownElement(OneElement(call).tensor());
  if (!value) DataDependent(call);
  call.ReturnNumber(Guard(ConditionOf(*value)));
}

// Tensors of other shapes are never equal, whatever they hold. Source: at::native::cpu_equal.
void Equal(Call& call) {
  const Operand a = call.In("self"), b = call.In("other");
  if (!GuardSame(a->size_span(), b->size_span())) return void(call.ReturnNumber(false));
  a.SameDtypeAs(b);
  if (IsKnownEmpty(a)) return void(call.ReturnNumber(true));
  DataDependent(call);
}

// The sizes as a tensor of integers, whose elements are known.
void ShapeAsTensor(Call& call) {
  const Operand t = call.In("self");
  auto elements = std::make_shared<std::vector<Value>>();
  for (Dim size : t->sizes) elements->push_back(size);
  Output& sizes = ReturnContiguous(call, Dims{t->rank()}, ScalarType::Long);
  sizes.meta.device = Device(DeviceType::CPU);
  sizes.constant = std::move(elements);
}

constexpr RuleRow kRows[] = {
    {"aten::_shape_as_tensor", ShapeAsTensor, Devices::kAny | Grad::kNone | Reads::kMetadata},
    {"aten::_assert_tensor_metadata", AssertMetadata, Reads::kMetadata},
    {"aten::_assert_scalar", AssertScalar},
    {"aten::_assert_async", AssertAsync},
    {"aten::_print", PrintNothing},
    {"aten::_assert_async.msg", AssertAsync},
    {"aten::_functional_assert_scalar", AssertWithToken<AssertScalar>},
    {"aten::_functional_assert_async.msg", AssertWithToken<AssertAsync>},
    {"aten::sym_constrain_range", ConstrainRange},
    {"aten::sym_constrain_range_for_size", ConstrainSize},
    {"aten::_functional_sym_constrain_range", ConstrainRangeWithToken},
    {"aten::_functional_sym_constrain_range_for_size", ConstrainRangeWithToken},
    {"aten::sym_size.int", Size, Reads::kMetadata},
    {"aten::size.int", Size, Reads::kMetadata},
    {"aten::sym_stride.int", Stride, Reads::kMetadata},
    {"aten::stride.int", Stride, Reads::kMetadata},
    {"aten::sym_numel", Numel, Reads::kMetadata},
    {"aten::numel", Numel, Reads::kMetadata},
    {"aten::sym_storage_offset", StorageOffset, Reads::kMetadata},
    {"aten::storage_offset", StorageOffset, Reads::kMetadata},
    {"aten::dim", Rank, Reads::kMetadata},
    {"aten::is_contiguous", Contiguous, Reads::kMetadata},
    {"aten::is_contiguous.memory_format", Contiguous, Reads::kMetadata},
    {"aten::sym_is_contiguous", Contiguous, Reads::kMetadata},
    {"aten::is_complex", AskDtype<IsComplex>, Reads::kMetadata},
    {"aten::is_floating_point", AskDtype<IsFloat>, Reads::kMetadata},
    {"aten::is_signed", AskDtype<IsSignedDtype>, Reads::kMetadata},
    {"aten::is_conj", IsConj, Reads::kMetadata},
    {"aten::is_neg", IsNeg, Reads::kMetadata},
    {"aten::is_same_size", SameSize, Devices::kAny | Reads::kMetadata},
    {"aten::is_set_to", SetTo, Devices::kAny | Reads::kMetadata},
    {"aten::get_device", DeviceIndex, Reads::kMetadata},
    {"aten::item", Item},
    {"aten::_local_scalar_dense", Item},
    {"aten::is_nonzero", IsNonZero},
    {"aten::equal", DecidedOnCpu<Equal, DataDependent>},
    {"aten::allclose", DataDependent},
};

}  // namespace

RuleRows AssertionRules() { return kRows; }

}  // namespace fakeprop::rules
