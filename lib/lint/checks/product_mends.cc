// Products of matrices.
#include "lib/lint/checks/failure.h"

namespace fakeprop {
namespace {

bool IsProduct(const CheckedNode& node) {
  return node.Is({"mm", "matmul", "bmm", "addmm", "baddbmm", "mv", "addbmm", "addmv", "__matmul__", "dot",
      "chain_matmul", "scaled_dot_product_attention"});
}

// The first dimension from which on all elements together are `features`; -1 if there is none.
int64_t FlattenFrom(const FailedOperand& x, int64_t features) {
  for (int64_t dim = 1; dim + 1 < x.rank(); ++dim)
    if (Product(x.sizes, dim) == features) return dim;
  return -1;
}

}  // namespace

std::optional<std::string> MendLinear(const Failure& failure) {
  if (!failure.node->Is({"linear", "lazylinear"}) || failure.operands.size() < 2 || failure.code != "FP3001")
    return std::nullopt;
  const FailedOperand &x = failure.operands[0], &weight = failure.operands[1];
  if (x.rank() == 0 || weight.rank() != 2 || x.Last(1) == weight.Last(1)) return std::nullopt;
  const int64_t features = weight.Last(1);
  const std::string takes = "the layer takes " + NumberText(features) + " features";
  if (const int64_t dim = FlattenFrom(x, features); dim > 0)
    return takes + ", which `" + x.name + ".flatten(" + NumberText(dim) + ")` has";
  for (int64_t dim = 0; dim + 1 < x.rank(); ++dim)
    if (x.sizes[dim] == features)
      return takes + ": `" + x.name + "` has them in dimension " + NumberText(dim) + ", so transpose it: `" + x.name +
             ".transpose(" + NumberText(dim) + ", -1)`";
  return takes + " and gets " + NumberText(x.Last(1)) + ": `Linear(" + NumberText(x.Last(1)) + ", " +
         NumberText(weight.sizes[0]) + ")` takes these";
}

std::optional<std::string> MendProduct(const Failure& failure) {
  if (!IsProduct(*failure.node) || failure.operands.size() < 2 || failure.code != "FP3001") return std::nullopt;
  const size_t first = failure.node->Is({"addmm", "baddbmm", "addbmm", "addmv"}) && failure.operands.size() > 2 ? 1 : 0;
  const FailedOperand &a = failure.operands[first], &b = failure.operands[first + 1];
  if (failure.node->Is({"bmm", "baddbmm"}) && (a.rank() == 2 || b.rank() == 2))
    return "`" + std::string(a.rank() == 2 ? a.name : b.name) +
           "` has no batch dimension: `.unsqueeze(0)` adds one, and `matmul` takes it as it is";
  if (a.rank() < 2 || b.rank() < 2) return std::nullopt;
  if (failure.node->Is({"mm", "addmm"}) && (a.rank() == 3 || b.rank() == 3))
    return "`mm` takes matrices: `matmul` and `bmm` take batches of them";
  if (a.Last(1) == b.Last(2)) {
    if (a.rank() == b.rank() + 1 || b.rank() == a.rank() + 1 || a.rank() != b.rank()) return std::nullopt;
    return "the matrices fit, but their batches of " + SizesText({a.sizes.begin(), a.sizes.end() - 2}) + " and " +
           SizesText({b.sizes.begin(), b.sizes.end() - 2}) + " do not: expand one, or bring both in the same order";
  }
  if (a.Last(1) == b.Last(1))
    return "transpose `" + b.name + "`: `" + b.name + ".transpose(-2, -1)` has " + NumberText(a.Last(1)) + " rows";
  if (a.Last(2) == b.Last(2))
    return "transpose `" + a.name + "`: `" + a.name + ".transpose(-2, -1)` has " + NumberText(b.Last(2)) + " columns";
  if (b.Last(1) == a.Last(2)) return "the operands are swapped: `" + b.name + " @ " + a.name + "` fits";
  return "the columns of `" + a.name + "`, " + NumberText(a.Last(1)) + ", and the rows of `" + b.name + "`, " +
         NumberText(b.Last(2)) + ", have to be as many";
}

}  // namespace fakeprop
