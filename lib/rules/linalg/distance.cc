// Distances between rows, and norms that rows are scaled to.
// Source: meta_cdist_forward, meta_cdist_backward, meta__pdist_forward in torch/_meta_registrations.py, renorm in
// torch/_refs/__init__.py, aten/src/ATen/native/Distance.cpp (torch 2.13).
#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/families.h"
#include "lib/rules/support/copy_metas.h"
#include "lib/rules/support/matrix_metas.h"

namespace fakeprop::rules {
namespace {

// The rows of both, batch by batch.
void ReturnDistances(Call& call) {
  const TensorMeta &a = call.Meta(0), &b = call.Meta(1);
  RequireMatrix(call, a);
  RequireMatrix(call, b);
  if (!Expect(Eq(Columns(a), Columns(b))))
    FailShape(call, "both must have the same number of columns, but got " + ToString(a.size_span()) + " and " +
                        ToString(b.size_span()));
  Dims sizes = BroadcastSizes(a.size_span().subspan(0, a.rank() - 2), b.size_span().subspan(0, b.rank() - 2));
  sizes.push_back(Rows(a));
  sizes.push_back(Rows(b));
  ReturnContiguous(call, sizes, a.dtype);
}

// By way of one matrix product and a root.
void EuclideanDistances(Call& call) {
  RequireSameDtype(call, 0, 1);
  const ScalarType dtype = call.Meta(0).dtype;
  RequireFloat(call, dtype);
  ReturnDistances(call);
}

void Cdist(Call& call) {
  for (int i : {0, 1}) RequireFloat(call, call.Meta(i).dtype);
  if (call.Float(2) < 0) FailValue(call, "only supports non-negative p values");
  if (auto mode = call.OptionalInt(3); mode && (*mode < 0 || *mode > 2))
    FailValue(call, "possible modes: None, 0, 1, 2, but was: " + std::to_string(*mode));
  ReturnDistances(call);
}

void CdistBackward(Call& call) {
  const TensorMeta &a = call.Meta(1), &b = call.Meta(2);
  RequireMatrix(call, a);
  RequireMatrix(call, b);
  Dims sizes = BroadcastSizes(a.size_span().subspan(0, a.rank() - 2), b.size_span().subspan(0, b.rank() - 2));
  const bool empty =
      IsEmpty(sizes) || GuardOrFalse(Eq(Rows(a), 0)) || GuardOrFalse(Eq(Rows(b), 0)) || GuardOrFalse(Eq(Columns(a), 0));
  sizes.push_back(Rows(a));
  sizes.push_back(Columns(a));
  ReturnContiguous(call, empty ? a.size_span() : DimSpan(sizes), a.dtype);
}

// Each pair of rows once.
void ReturnPairs(Call& call) {
  const TensorMeta& t = call.Meta(0);
  if (t.rank() == 0) FailShape(call, "takes no 0-dim tensor");
  ReturnContiguous(call, Dims{FloorDiv(t.sizes[0] * (t.sizes[0] - 1), 2)}, t.dtype);
}

void Pdist(Call& call) {
  RequireFloat(call, call.Meta(0).dtype);
  RequireRank(call, 0, 2);
  if (call.Float(1) < 0) FailValue(call, "only supports non-negative p values");
  ReturnPairs(call);
}

void PdistForward(Call& call) {
  if (!IsContiguous(call.Meta(0))) FailShape(call, "requires contiguous input");
  ReturnPairs(call);
}

void PdistBackward(Call& call) {
  for (int i : {1, 3})
    if (!IsContiguous(call.Meta(i))) FailShape(call, "requires contiguous tensors");
  call.ReturnNew(EmptyLike(call.Meta(1), MemoryFormat::Contiguous));
}

// One number for each row of the dimension, scaled in a contiguous copy.
void Renorm(Call& call) {
  const TensorMeta& t = call.Meta(0);
  RequireFloatOrComplex(call, t.dtype);
  if (t.rank() < 2) FailShape(call, "needs at least 2 dimensions, but got " + ToString(t.size_span()));
  WrapDim(call.Int(2), t.rank());
  for (int i : {1, 3})
    if (call.Number(i).Is<std::complex<double>>()) FailValue(call, "p and maxnorm must be real-valued");
  if (!(call.Float(1) > 0)) FailValue(call, "non-positive norm not supported");
  if (call.Float(3) < 0) FailValue(call, "expected maxnorm to be >= 0");
  call.ReturnNew(EmptyLike(t, MemoryFormat::Contiguous));
}

constexpr RuleRow kRows[] = {
    {"aten::cdist", Cdist},
    {"aten::_cdist_forward", Cdist},
    {"aten::_cdist_backward", CdistBackward},
    {"aten::_euclidean_dist", EuclideanDistances},
    {"aten::pdist", Pdist},
    {"aten::_pdist_forward", PdistForward},
    {"aten::_pdist_backward", PdistBackward},
    {"aten::renorm", Renorm},
};

}  // namespace

RuleRows DistanceRules() { return kRows; }

}  // namespace fakeprop::rules
