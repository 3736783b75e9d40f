// Distances between rows, and rows scaled to a norm.
// Source: meta_cdist_forward, meta_cdist_backward, meta__pdist_forward in torch/_meta_registrations.py, renorm in
// torch/_refs/__init__.py, aten/src/ATen/native/Distance.cpp (torch 2.13).
#include <cmath>

#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/core/torch_words.h"
#include "lib/rules/families.h"
#include "lib/rules/support/copy_metas.h"
#include "lib/rules/support/matrix_metas.h"

namespace fakeprop::rules {
namespace {

std::pair<Operand, Operand> MatricesIn(const Call& call) {
  for (ArgumentName name : ArgumentNames{"x1", "x2"}) RequireMatrix(call, call.In(name));
  return {call.In("x1"), call.In("x2")};
}

// A distance for each row of `x1` and each row of `x2`, batch by batch.
void ReturnDistances(Call& call) {
  const auto [a, b] = MatricesIn(call);
  RequireEqual(call, Columns(a), Columns(b),
      {"compares rows: X1 and X2 must have the same number of columns. X1: {} X2: {}", Columns(a), Columns(b)});
  ReturnContiguous(call, Batched(CommonBatch(a, b), {Rows(a), Rows(b)}), a->dtype);
}

void RequireNotNegativeP(const Call& call) {
  RequireValue(call, !(call.Float("p") < 0), "only supports non-negative p values");
}

void RequireMode(const Call& call) {
  if (call.Has("compute_mode")) call.IntBetween("compute_mode", 0, 2, "possible modes: None, 0, 1, 2, but was: {}");
}

void RequireFloats(const Call& call) { call.Each({"x1", "x2"}).Takes(kFloating); }

// Returns true if a product of matrices gives the distances, as it does for many rows. Source: cdist_impl.
bool MultipliesRows(const Call& call) {
  constexpr int64_t kIfManyRows = 0, kAlways = 1, kFewRows = 25;
  const int64_t mode = call.OptionalInt("compute_mode").value_or(kIfManyRows);
  if (call.Float("p") != 2 || mode > kAlways) return false;
  return mode == kAlways || GuardOrFalse(Gt(Rows(call.In("x1")), kFewRows)) ||
         GuardOrFalse(Gt(Rows(call.In("x2")), kFewRows));
}

// The cpu's kernel compares rows of one of two dtypes, where there are any.
void RequireCdistKernel(const Call& call) {
  const Operand a = call.In("x1"), b = call.In("x2");
  if (!call.OnCpu() || IsKnownEmpty(a) || IsKnownEmpty(b)) return;
  if (!MultipliesRows(call)) RequireCompiled(call, "cdist", a->dtype, ~kFloat32Or64);
  a.SameDtypeAs(b);
}

constexpr Rule Cdist = InOrder<RequireFloats, RequireNotNegativeP, RequireMode, ReturnDistances, RequireCdistKernel>;

// A product of matrices, whose root is taken at last. A product of batches without elements does not compare dtypes.
void EuclideanDistance(Call& call) {
  ReturnDistances(call);
  const Operand a = call.In("x1"), b = call.In("x2");
  TensorMeta& out = call.effects().outputs[0].meta;
  if (!call.OnCpu() || !IsKnownEmpty(out) || a->rank() < 3 || b->rank() < 3) a.SameDtypeAs(b);
  RequireFloats(call);
  out.dtype = b->dtype;
}

void CdistBackward(Call& call) {
  const auto [a, b] = MatricesIn(call);
  const Dims batch = CommonBatch(a, b);
  const bool is_empty =
      IsEmpty(batch) || GuardOrFalse(Eq(Rows(a), 0)) || GuardOrFalse(Eq(Rows(b), 0)) || GuardOrFalse(Eq(Columns(a), 0));
  ReturnContiguous(call, is_empty ? a->sizes : Batched(batch, {Rows(a), Columns(a)}), a->dtype);
}

// A distance for each pair of rows.
void ReturnPairs(Call& call) {
  const Operand t = call.In("self").RankAtLeast(1, "takes no 0-dim tensor");
  ReturnContiguous(call, {FloorDiv(t->sizes[0] * (t->sizes[0] - 1), 2)}, t->dtype);
}

void RequireRows(const Call& call) { call.In("self").Takes(kFloating).Rank(2); }

void RequireContiguousSelf(const Call& call) { call.In("self").Contiguous("requires contiguous input"); }

// The cpu's kernel runs if there is a pair to compare.
void RequirePdistKernel(const Call& call) {
  const Operand t = call.In("self");
  const bool runs = !IsKnownEmpty(t) && !(t->rank() > 0 && GuardOrFalse(Lt(t->sizes[0], 2)));
  if (call.OnCpu() && runs)
    t.Takes(kFloat32Or64, "takes float32 and float64 tensors on the cpu, not {}: \"pdist\" not implemented for it");
}

void PdistBackward(Call& call) {
  call.Each({"self", "pdist"}).Contiguous("requires contiguous tensors");
  call.ReturnNew(EmptyLike(call.In("self"), MemoryFormat::Contiguous));
}

// One norm for each slice along the dimension. The result is a contiguous copy.
void Renorm(Call& call) {
  const Operand t = call.In("self");
  t.Takes(kFloatingOrComplex).RankAtLeast(2, "needs at least 2 dimensions, but got {}");
  const int64_t dim = call.WrappedDim("dim", t);
  for (ArgumentName name : ArgumentNames{"p", "maxnorm"})
    RequireValue(call, !call.Number(name).Is<std::complex<double>>(), "p and maxnorm must be real-valued");
  RequireValue(call, call.Float("p") > 0, "non-positive norm not supported");
  RequireValue(call, call.Float("maxnorm") >= 0, "expected maxnorm to be >= 0");
  // There is no greatest element of nothing.
  for (int64_t d = 0; d < t->rank(); ++d)
    t.Require(d == dim || !std::isinf(call.Float("p")) || Expect(Ne(t->sizes[d], 0)),
        {"cannot compute the inf norm on the dimension {}, which is empty, of {}", d});
  call.ReturnNew(EmptyLike(t, MemoryFormat::Contiguous));
}

constexpr RuleRow kRows[] = {
    {"aten::cdist", Cdist},
    {"aten::_cdist_forward", Cdist},
    {"aten::_cdist_backward", CdistBackward},
    {"aten::_euclidean_dist", EuclideanDistance},
    {"aten::pdist", InOrder<RequireRows, RequireNotNegativeP, RequirePdistKernel, ReturnPairs>},
    {"aten::_pdist_forward", InOrder<RequireContiguousSelf, RequirePdistKernel, ReturnPairs>},
    {"aten::_pdist_backward", PdistBackward},
    {"aten::renorm", Renorm, kIteratesAfterResize},
};

}  // namespace

RuleRows DistanceRules() { return kRows; }

}  // namespace fakeprop::rules
