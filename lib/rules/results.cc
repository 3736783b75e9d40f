#include "lib/rules/results.h"

#include <algorithm>

#include "lib/meta/dtype.h"

namespace fakeprop {
namespace {

std::string ArgumentName(const Call& call, int i) { return "`" + std::string(call.schema().arguments[i].name) + "`"; }

}  // namespace

std::string OpName(const Call& call) { return std::string(call.schema().full_name); }

void FailDtype(const Call& call, std::string_view what) {
  Fail(ErrorClass::kDtypeMismatch, OpName(call) + " " + std::string(what));
}

void FailShape(const Call& call, std::string_view what) {
  Fail(ErrorClass::kShapeMismatch, OpName(call) + " " + std::string(what));
}

void FailValue(const Call& call, std::string_view what) {
  Fail(ErrorClass::kValueError, OpName(call) + " " + std::string(what));
}

TensorMeta NewMeta(const Call& call, DimSpan sizes, ScalarType dtype) {
  return ContiguousMeta(sizes, dtype, call.device());
}

Output& ReturnContiguous(Call& call, DimSpan sizes, ScalarType dtype) {
  return call.ReturnNew(NewMeta(call, sizes, dtype));
}

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

const Value* TryNamed(const Call& call, std::string_view name) {
  const int i = call.schema().FindArgument(name);
  return i < 0 || call.IsNone(i) ? nullptr : &call.Arg(i);
}

bool NamedBool(const Call& call, std::string_view name) {
  const int i = call.schema().FindArgument(name);
  return i >= 0 && !call.IsNone(i) && call.Bool(i);
}

std::optional<ScalarType> NamedDtype(const Call& call, std::string_view name) {
  const int i = call.schema().FindArgument(name);
  return i < 0 ? std::nullopt : call.OptionalDtype(i);
}

Dim SizeAt(const TensorMeta& t, int64_t dim) { return t.rank() == 0 ? Dim(1) : t.sizes[dim]; }

bool IsOneOf(ScalarType dtype, std::initializer_list<ScalarType> dtypes) {
  return std::find(dtypes.begin(), dtypes.end(), dtype) != dtypes.end();
}

bool IsHalf(ScalarType dtype) { return dtype == ScalarType::Half || dtype == ScalarType::BFloat16; }

void RequireFloat(const Call& call, ScalarType dtype) {
  if (!IsFloat(dtype)) FailDtype(call, "takes floating-point tensors, not " + std::string(DtypeName(dtype)));
}

void RequireFloatOrComplex(const Call& call, ScalarType dtype) {
  if (!IsFloatOrComplex(dtype))
    FailDtype(call, "takes floating-point or complex tensors, not " + std::string(DtypeName(dtype)));
}

void RequireFullFloat(const Call& call, ScalarType dtype) {
  RequireFloat(call, dtype);
  if (call.device().is_cpu() && dtype != ScalarType::Float && dtype != ScalarType::Double)
    FailDtype(call, "takes float32 or float64 tensors on the cpu, not " + std::string(DtypeName(dtype)));
}

void RequireNotComplex(const Call& call, ScalarType dtype) {
  if (IsComplex(dtype)) FailDtype(call, "is not defined for complex tensors, but got " + std::string(DtypeName(dtype)));
}

void RequireSameDtype(const Call& call, int a, int b) {
  const ScalarType x = call.Meta(a).dtype, y = call.Meta(b).dtype;
  if (x == y) return;
  FailDtype(call, "takes " + ArgumentName(call, a) + " and " + ArgumentName(call, b) + " of one dtype, but got " +
                      std::string(DtypeName(x)) + " and " + std::string(DtypeName(y)));
}

void RequireIndexDtype(const Call& call, const TensorMeta& index) {
  if (index.dtype != ScalarType::Long && index.dtype != ScalarType::Int)
    FailDtype(call, "takes an int64 or int32 index, not " + std::string(DtypeName(index.dtype)));
}

void RequireDeviceOfFirst(const Call& call, std::initializer_list<int> positions) {
  const Tensor* first = nullptr;
  for (int position : positions) {
    const Tensor* t = call.Arg(position).TryTensor();
    if (!first) first = t;
    if (!t || t->meta.device == first->meta.device) continue;
    Fail(ErrorClass::kDeviceMismatch,
        OpName(call) + " takes tensors of one device, but found " + first->meta.device.str() + " and " +
            t->meta.device.str(),
        {first, t});
  }
}

void RequireRank(const Call& call, int argument, int64_t rank) {
  const TensorMeta& t = call.Meta(argument);
  if (t.rank() == rank) return;
  FailShape(call, "takes " + ArgumentName(call, argument) + " of " + std::to_string(rank) +
                      " dimensions, but got shape " + ToString(t.size_span()));
}

void RequireSameSizes(const Call& call, int a, int b) {
  const DimSpan x = call.Meta(a).size_span(), y = call.Meta(b).size_span();
  bool same = x.size() == y.size();
  for (size_t d = 0; same && d < x.size(); ++d) same = Expect(Eq(x[d], y[d]));
  if (same) return;
  FailShape(call, "takes " + ArgumentName(call, a) + " and " + ArgumentName(call, b) + " of one shape, but got " +
                      ToString(x) + " and " + ToString(y));
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
