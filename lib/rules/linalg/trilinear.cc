// Products of three tensors: bilinear and what it is made of.
// Source: bilinear, _trilinear in aten/src/ATen/native/Linear.cpp (torch 2.13).
#include <algorithm>

#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/families.h"
#include "lib/rules/support/arithmetic_metas.h"
#include "lib/rules/support/view_metas.h"

namespace fakeprop::rules {
namespace {

void RequireOneDtype(const Call& call) {
  for (int i : {1, 2}) RequireSameDtype(call, 0, i);
  if (call.OptionalTensor(3)) RequireSameDtype(call, 0, 3);
}

void RequireEqual(const Call& call, Dim a, Dim b, std::string_view what) {
  if (!Expect(Eq(a, b))) FailShape(call, std::string(what) + " differ: " + a.ToString() + " and " + b.ToString());
}

void CheckSizes(const Call& call) {
  const TensorMeta &a = call.Meta(0), &b = call.Meta(1), &weight = call.Meta(2);
  if (a.rank() != b.rank() || a.rank() == 0 || weight.rank() != 3)
    FailShape(call, "takes two inputs of one rank and a weight of 3 dimensions, but got " + ToString(a.size_span()) +
                        ", " + ToString(b.size_span()) + " and " + ToString(weight.size_span()));
  for (int64_t d = 0; d + 1 < a.rank(); ++d) RequireEqual(call, a.sizes[d], b.sizes[d], "the inputs' batches");
  RequireEqual(call, a.sizes.back(), weight.sizes[1], "the first input's features and the weight's");
  RequireEqual(call, b.sizes.back(), weight.sizes[2], "the second input's features and the weight's");
}

// One number for each output feature: input1^T weight input2.
void Bilinear(Call& call) {
  RequireOneDtype(call);
  CheckSizes(call);
  Dims sizes = call.Meta(0).sizes;
  sizes.back() = call.Meta(2).sizes[0];
  TensorMeta out = NewMeta(call, sizes, call.Meta(0).dtype);
  if (const Tensor* bias = call.OptionalTensor(3)) {
    if (bias->meta.rank() == 0) Fail(ErrorClass::kIndexOutOfRange, OpName(call) + " takes no 0-dim bias");
    RequireEqual(call, bias->meta.sizes[0], sizes.back(), "the bias's features and the weight's");
    out = Combined(call, out, bias->meta);
  }
  call.ReturnNew(std::move(out));
}

// An operand of _trilinear with a dimension of size 1 where it is expanded.
struct Factor {
  TensorMeta meta;
  std::vector<bool> expanded;
};

std::vector<bool> Flags(const std::vector<int64_t>& dims, int64_t rank) {
  std::vector<bool> flags(rank);
  for (int64_t d : WrapDims(dims, rank)) flags[d] = true;
  return flags;
}

Factor ReadOperand(const Call& call, int i, int64_t rank) {
  Factor operand{call.Meta(i), Flags(call.Ints(3 + i), rank)};
  if (operand.meta.rank() + std::count(operand.expanded.begin(), operand.expanded.end(), true) < rank)
    FailShape(call, "takes operands of " + std::to_string(rank) + " dimensions once they are expanded");
  for (int64_t d = 0; d < rank; ++d)
    if (operand.expanded[d]) operand.meta = Unsqueezed(std::move(operand.meta), d);
  return operand;
}

// The size of a dimension is that of the last operand that has it, 0 where none has.
Dims SizesOfLast(const std::vector<Factor>& operands, int64_t rank) {
  Dims sizes(rank, Dim(0));
  for (const Factor& operand : operands)
    for (int64_t d = 0; d < rank; ++d)
      if (!operand.expanded[d]) sizes[d] = operand.meta.sizes[d];
  return sizes;
}

// Of the dimension that is unrolled each operand needs as many slices; what the others broadcast to is added to the
// result.
void CheckOperands(const Call& call, const std::vector<Factor>& operands, const Dims& sizes,
    const std::vector<bool>& summed, int64_t unroll) {
  for (int i : {1, 2}) RequireSameDtype(call, 0, i);
  Dims common(sizes.size(), Dim(1));
  for (const Factor& operand : operands) {
    TensorMeta slice = operand.meta;
    if (slice.sizes.size() != sizes.size()) FailShape(call, "takes operands of one rank once they are expanded");
    if (!operand.expanded[unroll] && !Expect(Ge(slice.sizes[unroll], sizes[unroll])))
      FailShape(call, "unrolls " + sizes[unroll].ToString() + " slices of " + ToString(slice.size_span()));
    slice.sizes[unroll] = 1;
    common = BroadcastSizes(common, slice.size_span());
  }
  for (int64_t d = 0; d < static_cast<int64_t>(sizes.size()); ++d)
    if (d != unroll && !summed[d] && !Known(Eq(common[d], 1)) && !Expect(Eq(common[d], sizes[d])))
      FailShape(call, "adds a product of " + ToString(DimSpan(common)) + " to a result of " + ToString(DimSpan(sizes)));
}

// The product over the common dimensions, summed over some of them. Without elements or slices nothing is compared.
void Trilinear(Call& call) {
  const int64_t rank = call.Meta(0).rank() + static_cast<int64_t>(call.Ints(3).size());
  const int64_t unroll = call.Int("unroll_dim");
  if (unroll < 0 || unroll >= rank) FailValue(call, "has no dimension " + std::to_string(unroll) + " to unroll");
  std::vector<Factor> operands;
  for (int i = 0; i < 3; ++i) operands.push_back(ReadOperand(call, i, rank));
  const Dims sizes = SizesOfLast(operands, rank);
  const std::vector<bool> summed = Flags(call.Ints(6), rank);
  const auto has_none = [](const Factor& operand) { return IsEmpty(operand.meta); };
  const bool is_empty = std::any_of(operands.begin(), operands.end(), has_none) || GuardOrFalse(Eq(sizes[unroll], 0));
  if (!is_empty) CheckOperands(call, operands, sizes, summed, unroll);
  ReturnContiguous(call, ReducedSizes(sizes, summed, false), call.Meta(0).dtype);
}

constexpr RuleRow kRows[] = {
    {"aten::bilinear", Bilinear},
    {"aten::_trilinear", Trilinear},
};

}  // namespace

RuleRows TrilinearRules() { return kRows; }

}  // namespace fakeprop::rules
