// Products of three tensors: bilinear, and _trilinear, of which LibTorch makes it.
// Source: bilinear, _trilinear in aten/src/ATen/native/Linear.cpp (torch 2.13).
#include <algorithm>

#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/core/torch_words.h"
#include "lib/rules/families.h"
#include "lib/rules/support/arithmetic_metas.h"
#include "lib/rules/support/view_metas.h"

namespace fakeprop::rules {
namespace {

void RequireEqual(const Call& call, Dim a, Dim b, const char* what) {
  RequireShape(call, Eq(a, b), {"{} differ: {} and {}", what, a, b});
}

void CheckSizes(const Call& call, const TensorMeta& a, const TensorMeta& b, const TensorMeta& weight) {
  RequireShape(call, a.rank() == b.rank() && a.rank() > 0 && weight.rank() == 3,
      {"takes two inputs of one rank and a weight of 3 dimensions, but got {}, {} and {}", a.sizes, b.sizes,
          weight.sizes});
  for (int64_t d = 0; d + 1 < a.rank(); ++d) RequireEqual(call, a.sizes[d], b.sizes[d], "the inputs' batches");
  RequireEqual(call, a.sizes.back(), weight.sizes[1], "the first input's features and the weight's");
  RequireEqual(call, b.sizes.back(), weight.sizes[2], "the second input's features and the weight's");
  for (const TensorMeta* t : {&a, &b})
    RequireShape(call, !Known(Eq(t->sizes.back(), 0)),
        {"joins the batches of {}: cannot reshape tensor of 0 elements into shape [-1, 0] because the unspecified "
         "dimension size -1 can be any value and is ambiguous",
            t->sizes});
}

// One number for each output feature: input1^T weight input2.
void Bilinear(Call& call) {
  const Operand input = call.In("input1");
  for (ArgumentName name : ArgumentNames{"input2", "weight"}) input.SameDtypeAs(call.In(name));
  const Operand weight = call.In("weight"), bias = call.OptionalIn("bias");
  input.SameDtypeAs(bias);
  CheckSizes(call, input, call.In("input2"), weight);
  Dims sizes = input->sizes;
  sizes.back() = weight->sizes[0];
  TensorMeta out = NewMeta(call, sizes, input->dtype);
  if (bias) {
    RequireIndex(call, bias->rank() > 0, "takes no 0-dim bias");
    RequireEqual(call, bias->sizes[0], sizes.back(), "the bias's features and the weight's");
    out = Combined(call, out, bias);
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

Factor ReadOperand(const Call& call, ArgumentName name, ArgumentName expanded, int64_t rank) {
  Factor operand{call.In(name), Flags(call.Ints(expanded), rank)};
  const auto added = std::count(operand.expanded.begin(), operand.expanded.end(), true);
  RequireShape(
      call, operand.meta.rank() + added >= rank, {"takes operands of {} dimensions once they are expanded", rank});
  for (int64_t d = 0; d < rank; ++d)
    if (operand.expanded[d]) operand.meta = Unsqueezed(std::move(operand.meta), d);
  return operand;
}

// The size of each dimension: that of the last operand that has it, or 0 if no operand has it.
Dims SizesOfLast(const std::vector<Factor>& operands, int64_t rank) {
  Dims sizes(rank, Dim(0));
  for (const Factor& operand : operands)
    for (int64_t d = 0; d < rank; ++d)
      if (!operand.expanded[d]) sizes[d] = operand.meta.sizes[d];
  return sizes;
}

// Factors whose product is summed are multiplied as matrices, which have one dtype. The product of the first two is
// summed over the dimensions that the third does not have. Slices of the unrolled dimension are added. Source:
// sumproduct_pair.
void RequireFactorDtypes(
    const Call& call, const std::vector<Factor>& operands, std::vector<bool> summed, int64_t unroll) {
  const Operand first = call.In("i1"), second = call.In("i2"), third = call.In("i3");
  summed[unroll] = false;
  bool sums_first = false, sums_second = false;
  for (size_t d = 0; d < summed.size(); ++d) (operands[2].expanded[d] ? sums_first : sums_second) |= summed[d];
  if (sums_first) first.SameDtypeAs(second);
  const ScalarType product = PromoteTypes(first->dtype, second->dtype);
  if (sums_second)
    third.Takes(product, {"multiplies {} by {tensor}: expected scalar type {}", product, TorchName(product)});
}

// Each operand needs as many slices of the dimension that is unrolled. What the slices broadcast to is added to the
// result.
void CheckOperands(const Call& call, const std::vector<Factor>& operands, const Dims& sizes,
    const std::vector<bool>& summed, int64_t unroll) {
  RequireFactorDtypes(call, operands, summed, unroll);
  Dims common(sizes.size(), Dim(1));
  for (const Factor& operand : operands) {
    TensorMeta slice = operand.meta;
    RequireShape(call, slice.sizes.size() == sizes.size(), "takes operands of one rank once they are expanded");
    RequireShape(call, operand.expanded[unroll] || Expect(Ge(slice.sizes[unroll], sizes[unroll])),
        {"unrolls {} slices of {}", sizes[unroll], slice.sizes});
    slice.sizes[unroll] = 1;
    common = BroadcastSizes(common, slice.size_span());
  }
  for (int64_t d = 0; d < static_cast<int64_t>(sizes.size()); ++d)
    if (d != unroll && !summed[d] && !Known(Eq(common[d], 1)) && !Expect(Eq(common[d], sizes[d])))
      FailShape(call, {"adds a product of {} to a result of {}", common, sizes});
}

// The product of three operands, summed over some dimensions. If there are no elements, sizes are not compared.
void Trilinear(Call& call) {
  const Operand first = call.In("i1");
  const int64_t rank = first->rank() + static_cast<int64_t>(call.Ints("expand1").size());
  const int64_t unroll = call.IntBetween("unroll_dim", 0, rank - 1, "has no dimension {} to unroll");
  const std::vector<Factor> operands = {ReadOperand(call, "i1", "expand1", rank),
      ReadOperand(call, "i2", "expand2", rank), ReadOperand(call, "i3", "expand3", rank)};
  const Dims sizes = SizesOfLast(operands, rank);
  const std::vector<bool> summed = Flags(call.Ints("sumdim"), rank);
  const auto has_none = [](const Factor& operand) { return IsEmpty(operand.meta); };
  const bool is_empty = std::any_of(operands.begin(), operands.end(), has_none) || GuardOrFalse(Eq(sizes[unroll], 0));
  if (!is_empty) CheckOperands(call, operands, sizes, summed, unroll);
  ReturnContiguous(call, ReducedSizes(sizes, summed, false), first->dtype);
}

constexpr RuleRow kRows[] = {
    {"aten::bilinear", Bilinear},
    {"aten::_trilinear", Trilinear},
};

}  // namespace

RuleRows TrilinearRules() { return kRows; }

}  // namespace fakeprop::rules
