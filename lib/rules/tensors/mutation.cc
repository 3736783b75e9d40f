// Changes of a tensor object itself: its sizes, its storage, whether it requires grad.
// Source: aten/src/ATen/native/Resize.cpp, TensorShape.cpp (set_); torch/csrc/autograd/VariableTypeManual.cpp
// (resize_, detach_), python_variable.cpp (requires_grad); resize_as_ in torch/_subclasses/fake_impls.py (torch 2.13).
#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/core/torch_changes.h"
#include "lib/rules/families.h"
#include "lib/rules/support/autograd_demands.h"
#include "lib/rules/support/copy_metas.h"
#include "lib/rules/support/outputs.h"
#include "lib/rules/support/slice_metas.h"
#include "lib/rules/support/view_metas.h"

namespace fakeprop::rules {
namespace {

// With other sizes it is contiguous; with its own sizes it stays as it is, unless a format is asked for.
TensorMeta ResizedMeta(const TensorMeta& t, DimSpan sizes, std::optional<MemoryFormat> format) {
  RequireNonNegative(sizes);
  TensorMeta out = t;
  if (!format && GuardSameOrFalse(t.size_span(), sizes)) return out;
  out.sizes.assign(sizes.begin(), sizes.end());
  out.strides = StridesInFormat(sizes, format.value_or(MemoryFormat::Contiguous));
  return out;
}

void ResizeTo(Call& call, DimSpan sizes, std::optional<MemoryFormat> format) {
  Tensor& t = call.In("self").tensor();
  RequireResizable(call, t);
  TensorMeta out = ResizedMeta(t.meta, sizes, format);
  const Dim nbytes = StorageNbytes(out);
  call.SetMeta(t, std::move(out));
  call.effects().mutations.back().nbytes = nbytes;
  call.ReturnArgument(t);
}

void ResizeInplace(Call& call) { ResizeTo(call, call.DimList("size"), call.OptionalMemoryFormat("memory_format")); }

std::optional<MemoryFormat> TemplateFormat(const Call& call) {
  const auto format = call.OptionalMemoryFormat("memory_format");
  return format == MemoryFormat::Preserve ? SuggestMemoryFormat(call.In("the_template")) : format;
}

void ResizeAsInplace(Call& call) {
  ResizeTo(call, call.In("the_template")->size_span(), TemplateFormat(call));
  call.effects().mutations.back().differentiable = false;  // the template is asked for its sizes alone
}

// The functional forms change a clone, whose memory does not shrink.
void ReturnResized(Call& call, DimSpan sizes, std::optional<MemoryFormat> format) {
  const TensorMeta clone = EmptyLike(call.In("self"));
  TensorMeta resized = ResizedMeta(clone, sizes, format);
  const Dim nbytes = Max(StorageNbytes(clone), StorageNbytes(resized));
  call.ReturnNew(std::move(resized)).nbytes = nbytes;
}

void Resize(Call& call) { ReturnResized(call, call.DimList("size"), call.OptionalMemoryFormat("memory_format")); }

void ResizeAs(Call& call) { ReturnResized(call, call.In("the_template")->size_span(), TemplateFormat(call)); }

TensorMeta EmptiedMeta(const TensorMeta& t) { return ContiguousMeta(Dims{0}, t.dtype, t.device); }

// A storage that is too small for the elements grows with the tensor, so not for one that has these sizes already.
// Source: set_storage_cpu_, checkInBoundsForStorage in aten/src/ATen/native.
void AdoptStorage(Call& call, const Operand& source, TensorMeta meta, Dim nbytes) {
  const Dim held = source.tensor().storage->nbytes;
  const Operand self = call.In("self");
  const bool is_resized = !GuardSameOrFalse(self->size_span(), meta.size_span()) ||
                          !GuardSameOrFalse(self->stride_span(), meta.stride_span());
  RequireValue(call, is_resized || !Known(Gt(nbytes, held)),
      {"makes {} of a storage that is too small: setStorage: requiring a storage size of {} are out of bounds "
       "for storage of size {}",
          meta, nbytes, held});
  call.SetMeta(self.tensor(), std::move(meta));
  call.effects().mutations.back().storage_of = &source.tensor();
  call.effects().mutations.back().nbytes = nbytes;
}

void AdoptStorage(Call& call, const Operand& source, TensorMeta meta) {
  const Dim nbytes = StorageNbytes(meta);
  AdoptStorage(call, source, std::move(meta), nbytes);
}

// A tensor stays a conjugated or negated view, whatever its storage holds.
TensorMeta WithBitsOf(const TensorMeta& t, TensorMeta out) {
  out.is_conj = t.is_conj;
  out.is_neg = t.is_neg;
  return out;
}

// The source's layout in the target's dtype.
void SetTensor(Call& call) {
  const Operand self = call.In("self"), source = call.In("source");
  AdoptStorage(call, source, WithBitsOf(self, WithDtype(source, self->dtype)));
  call.ReturnArgument(self.tensor());
}

// A window into the source's storage, from where the source begins; the storage grows to hold it.
// Source: at::native::set_storage_cpu_, checkSetStorage (maybe_resize_storage).
void SetTensorWindow(Call& call) {
  const Operand self = call.In("self"), source = call.In("source");
  RequireValue(call, IsContiguous(source), {"takes a contiguous source, but got strides {}", source->strides});
  const Dims sizes = call.DimList("size"), given = call.DimList("stride"), packed = ContiguousStrides(sizes);
  // Without strides the tensor is resized, which leaves alone what has these sizes.
  const bool is_kept = given.empty() && !Has(call, kSetPacks) && GuardSameOrFalse(sizes, self->size_span());
  const Dim offset = call.SizeAtLeast("storage_offset", 0, "takes no negative storage offset, got {}");
  TensorMeta out = WithBitsOf(
      self, WithDtype(WindowMeta(source, sizes, given.empty() ? packed : given, source->storage_offset + offset),
                self->dtype));
  const Dim nbytes = StorageNbytes(out);
  if (is_kept) out.strides = self->strides;
  AdoptStorage(call, source, std::move(out), nbytes);
  call.effects().mutations.back().differentiable = false;
  call.effects().mutations.back().refused_as_seen = true;
  call.ReturnArgument(self.tensor());
}

void SetEmpty(Call& call) {
  Tensor& t = call.In("self").tensor();
  call.SetMeta(t, WithBitsOf(t.meta, EmptiedMeta(t.meta)));
  call.effects().mutations.back().fresh_storage = true;
  call.ReturnArgument(t);
}

// Autograd follows both tensors, although the first one's elements are gone. Pending bits of the second are applied, in
// a copy.
void SetTensorFunctional(Call& call) {
  const Operand self = call.In("self"), source = call.In("source");
  const bool is_copied = source->HasPendingBits();
  const TensorMeta meta = WithDtype(is_copied ? EmptyLike(source) : *source, self->dtype);
  Output& result = is_copied ? call.ReturnNew(meta) : ReturnFollowedAlias(call, source.tensor(), meta);
  if (self.tensor().RequiresGrad() && call.state().grad_enabled && IsFloatOrComplex(meta.dtype))
    result.requires_grad = true;
}
void SetEmptyFunctional(Call& call) { call.ReturnNew(EmptiedMeta(call.In("self"))); }

void TakeData(Call& call, ArgumentName from) {
  const Operand self = call.In("self"), data = call.In(from);
  if (self.tensor().RequiresGrad() && !IsFloatOrComplex(data->dtype))
    Fail(ErrorClass::kAutogradError,
        Format(
            "{}: a tensor that requires grad takes floating-point or complex data, not {}", OpName(call), data->dtype),
        {&self.tensor()});
  AdoptStorage(call, data, data);
  call.effects().mutations.back().differentiable = false;
}

void SetData(Call& call) { TakeData(call, "new_data"); }

// Source: what torch 2.15 does; it has no Python of its own.
void ShallowCopyData(Call& call) {
  TakeData(call, "source");
  ReturnSelf(call);
}

void ChangeRequiresGrad(Call& call, bool requires_grad) {
  Mutation& mutation = call.effects().mutations.emplace_back();
  mutation.target = &call.In("self").tensor();
  mutation.differentiable = false;
  mutation.requires_grad = requires_grad;
  call.ReturnArgument(*mutation.target);
}

void DetachInplace(Call& call) {
  const Tensor& t = call.In("self").tensor();
  if (t.base) Fail(ErrorClass::kAutogradError, "a view cannot be detached in place; use detach()", {&t});
  ChangeRequiresGrad(call, false);
}

void RequiresGrad(Call& call) {
  const Operand self = call.In("self");
  Tensor& t = self.tensor();
  const bool wanted = call.Bool("requires_grad");
  if (wanted) self.Takes(kFloatingOrComplex, "takes floating-point and complex tensors, not {}");
  if (!wanted && !t.is_leaf) Fail(ErrorClass::kAutogradError, OpName(call) + "(False) takes leaf tensors", {&t});
  if (wanted == t.RequiresGrad()) return void(call.ReturnArgument(t));
  ChangeRequiresGrad(call, wanted);
}

// Other in-place views follow from the functional operator of the same name. Here that is transpose.int, not transpose.
void TransposeInplace(Call& call) {
  const Operand self = call.In("self");
  call.SetMeta(self.tensor(), Transposed(self, call.Int("dim0"), call.Int("dim1")));
  call.ReturnArgument(self.tensor());
}

constexpr RuleRow kRows[] = {
    {"aten::resize_", ResizeInplace, AfterFailure::kUnknown | MathBits::kTaken},
    {"aten::resize_as_", ResizeAsInplace, Devices::kAny | AfterFailure::kUnknown},
    {"aten::resize", Resize},
    {"aten::resize_as", ResizeAs, Devices::kAny},
    {"aten::set_.source_Tensor", SetTensor, MetaKernel::kOnSeveralDevices | AfterFailure::kUnknown | MathBits::kTaken},
    {"aten::set_.source_Tensor_storage_offset", SetTensorWindow, AfterFailure::kUnknown},
    {"aten::set_.source_Storage", kNoRule, AfterFailure::kUnknown},
    {"aten::set_.source_Storage_storage_offset", kNoRule, AfterFailure::kUnknown | MathBits::kTaken},
    {"aten::set_", SetEmpty, AfterFailure::kUnknown | MathBits::kTaken},
    {"aten::set.source_Tensor", SetTensorFunctional},
    {"aten::set", SetEmptyFunctional},
    {"aten::set_data", SetData},
    {"aten::shallow_copy_data_", ShallowCopyData, Devices::kAny},
    {"aten::transpose_", TransposeInplace, MathBits::kTaken},
    {"aten::detach_", DetachInplace, MathBits::kTaken},
    {"aten::requires_grad_", RequiresGrad},
};

}  // namespace

RuleRows MutationRules() { return kRows; }

}  // namespace fakeprop::rules
