// Shapes that do not fit: concatenations, views, broadcasts, splits.
#include <algorithm>

#include "lib/lint/checks/failure.h"

namespace fakeprop {
namespace {

// The dimensions in which two shapes of one rank differ.
Sizes DifferingDims(const Sizes& a, const Sizes& b) {
  Sizes dims;
  for (size_t i = 0; i < a.size(); ++i)
    if (a[i] != b[i]) dims.push_back(static_cast<int64_t>(i));
  return dims;
}

// `b.unsqueeze(1)` or `b.view(2, 1, 1, 8)`, the fewest dimensions of size 1 with which `b` broadcasts.
std::optional<std::string> MadeToFit(const FailedOperand& a, const FailedOperand& b) {
  for (int64_t count = 1; b.rank() + count <= a.rank(); ++count) {
    for (int64_t dim = b.rank(); dim > 0; --dim) {
      Sizes sizes = b.sizes;
      sizes.insert(sizes.begin() + dim, count, 1);
      if (!Broadcasts(a.sizes, sizes)) continue;
      if (count == 1) return "`" + b.name + ".unsqueeze(" + NumberText(dim) + ")`";
      const std::string text = SizesText(sizes);
      return "`" + b.name + ".view(" + text.substr(1, text.size() - 2) + ")`";
    }
  }
  return std::nullopt;
}

std::optional<std::string> MendHeads(const FailedOperand& x, const Sizes& shape) {
  if (shape.size() < 2 || x.rank() + 1 != static_cast<int64_t>(shape.size())) return std::nullopt;
  const int64_t heads = shape[shape.size() - 2], features = x.Last(1);
  if (heads <= 0 || shape.back() <= 0) return std::nullopt;
  for (int64_t dim = 0; dim + 1 < x.rank(); ++dim)  // the view divides nothing but the features
    if (shape[dim] != x.sizes[dim] && shape[dim] != -1) return std::nullopt;
  if (features % heads == 0)
    return NumberText(features) + " features in " + NumberText(heads) + " heads are " + NumberText(features / heads) +
           " for each, not " + NumberText(shape.back());
  int64_t divisor = heads;
  while (features % divisor) --divisor;
  return NumberText(features) + " features do not divide into " + NumberText(heads) + " heads: " + NumberText(divisor) +
         " would be a number of heads that divides them";
}

}  // namespace

std::optional<std::string> MendConcatenation(const Failure& failure) {
  if (!failure.node->Is({"cat", "concat", "concatenate", "stack", "hstack", "vstack", "dstack"})) return std::nullopt;
  if (failure.operands.size() < 2 || failure.code == "FP3002") return std::nullopt;
  const FailedOperand& first = failure.operands[0];
  for (const FailedOperand& other : failure.operands) {
    if (other.rank() == first.rank() + 1 || first.rank() == other.rank() + 1)
      return "`" + std::string(other.rank() < first.rank() ? other.name : first.name) +
             "` has one dimension less: `.unsqueeze` adds it";
    if (other.rank() != first.rank()) return std::nullopt;
  }
  Sizes dims;
  for (const FailedOperand& other : failure.operands)
    for (const int64_t dim : DifferingDims(first.sizes, other.sizes))
      if (std::find(dims.begin(), dims.end(), dim) == dims.end()) dims.push_back(dim);
  if (dims.size() == 1)
    return "the tensors differ in dimension " + NumberText(dims[0]) +
           " alone: `torch.cat(..., dim=" + NumberText(dims[0]) + ")` takes them";
  if (failure.operands.size() == 2 && first.rank() >= 2)
    for (int64_t dim = 0; dim + 1 < first.rank(); ++dim)
      if (DifferingDims(first.sizes, Swapped(failure.operands[1].sizes, dim, dim + 1)).size() <= 1)
        return "`" + failure.operands[1].name + ".transpose(" + NumberText(dim) + ", " + NumberText(dim + 1) +
               ")` has the dimensions in the same order";
  return std::nullopt;
}

std::optional<std::string> MendView(const Failure& failure) {
  if (failure.Says("view size is not compatible"))
    return "`reshape` copies where `view` cannot: use it, or `.contiguous()` before the view";
  const FailedOperand& x = failure.operands[0];
  if (failure.Says("is invalid for input of size")) {
    Sizes shape = failure.NumbersAfter("shape '");
    if (shape.size() < 2) return std::nullopt;
    const auto end = failure.message.substr(failure.message.find("shape '")).find(']');
    const std::string_view inside = failure.message.substr(failure.message.find("shape '"), end);
    shape.resize(std::min<size_t>(shape.size(), std::count(inside.begin(), inside.end(), ',') + 1));
    if (const auto heads = MendHeads(x, shape)) return heads;
    const int64_t others = std::abs(Product(shape, 1)), numel = x.numel();
    if (shape[0] > 0 && others > 0 && numel % others == 0 && std::find(shape.begin(), shape.end(), -1) == shape.end())
      return "the first size is fixed to " + NumberText(shape[0]) + ": with `-1` there it becomes " +
             NumberText(numel / others);
    const int64_t all = std::abs(Product(shape));
    return all > 0 ? NumberText(numel) + " elements of " + SizesText(x.sizes) + " are no multiple of " + NumberText(all)
                   : std::optional<std::string>();
  }
  if (failure.Says("expanded size of the tensor") && failure.node->Is({"expand", "expand_as", "broadcast_to"}))
    return "only a dimension of size 1 expands: `repeat` copies others, `" + x.name + ".unsqueeze` adds one of size 1";
  return std::nullopt;
}

std::optional<std::string> MendSplit(const Failure& failure) {
  const FailedOperand& x = failure.operands[0];
  if (failure.Says("split_sizes to sum exactly") || failure.Says("expects split_sizes"))
    return "the parts have to add up to the size of the dimension in `" + x.name + "`, " + SizesText(x.sizes);
  if (failure.node->Is({"unflatten"}) && failure.code == "FP3001")
    return "the new sizes have to multiply to the old one";
  return std::nullopt;
}

std::optional<std::string> MendBroadcast(const Failure& failure) {
  if (!failure.Says("must match the size of tensor") && !failure.Says("not broadcastable") &&
      !failure.Says("Shape mismatch: objects cannot be broadcast") && !failure.Says("broadcast"))
    return std::nullopt;
  if (failure.operands.size() < 2) return std::nullopt;
  const FailedOperand &a = failure.operands[0], &b = failure.operands[1];
  if (Broadcasts(a.sizes, b.sizes)) return std::nullopt;
  if (const auto fit = MadeToFit(a, b)) return *fit + " broadcasts with " + SizesText(a.sizes);
  if (const auto fit = MadeToFit(b, a)) return *fit + " broadcasts with " + SizesText(b.sizes);
  if (a.rank() == b.rank())
    for (int64_t i = a.rank() - 1; i > 0; --i)
      if (a.sizes[i] != a.sizes[i - 1] && Broadcasts(a.sizes, Swapped(b.sizes, i - 1, i)))
        return "transpose one of them: `" + b.name + ".transpose(" + NumberText(i - 1) + ", " + NumberText(i) +
               ")` fits";
  const int64_t common = std::min(a.rank(), b.rank());
  for (int64_t from_end = 1; from_end <= common; ++from_end) {
    const int64_t x = a.Last(from_end), y = b.Last(from_end);
    if (x != y && x != 1 && y != 1)
      return "dimension -" + NumberText(from_end) + " is " + NumberText(x) + " in `" + a.name + "` and " +
             NumberText(y) + " in `" + b.name +
             "`: what leads to them has to keep it the same (padding, stride, features, slices)";
  }
  return std::nullopt;
}

}  // namespace fakeprop
