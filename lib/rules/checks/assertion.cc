// Assertions, questions about a tensor's metadata, and numbers read from data.
// Source: aten/src/ATen/native/TensorProperties.cpp, TestOps; fake_impls.py local_scalar_dense (torch 2.13).
#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/families.h"
#include "lib/rules/support/unbacked_results.h"

namespace fakeprop::rules {
namespace {

[[noreturn]] void FailAssertion(const std::string& what, const std::string& wanted, const std::string& seen) {
  Fail(ErrorClass::kAssertionFailed, "tensor " + what + " mismatch: expected " + wanted + ", but got " + seen);
}

void RequireDims(const std::optional<Dims>& wanted, DimSpan seen, const char* what) {
  if (!wanted) return;
  bool same = wanted->size() == seen.size();
  for (size_t d = 0; same && d < seen.size(); ++d) same = Expect(Eq((*wanted)[d], seen[d]));
  if (!same) FailAssertion(what, ToString(DimSpan(*wanted)), ToString(seen));
}

// Each property that is given must be the tensor's. Source: at::native::_assert_tensor_metadata_symint.
void AssertMetadata(Call& call) {
  const TensorMeta& t = call.Meta(0);
  RequireDims(call.OptionalDimList(1), t.size_span(), "sizes");
  RequireDims(call.OptionalDimList(2), t.stride_span(), "strides");
  if (auto dtype = call.OptionalDtype(3); dtype && *dtype != t.dtype)
    FailAssertion("dtype", std::string(DtypeName(*dtype)), std::string(DtypeName(t.dtype)));
  if (auto device = call.OptionalDevice(4); device && *device != t.device)
    FailAssertion("device", device->str(), t.device.str());
  if (auto layout = call.OptionalLayout(5); layout && *layout != t.layout)
    FailAssertion("layout", ToString(Value(*layout)), ToString(Value(t.layout)));
}

// Whether a number is true; of what is no number nothing is said.
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

// A number that must not be false.
void AssertScalar(Call& call) { Assert(call.Number(0), std::string(call.String(1))); }

// The one known element of a tensor, or null.
const Value* KnownElement(const Tensor& t) {
  const std::vector<Value>* values = t.KnownValue();
  return values && values->size() == 1 ? &values->front() : nullptr;
}

void RequireOneElement(const Call& call) {
  const TensorMeta& t = call.Meta(0);
  if (!HasNumel(t, 1)) FailValue(call, "takes a tensor of one element, but got shape " + ToString(t.size_span()));
}

void AssertAsync(Call& call) {
  RequireOneElement(call);
  const Value* value = KnownElement(call.TensorArg(0));
  const bool has_message = call.size() > 1 && call.Arg(1).Is<std::string>();
  if (value) Assert(*value, has_message ? std::string(call.String(1)) : "the asserted tensor is false");
}

// The forms that return a copy of a token, so that functional graphs keep the order. The asynchronous one's function in
// Python, which speaks for devices other than the cpu, hands the token on as it is.
template <Rule Assertion>
void AssertWithToken(Call& call) {
  Assertion(call);
  const Tensor* asserted = call.Arg(0).TryTensor();
  if (asserted && asserted->meta.device != call.Meta(2).device)
    Fail(ErrorClass::kDeviceMismatch,
        OpName(call) + " takes a token on the device of what it asserts, " + asserted->meta.device.str() + ", not on " +
            call.Meta(2).device.str(),
        {asserted, &call.TensorArg(2)});
  if (Assertion == Rule(AssertAsync) && !call.Meta(2).device.is_cpu())
    return void(call.ReturnArgument(call.TensorArg(2)));
  ReturnLike(call, call.Meta(2), call.Meta(2).dtype);
}

// What is printed is nobody's argument.
void PrintNothing(Call&) {}

// min <= size <= max, where that can be told.
void ConstrainRange(Call& call) {
  const Value& number = call.Number(0);
  auto size = number.TryGet<Dim>();
  if (!size) FailValue(call, "constrains integers only, not " + ToString(number));
  const auto min = call.OptionalDim(1), max = call.OptionalDim(2);
  if (min && max && Known(Gt(*min, *max)))
    FailValue(call, "is given the minimum " + min->ToString() + ", which is above the maximum " + max->ToString());
  const std::string outside =
      "the value " + size->ToString() + " is outside of [" + ToString(call.Arg(1)) + ", " + ToString(call.Arg(2)) + "]";
  if (min) RequireTrue(Ge(*size, *min), ErrorClass::kAssertionFailed, outside);
  if (max) RequireTrue(Le(*size, *max), ErrorClass::kAssertionFailed, outside);
}

// A size, which is at least 0 where nothing else is said. Source: _constrain_range_for_size in symbolic_shapes.py.
void ConstrainSize(Call& call) {
  ConstrainRange(call);
  auto size = call.Number(0).TryGet<Dim>();
  if (call.IsNone(1))
    RequireTrue(Ge(*size, 0), ErrorClass::kAssertionFailed, "the size " + size->ToString() + " is negative");
}

// (size, min, max, token): the token goes on, as a copy on the cpu.
void ConstrainRangeWithToken(Call& call) {
  const bool of_size = call.schema().name.ends_with("_for_size");
  if (!of_size || !call.IsNone(1) || !call.IsNone(2)) ConstrainRange(call);
  // Sizes of 0 and 1 are ruled out apart. Source: sym_constrain_range_for_size.
  const auto max = call.OptionalDim(2);
  if (max && of_size && !Expect(Gt(*max, 2))) FailValue(call, "takes a maximum above 2, not " + max->ToString());
  Tensor& token = call.TensorArg(3);
  if (token.meta.device.is_cpu()) {
    ReturnLike(call, token.meta, token.meta.dtype);
  } else {
    call.ReturnArgument(token);
  }
}

// The dimension at argument 1, which a 0-dim tensor does not have.
int64_t ExistingDim(const Call& call) {
  const TensorMeta& t = call.Meta(0);
  if (t.rank() == 0)
    Fail(ErrorClass::kIndexOutOfRange, "a 0-dim tensor has no dimension " + std::to_string(call.Int(1)),
        {&call.TensorArg(0)});
  return WrapDim(call.Int(1), t.rank());
}

void Size(Call& call) { call.ReturnNumber(call.Meta(0).sizes[ExistingDim(call)]); }
void Stride(Call& call) { call.ReturnNumber(call.Meta(0).strides[ExistingDim(call)]); }
void Numel(Call& call) { call.ReturnNumber(Numel(call.Meta(0).size_span())); }
void StorageOffset(Call& call) { call.ReturnNumber(call.Meta(0).storage_offset); }
void Rank(Call& call) { call.ReturnNumber(Dim(call.Meta(0).rank())); }

void Contiguous(Call& call) {
  const auto format = call.size() > 1 ? call.OptionalMemoryFormat(1) : std::nullopt;
  call.ReturnNumber(IsContiguousIn(call.Meta(0), format.value_or(MemoryFormat::Contiguous)));
}

template <bool (*Predicate)(ScalarType)>
void AskDtype(Call& call) {
  call.ReturnNumber(Predicate(call.Meta(0).dtype));
}

bool IsSigned(ScalarType dtype) { return c10::isSignedType(dtype); }

void IsConj(Call& call) { call.ReturnNumber(call.Meta(0).is_conj); }
void IsNeg(Call& call) { call.ReturnNumber(call.Meta(0).is_neg); }

void SameSize(Call& call) { call.ReturnNumber(GuardSame(call.Meta(0).size_span(), call.Meta(1).size_span())); }

// The same bytes seen the same way. Source: TensorImpl's storage, offset, sizes and strides in at::native::is_set_to.
void SetTo(Call& call) {
  const Tensor &a = call.TensorArg(0), &b = call.TensorArg(1);
  call.ReturnNumber(a.storage == b.storage && GuardOrFalse(Eq(a.meta.storage_offset, b.meta.storage_offset)) &&
                    GuardSame(a.meta.size_span(), b.meta.size_span()) &&
                    GuardSame(a.meta.stride_span(), b.meta.stride_span()));
}

// The index of a device that has one, -1 for the cpu.
void DeviceIndex(Call& call) { call.ReturnNumber(static_cast<int64_t>(call.Meta(0).device.index())); }

// item(): a number where the element is known, else a symbol.
void Item(Call& call) {
  RequireOneElement(call);
  const Value* value = KnownElement(call.TensorArg(0));
  call.ReturnNumber(value ? *value : UnbackedNumber(call, call.TensorArg(0)));
}

void IsNonZero(Call& call) {
  RequireOneElement(call);
  const Value* value = KnownElement(call.TensorArg(0));
  if (!value) DataDependent(call);
  call.ReturnNumber(Guard(ConditionOf(*value)));
}

// Tensors of other shapes are never equal, whatever they hold. Source: at::native::cpu_equal.
void Equal(Call& call) {
  const TensorMeta& a = call.Meta(0);
  const TensorMeta& b = call.Meta(1);
  if (!GuardSame(a.size_span(), b.size_span())) return void(call.ReturnNumber(false));
  RequireSameDtype(call, 0, 1);
  if (IsKnownEmpty(a)) return void(call.ReturnNumber(true));
  DataDependent(call);
}

// The sizes as a tensor of integers, whose elements are known.
void ShapeAsTensor(Call& call) {
  const TensorMeta& t = call.Meta(0);
  auto elements = std::make_shared<std::vector<Value>>();
  for (Dim size : t.sizes) elements->push_back(size);
  Output& sizes = ReturnContiguous(call, Dims{t.rank()}, ScalarType::Long);
  sizes.meta.device = Device(DeviceType::CPU);
  sizes.constant = std::move(elements);
}

constexpr RuleRow kRows[] = {
    {"aten::_shape_as_tensor", ShapeAsTensor, Devices::kAny, Grad::kNone},
    {"aten::_assert_tensor_metadata", AssertMetadata},
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
    {"aten::sym_size.int", Size},
    {"aten::size.int", Size},
    {"aten::sym_stride.int", Stride},
    {"aten::stride.int", Stride},
    {"aten::sym_numel", Numel},
    {"aten::numel", Numel},
    {"aten::sym_storage_offset", StorageOffset},
    {"aten::storage_offset", StorageOffset},
    {"aten::dim", Rank},
    {"aten::is_contiguous", Contiguous},
    {"aten::is_contiguous.memory_format", Contiguous},
    {"aten::sym_is_contiguous", Contiguous},
    {"aten::is_complex", AskDtype<IsComplex>},
    {"aten::is_floating_point", AskDtype<IsFloat>},
    {"aten::is_signed", AskDtype<IsSigned>},
    {"aten::is_conj", IsConj},
    {"aten::is_neg", IsNeg},
    {"aten::is_same_size", SameSize, Devices::kAny},
    {"aten::is_set_to", SetTo, Devices::kAny},
    {"aten::get_device", DeviceIndex},
    {"aten::item", Item},
    {"aten::_local_scalar_dense", Item},
    {"aten::is_nonzero", IsNonZero},
    {"aten::equal", DecidedOnCpu<Equal, DataDependent>},
    {"aten::allclose", DataDependent},
};

}  // namespace

RuleRows AssertionRules() { return kRows; }

}  // namespace fakeprop::rules
