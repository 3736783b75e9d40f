// Powers, exponentials and roots of matrices, and the linear combinations that they are made of.
// Source: aten/src/ATen/native/LinearAlgebra.cpp, torch/_meta_registrations.py (torch 2.13).
#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/core/torch_words.h"
#include "lib/rules/families.h"
#include "lib/rules/support/autograd_demands.h"
#include "lib/rules/support/copy_metas.h"
#include "lib/rules/support/elementwise.h"
#include "lib/rules/support/matrix_metas.h"
#include "lib/rules/support/memory_overlap.h"
#include "lib/rules/support/reshape_metas.h"

namespace fakeprop::rules {
namespace {

// Returns true if the last step is bmm, which does not look whether elements of its out tensor share memory.
bool MultipliesBatch(const TensorMeta& a, int64_t n) { return a.rank() == 3 && n != -1; }

void RequirePower(const Call& call, const Operand& a) {
  RequireSquare(call, a);
  if (call.Int("n") < 0) a.Takes(kLapackDtypes);
}

void MatrixPower(Call& call) {
  const Operand a = call.In("self");
  RequirePower(call, a);
  call.ReturnNew(call.Int("n") == -1 ? ColumnMajorLike(a) : EmptyLike(a, MemoryFormat::Contiguous));
}

// Whether the last step to the power is no product, which would be computed in the out tensor, but a copy.
// Source: linalg_matrix_power_impl.
bool CopiesPower(int64_t n) {
  const uint64_t power = n < 0 ? -static_cast<uint64_t>(n) : n;
  const bool is_power_of_two = (power & (power - 1)) == 0;
  return n == 0 || n == 1 || (power > 3 && is_power_of_two);
}

// A copy casts, and autograd records it; that of the identity matrix is none of `self`.
void MatrixPowerOut(Call& call) {
  const Operand a = call.In("self"), out = call.In("out");
  RequirePower(call, a);
  const int64_t n = call.Int("n");
  const bool copies = CopiesPower(n);
  if (!copies) RequireNothingRecorded(call);
  if (copies ? !CanCast(a->dtype, out->dtype) : a->dtype != out->dtype)
    FailDtype(
        call, {"result type {} can't be cast to the desired output type {}", TorchName(a->dtype), TorchName(out)});
  const bool is_kept = GuardSameOrFalse(a->size_span(), out->size_span());
  if (is_kept && (copies || !MultipliesBatch(a, n))) RequireUnshared(call, out);
  WriteOfSizes(call, out.tensor(), a->sizes);
  if (n == 1) RequireNoPartOf(call, out.tensor(), ReadsWritten::kItself);
  for (Mutation& mutation : call.effects().mutations) mutation.differentiable = n != 0;
}

void MatrixExp(Call& call) {
  const Operand a = call.In("self");
  RequireSquare(call, a);
  a.Takes(kFloatingOrComplex);
  // Of single numbers it is exp itself, of nothing a copy. Else the kernel sees the batch as one dimension.
  if (GuardOrFalse(Eq(Rows(a), 1))) return void(call.ReturnNew(ElementwiseMeta(call, {"self"}, a->dtype)));
  if (!IsKnownEmpty(a)) ViewedMeta(a, Dims{-1, Rows(a), Rows(a)});
  call.ReturnNew(EmptyLike(a, MemoryFormat::Contiguous));
}

// Source: linalg_matrix_sqrth in torch/_meta_registrations.py (torch 2.15).
void MatrixRoot(Call& call) {
  const Operand a = call.In("self");
  RequireSquare(call, a);
  a.Takes(kLapackDtypes);
  ReturnContiguous(call, a, a->dtype);
}

// The gradient is the upper right block of the exponential of a matrix of twice the size.
// Source: backward_analytic_function_of_a_matrix.
void MatrixExpBackward(Call& call) {
  const Operand a = call.In("self"), grad = call.In("grad");
  grad.Takes(kFloatingOrComplex);
  RequireSquare(call, a);
  grad.BroadcastsTo(a->size_span(), {"a gradient {} does not expand to {}", grad->sizes, a->sizes});
  const Dim n = Rows(a);
  // The matrix of twice the size is made like the gradient.
  TensorMeta block = NewBatch(a, {Dim(2) * n, Dim(2) * n}, grad->dtype);
  block.sizes = a->sizes;
  block.storage_offset = n;
  block.device = grad->device;
  call.ReturnNew(std::move(block));
}

// Each result is a sum of the matrices of `input` ([N, ...]), multiplied by a row of `coefficients` ([results, N]).
void CheckCombined(const Call& call) {
  const Operand input = call.In("input"), coefficients = call.In("coefficients");
  input.Require(input->rank() >= 1 && !IsEmpty(input), "takes no empty tensors, but got {}");
  coefficients.RankAtLeast(2, {"coefficients {} do not combine {}", coefficients->sizes, input->sizes});
}

void LinearCombination(Call& call) {
  CheckCombined(call);
  const Operand input = call.In("input");
  ReturnContiguous(call, WithSize(input->sizes, 0, call.In("coefficients")->sizes[0]), input->dtype);
}

// The sums are added to the out tensor, which keeps its sizes. The terms must broadcast to them.
// Source: _linear_combination_kernel_impl.
void LinearCombinationOut(Call& call) {
  const Operand input = call.In("input"), out = call.In("out");
  if (!IsKnownEmpty(input) || !IsKnownEmpty(out)) CheckCombined(call);
  out.RankAtLeast(1, "does not add to a 0-dim out tensor");
  Dims of_out = {out->sizes[0], 1}, of_terms = {call.In("coefficients")->sizes[0], 1};
  of_out.insert(of_out.end(), out->sizes.begin() + 1, out->sizes.end());
  of_terms.insert(of_terms.end(), input->rank() - 1, Dim(1));
  const Dims each = {input->sizes.begin() + 1, input->sizes.end()};
  const Dims all = BroadcastSizes(BroadcastSizes(of_out, of_terms), each);
  out.Require(ExpectSame(all, of_out), {"gives terms of shape {}, which an out tensor of shape {} does not hold", all});
  call.Write(out.tensor());
  call.ReturnArgument(out.tensor());
}

constexpr RuleRow kRows[] = {
    {"aten::linalg_matrix_power", MatrixPower},
    {"aten::linalg_matrix_power.out", MatrixPowerOut},
    {"aten::matrix_power", MatrixPower},
    {"aten::matrix_power.out", MatrixPowerOut},
    {"aten::linalg_matrix_exp", MatrixExp},
    {"aten::matrix_exp", MatrixExp},
    {"aten::linalg_matrix_sqrth", MatrixRoot},
    {"aten::matrix_exp_backward", MatrixExpBackward, Devices::kAny},
    {"aten::_compute_linear_combination", LinearCombination},
    {"aten::_compute_linear_combination.out", LinearCombinationOut},
};

}  // namespace

RuleRows MatrixFunctionRules() { return kRows; }

}  // namespace fakeprop::rules
