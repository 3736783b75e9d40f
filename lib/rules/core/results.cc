#include "lib/rules/core/results.h"

#include <algorithm>

#include "lib/meta/dtype.h"
#include "lib/rules/core/torch_words.h"

namespace fakeprop {
std::string OpName(const Call& call) { return std::string(call.schema().full_name); }

void FailDtype(const Call& call, const Text& what) {
  Fail(ErrorClass::kDtypeMismatch, OpName(call) + " " + what.ToString());
}

void FailShape(const Call& call, const Text& what) {
  Fail(ErrorClass::kShapeMismatch, OpName(call) + " " + what.ToString());
}

void FailValue(const Call& call, const Text& what) {
  Fail(ErrorClass::kValueError, OpName(call) + " " + what.ToString());
}

void FailIndex(const Call& call, const Text& what) {
  Fail(ErrorClass::kIndexOutOfRange, OpName(call) + " " + what.ToString());
}

TensorMeta NewMeta(const Call& call, DimSpan sizes, ScalarType dtype) {
  return ContiguousMeta(sizes, dtype, call.device());
}

Output& ReturnContiguous(Call& call, DimSpan sizes, ScalarType dtype) {
  return call.ReturnNew(NewMeta(call, sizes, dtype));
}

Output& ReturnContiguous(Call& call, std::initializer_list<Dim> sizes, ScalarType dtype) {
  return ReturnContiguous(call, DimSpan(sizes.begin(), sizes.size()), dtype);
}

Output& ReturnContiguous(Call& call, const TensorMeta& t) { return ReturnContiguous(call, t.size_span(), t.dtype); }

TensorMeta LikeMeta(const Call& call, const TensorMeta& t, ScalarType dtype) {
  TensorMeta out;
  out.sizes = t.sizes;
  out.strides = PreservedStrides(t);
  out.dtype = dtype;
  out.device = call.device();
  return out;
}

Output& ReturnLike(Call& call, const TensorMeta& t, ScalarType dtype) {
  return call.ReturnNew(LikeMeta(call, t, dtype));
}

Output& ReturnLike(Call& call, const TensorMeta& t) { return ReturnLike(call, t, t.dtype); }

void ReturnContiguousSelf(Call& call) { ReturnContiguous(call, call.In("self")); }
void ReturnLikeSelf(Call& call) { ReturnLike(call, call.In("self")); }

Output& ReturnFollowedAlias(Call& call, Tensor& of, TensorMeta meta) {
  const bool follows = call.state().grad_enabled && of.RequiresGrad() && IsFloatOrComplex(meta.dtype);
  Output& out = call.ReturnAlias(of, std::move(meta));
  out.requires_grad = follows;
  return out;
}

void WriteOfSizes(Call& call, Tensor& out, const Dims& sizes) {
  if (!GuardSameOrFalse(out.meta.size_span(), sizes)) {
    TensorMeta resized = ContiguousMeta(sizes, out.meta.dtype, out.meta.device);
    resized.storage_offset = out.meta.storage_offset;
    const Dim nbytes = StorageNbytes(resized);
    call.SetMeta(out, std::move(resized));
    call.effects().mutations.back().nbytes = nbytes;
  }
  call.Write(out);
  call.ReturnArgument(out);
}

Dims ReducedSizes(DimSpan sizes, const std::vector<bool>& mask, bool keepdim) {
  Dims out;
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (!mask[d]) {
      out.push_back(sizes[d]);
    } else if (keepdim) {
      out.push_back(1);
    }
  }
  return out;
}

Dims ReducedSizes(DimSpan sizes, int64_t dim, bool keepdim) {
  std::vector<bool> mask(std::max<size_t>(sizes.size(), 1));
  mask[dim] = true;
  return ReducedSizes(sizes, mask, keepdim);
}

Dims WithSize(DimSpan sizes, int64_t dim, Dim size) {
  Dims out(sizes.begin(), sizes.end());
  if (!out.empty()) out[dim < 0 ? dim + static_cast<int64_t>(out.size()) : dim] = size;
  return out;
}

Dims Appended(DimSpan sizes, Dim size) {
  Dims out(sizes.begin(), sizes.end());
  out.push_back(size);
  return out;
}

std::optional<ScalarType> TryDtype(const Call& call, ArgumentName name) {
  return call.Has(name) ? call.OptionalDtype(name) : std::nullopt;
}

Dim SizeAt(const TensorMeta& t, int64_t dim) { return t.rank() == 0 ? Dim(1) : t.sizes[dim]; }

namespace {

// The name of the kernel, which stands before it, differs from device to device.
constexpr std::string_view kNotImplemented = "not implemented for '{}'";

struct ClassWords {
  const DtypeClass* dtypes;
  std::string_view words;  // with {} for PyTorch's name of the dtype
};

constexpr ClassWords kClassWords[] = {{&kFloating, kNotImplemented}, {&kFloatingOrComplex, kNotImplemented},
    {&kIntegral, kNotImplemented}, {&kNotComplex, kNotImplemented}, {&kNotBool, kNotImplemented},
    {&kIndexDtype, "expected dtype int32/int64 for index"}};

}  // namespace

std::string WithTorchWords(std::string refusal, ScalarType dtype) {
  const std::string_view name = C10DtypeName(dtype);
  for (const ClassWords& known : kClassWords)
    if (refusal == Text(known.dtypes->text).ToString(Shown(dtype)))
      return refusal + ": " + Text(known.words).ToString(Shown(name));
  return refusal;
}

std::string TorchName(const Operand& argument) {
  const std::string quoted = argument.QuotedName();
  return quoted.substr(1, quoted.size() - 2);
}

std::string TorchSizes(DimSpan sizes) {
  std::string text;
  for (Dim size : sizes) text += (text.empty() ? "(" : " x ") + size.ToString();
  return text + ")";
}

bool IsHalf(ScalarType dtype) { return kHalfDtypes.Has(dtype); }

void RequireDtype(const Call& call, ScalarType dtype, const DtypeClass& dtypes) {
  if (!dtypes.dtypes.Has(dtype))
    FailDtype(call, WithTorchWords(Text(dtypes.TextFor(dtype)).ToString(Shown(dtype)), dtype));
}

void RequireDeviceOfFirst(const Call& call, std::initializer_list<ArgumentName> names) {
  std::optional<Operand> first;
  for (ArgumentName name : names) {
    const Operand t = call.TryIn(name);
    if (first) t.SameDeviceAs(*first);
    if (!first && t) first = t;
  }
}

void RequireFullFloat(const Call& call, ScalarType dtype) {
  RequireDtype(call, dtype, kFloating);
  if (call.device().is_cpu())
    RequireDtype(call, dtype, {kFloat32Or64, "takes float32 or float64 tensors on the cpu, not {}"});
}

void DynamicShape(Call& call) {
  Fail(ErrorClass::kDynamicOutputShape,
      "the shape of " + OpName(call) + "'s result depends on the data of its arguments");
}

void DataDependent(Call& call) {
  Fail(ErrorClass::kDataDependentOutput, "the result of " + OpName(call) + " depends on the data of its arguments");
}

void NoResult(Call&) {}

}  // namespace fakeprop
