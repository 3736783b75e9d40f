// Changes of a tensor object itself: its sizes, its storage, whether it requires grad.
// Source: aten/src/ATen/native/Resize.cpp, TensorShape.cpp (set_); torch/csrc/autograd/VariableTypeManual.cpp
// (resize_, detach_), python_variable.cpp (requires_grad); resize_as_ in torch/_subclasses/fake_impls.py (torch 2.13).
#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/families.h"
#include "lib/rules/support/view_metas.h"

namespace fakeprop::rules {
namespace {

// In other sizes contiguous from where it starts; in its own as it is, unless a format is asked for.
TensorMeta ResizedMeta(const TensorMeta& t, DimSpan sizes, std::optional<MemoryFormat> format) {
  RequireNonNegative(sizes);
  TensorMeta out = t;
  if (!format && GuardSameOrFalse(t.size_span(), sizes)) return out;
  out.sizes.assign(sizes.begin(), sizes.end());
  out.strides = StridesInFormat(sizes, format.value_or(MemoryFormat::Contiguous));
  return out;
}

void ResizeTo(Call& call, DimSpan sizes, std::optional<MemoryFormat> format) {
  Tensor& t = call.TensorArg(0);
  if (t.RequiresGrad())
    Fail(ErrorClass::kAutogradError, OpName(call) + ": a tensor that requires grad cannot be resized", {&t});
  TensorMeta out = ResizedMeta(t.meta, sizes, format);
  const Dim nbytes = StorageNbytes(out);
  call.SetMeta(t, std::move(out));
  call.effects().mutations.back().nbytes = nbytes;
  call.ReturnArgument(t);
}

void ResizeInplace(Call& call) { ResizeTo(call, call.DimList(1), call.OptionalMemoryFormat(2)); }

std::optional<MemoryFormat> TemplateFormat(const Call& call) {
  const auto format = call.OptionalMemoryFormat(2);
  return format == MemoryFormat::Preserve ? SuggestMemoryFormat(call.Meta(1)) : format;
}

void ResizeAsInplace(Call& call) { ResizeTo(call, call.Meta(1).size_span(), TemplateFormat(call)); }

// The functional forms change a clone.
void Resize(Call& call) {
  call.ReturnNew(ResizedMeta(EmptyLike(call.Meta(0)), call.DimList(1), call.OptionalMemoryFormat(2)));
}

void ResizeAs(Call& call) {
  call.ReturnNew(ResizedMeta(EmptyLike(call.Meta(0)), call.Meta(1).size_span(), TemplateFormat(call)));
}

TensorMeta EmptiedMeta(const TensorMeta& t) { return ContiguousMeta(Dims{0}, t.dtype, t.device); }

// The source's layout in the target's dtype.
TensorMeta AdoptedMeta(const Call& call) {
  TensorMeta out = call.Meta(1);
  out.dtype = call.Meta(0).dtype;
  return out;
}

void AdoptStorage(Call& call, TensorMeta meta) {
  Tensor& t = call.TensorArg(0);
  call.SetMeta(t, std::move(meta));
  call.effects().mutations.back().storage_of = &call.TensorArg(1);
}

void SetTensor(Call& call) {
  AdoptStorage(call, AdoptedMeta(call));
  call.ReturnArgument(call.TensorArg(0));
}

// A window into the source's storage, from where the source begins; the storage grows to hold it.
// Source: at::native::set_storage_cpu_, checkSetStorage (maybe_resize_storage).
void SetTensorWindow(Call& call) {
  Tensor& source = call.TensorArg(1);
  if (!IsContiguous(source.meta))
    FailValue(call, "takes a contiguous source, but got strides " + ToString(source.meta.stride_span()));
  const Dims sizes = call.DimList(3);
  Dims strides = call.DimList(4);
  if (strides.empty()) strides = ContiguousStrides(sizes);
  if (!Expect(Ge(call.DimArg(2), 0)))
    FailValue(call, "takes no negative storage offset, got " + call.DimArg(2).ToString());
  const Dim offset = source.meta.storage_offset + call.DimArg(2);
  TensorMeta out = WithDtype(WindowMeta(source.meta, sizes, std::move(strides), offset), call.Meta(0).dtype);
  const Dim nbytes = StorageNbytes(out);
  AdoptStorage(call, std::move(out));
  call.effects().mutations.back().nbytes = nbytes;
  call.ReturnArgument(call.TensorArg(0));
}

void SetEmpty(Call& call) {
  Tensor& t = call.TensorArg(0);
  call.SetMeta(t, EmptiedMeta(t.meta));
  call.effects().mutations.back().fresh_storage = true;
  call.ReturnArgument(t);
}

// Autograd follows both tensors, although the first one's elements are gone.
void SetTensorFunctional(Call& call) {
  const TensorMeta meta = AdoptedMeta(call);
  Output& result = ReturnFollowedAlias(call, call.TensorArg(1), meta);
  if (call.TensorArg(0).RequiresGrad() && call.state().grad_enabled && IsFloatOrComplex(meta.dtype))
    result.requires_grad = true;
}
void SetEmptyFunctional(Call& call) { call.ReturnNew(EmptiedMeta(call.Meta(0))); }

void SetData(Call& call) {
  const ScalarType dtype = call.Meta(1).dtype;
  if (call.TensorArg(0).RequiresGrad() && !IsFloatOrComplex(dtype))
    Fail(ErrorClass::kAutogradError,
        OpName(call) + ": a tensor that requires grad takes floating-point or complex data, not " +
            std::string(DtypeName(dtype)),
        {&call.TensorArg(0)});
  AdoptStorage(call, call.Meta(1));
  call.effects().mutations.back().differentiable = false;
}

void ChangeRequiresGrad(Call& call, bool requires_grad) {
  Mutation& mutation = call.effects().mutations.emplace_back();
  mutation.target = &call.TensorArg(0);
  mutation.differentiable = false;
  mutation.requires_grad = requires_grad;
  call.ReturnArgument(*mutation.target);
}

void DetachInplace(Call& call) {
  const Tensor& t = call.TensorArg(0);
  if (t.base) Fail(ErrorClass::kAutogradError, "a view cannot be detached in place; use detach()", {&t});
  ChangeRequiresGrad(call, false);
}

void RequiresGrad(Call& call) {
  const Tensor& t = call.TensorArg(0);
  const bool wanted = call.Bool(1);
  if (wanted && !IsFloatOrComplex(t.meta.dtype))
    FailDtype(call, "takes floating-point and complex tensors, not " + std::string(DtypeName(t.meta.dtype)));
  if (!wanted && !t.is_leaf) Fail(ErrorClass::kAutogradError, OpName(call) + "(False) takes leaf tensors", {&t});
  if (wanted == t.RequiresGrad()) return void(call.ReturnArgument(call.TensorArg(0)));
  ChangeRequiresGrad(call, wanted);
}

// The other in-place views follow from their functional operators; this one's has another overload.
void TransposeInplace(Call& call) {
  call.SetMeta(call.TensorArg(0), Transposed(call.Meta(0), call.Int(1), call.Int(2)));
  call.ReturnArgument(call.TensorArg(0));
}

constexpr RuleRow kRows[] = {
    {"aten::resize_", ResizeInplace},
    {"aten::resize_as_", ResizeAsInplace, Devices::kAny},
    {"aten::resize", Resize},
    {"aten::resize_as", ResizeAs, Devices::kAny},
    {"aten::set_.source_Tensor", SetTensor},
    {"aten::set_.source_Tensor_storage_offset", SetTensorWindow},
    {"aten::set_", SetEmpty},
    {"aten::set.source_Tensor", SetTensorFunctional},
    {"aten::set", SetEmptyFunctional},
    {"aten::set_data", SetData},
    {"aten::transpose_", TransposeInplace},
    {"aten::detach_", DetachInplace},
    {"aten::requires_grad_", RequiresGrad},
};

}  // namespace

RuleRows MutationRules() { return kRows; }

}  // namespace fakeprop::rules
