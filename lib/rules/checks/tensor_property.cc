// Questions about a tensor that are not about its sizes: its storage, its layout, and the dtype of
// a result. Source: aten/src/ATen/native/TensorProperties.cpp, TypeProperties.cpp, ATen/MemoryOverlap.cpp (torch 2.13).
#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/families.h"
#include "lib/rules/support/elementwise.h"

namespace fakeprop::rules {
namespace {

int64_t NumberOf(ScalarType dtype) { return static_cast<int64_t>(dtype); }

void ResultOfTensors(Call& call) { call.ReturnNumber(NumberOf(PromotedDtype(call, {"tensor", "other"}))); }
void ResultOfScalars(Call& call) { call.ReturnNumber(NumberOf(PromotedDtype(call, {"scalar1", "scalar2"}))); }
void ResultOfScalarAndTensor(Call& call) { call.ReturnNumber(NumberOf(PromotedDtype(call, {"scalar", "tensor"}))); }

void Promoted(Call& call) {
  call.ReturnNumber(NumberOf(PromoteTypes(*call.OptionalDtype("type1"), *call.OptionalDtype("type2"))));
}

void Castable(Call& call) { call.ReturnNumber(CanCast(*call.OptionalDtype("from_"), *call.OptionalDtype("to"))); }

// at::MemOverlap.
enum class MemoryOverlap : int64_t { kNo, kYes, kTooHard };

bool RepeatsElements(const TensorMeta& t) {
  for (size_t d = 0; d < t.sizes.size(); ++d)
    if (GuardOrFalse(Gt(t.sizes[d], 1)) && Known(Eq(t.strides[d], 0))) return true;
  return false;
}

void InternalOverlap(Call& call) {
  const Operand self = call.In("self");
  const auto answer = IsNonOverlappingAndDense(self) ? MemoryOverlap::kNo
                      : RepeatsElements(self)        ? MemoryOverlap::kYes
                                                     : MemoryOverlap::kTooHard;
  call.ReturnNumber(static_cast<int64_t>(answer));
}

Dim StorageNumel(const Operand& t) { return FloorDiv(t.tensor().storage->nbytes, ItemSize(t->dtype)); }

void SameStorageNumel(Call& call) {
  call.ReturnNumber(Guard(Eq(StorageNumel(call.In("self")), StorageNumel(call.In("other")))));
}

// Tensors here are strided and of a dense backend.
void NoSparseDims(Call& call) { call.ReturnNumber(Dim(0)); }
void AllDimsDense(Call& call) { call.ReturnNumber(Dim(call.In("self")->rank())); }
void Always(Call& call) { call.ReturnNumber(true); }
void Never(Call& call) { call.ReturnNumber(false); }

// Source: at::native::cudnn_is_acceptable.
void CudnnIsAcceptable(Call& call) {
  const Operand self = call.In("self");
  const bool is_known = Dtypes({ScalarType::Float, ScalarType::Double, ScalarType::Half}).Has(self->dtype);
  const bool has_cudnn = call.state().build == TorchBuild::kCuda && self->device.is_cuda();
  call.ReturnNumber(has_cudnn && is_known && !IsEmpty(self));
}

void DimArange(Call& call) {
  const Operand like = call.In("like").RankAtLeast(1);
  const int64_t dim = WrapDim(call.Int("dim"), like->rank());
  ReturnContiguous(call, Dims{like->sizes[dim]}, ScalarType::Long);
}

// Source: VariableHooks::is_leaf.
void IsLeaf(Call& call) {
  const Tensor& t = call.In("self").tensor();
  const bool is_made = !t.is_leaf || (t.base && t.base->own_requires_grad);
  call.ReturnNumber(!t.RequiresGrad() || !is_made);
}

// How often something wrote to the tensor's elements.
void Version(Call& call) { call.ReturnNumber(static_cast<int64_t>(call.In("self").tensor().Version())); }

constexpr RuleRow kRows[] = {
    {"aten::result_type.Tensor", ResultOfTensors, Devices::kAny | Reads::kMetadata},
    {"aten::result_type.Scalar", ResultOfTensors, Reads::kMetadata},
    {"aten::result_type.Scalar_Tensor", ResultOfScalarAndTensor, Reads::kMetadata},
    {"aten::result_type.Scalar_Scalar", ResultOfScalars, Reads::kMetadata},
    {"aten::promote_types", Promoted},
    {"aten::can_cast", Castable},
    {"aten::_debug_has_internal_overlap", InternalOverlap, Reads::kMetadata},
    {"aten::_has_same_storage_numel", SameStorageNumel, Devices::kAny | Reads::kMetadata},
    {"aten::_has_compatible_shallow_copy_type", Always, Devices::kAny | Reads::kMetadata},
    {"aten::sparse_dim", NoSparseDims, Reads::kMetadata},
    {"aten::dense_dim", AllDimsDense, Reads::kMetadata},
    {"aten::is_leaf", IsLeaf, Reads::kMetadata},
    {"aten::is_inference", Never, Reads::kMetadata},
    {"aten::_version", Version, Reads::kMetadata},
    {"aten::is_distributed", Never, Reads::kMetadata},
    {"aten::is_pinned", Never, Reads::kMetadata},
    {"aten::_is_zerotensor", Never, Reads::kMetadata},
    {"aten::cudnn_is_acceptable", CudnnIsAcceptable, Reads::kMetadata},
    {"aten::_dim_arange", DimArange, Grad::kNone | Reads::kMetadata},
};

}  // namespace

RuleRows TensorPropertyRules() { return kRows; }

}  // namespace fakeprop::rules
