// Products of three tensors: bilinear and what it is made of.
// Source: bilinear, _trilinear in aten/src/ATen/native/Linear.cpp (torch 2.13).
#include "lib/meta/dtype.h"
#include "lib/rules/combined.h"
#include "lib/rules/families.h"
#include "lib/rules/intermediate.h"
#include "lib/rules/results.h"
#include "lib/rules/shapes.h"

namespace fakeprop {
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
    FailShape(call, "takes two inputs of one rank and a weight of 3 dimensions, but got " + ToString(a.size_span()) + ", " +
                        ToString(b.size_span()) + " and " + ToString(weight.size_span()));
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

// The operand with a dimension of size 1 where it is expanded.
TensorMeta Spread(const TensorMeta& t, const std::vector<bool>& expanded) {
  TensorMeta out = t;
  for (size_t d = 0; d < expanded.size(); ++d)
    if (expanded[d]) out = Unsqueezed(std::move(out), static_cast<int64_t>(d));
  return out;
}

// The product over the common dimensions, summed over some of them. An empty list names no dimension here.
void Trilinear(Call& call) {
  const int64_t rank = call.Meta(0).rank() + static_cast<int64_t>(call.Ints(3).size());
  const int64_t unroll = call.Int(call.Index("unroll_dim"));
  if (unroll < 0 || unroll >= rank) FailValue(call, "has no dimension " + std::to_string(unroll) + " to unroll");
  Dims sizes(rank, Dim(1));
  for (int i = 0; i < 3; ++i) {
    std::vector<bool> expanded(rank);
    for (int64_t d : WrapDims(call.Ints(3 + i), rank)) expanded[d] = true;
    const TensorMeta operand = Spread(call.Meta(i), expanded);
    if (operand.rank() != rank) FailShape(call, "takes operands of one rank once they are expanded");
    RequireSameDtype(call, 0, i);
    sizes = BroadcastSizes({sizes.data(), sizes.size()}, operand.size_span());
  }
  std::vector<bool> summed(rank);
  for (int64_t d : WrapDims(call.Ints(6), rank)) summed[d] = true;
  ReturnContiguous(call, ReducedSizes({sizes.data(), sizes.size()}, summed, false), call.Meta(0).dtype);
}

constexpr RuleRow kRows[] = {
    {"aten::bilinear", Bilinear},
    {"aten::_trilinear", Trilinear},
};

}  // namespace

RuleRows TrilinearRules() { return kRows; }

}  // namespace fakeprop
