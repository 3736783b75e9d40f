// Norms.
#include <algorithm>

#include "lib/lint/checks/failure.h"

namespace fakeprop {
namespace {

// The sizes that a layer norm is told do not fit those of its weight or bias.
std::optional<std::string> MendNormParameter(const Failure& failure, const FailedOperand& x) {
  const Sizes shape = failure.NumbersAfter("normalized_shape = ");
  const auto parameter = std::find_if(failure.operands.begin() + 1, failure.operands.end(),
      [&](const FailedOperand& operand) { return operand.sizes != shape; });
  if (parameter == failure.operands.end()) return std::nullopt;
  if (EndsWith(x.sizes, shape))
    return "`" + parameter->name + "` has to have the sizes of `normalized_shape`, " + SizesText(shape);
  if (EndsWith(x.sizes, parameter->sizes))
    return "`normalized_shape` has to be the sizes of `" + parameter->name + "`, " + SizesText(parameter->sizes);
  return std::nullopt;
}

}  // namespace

std::optional<std::string> MendNorm(const Failure& failure) {
  const FailedOperand& x = failure.operands[0];
  if (failure.Says("to be of same shape as normalized_shape")) return MendNormParameter(failure, x);
  if (failure.Says("normalized_shape")) {
    const Sizes shape = failure.NumbersAfter("normalized_shape");
    if (shape.empty() || x.rank() == 0) return std::nullopt;
    for (int64_t dim = 0; dim + 1 < x.rank(); ++dim)
      if (x.sizes[dim] == shape[0])
        return "dimension " + NumberText(dim) + " of `" + x.name + "` has " + NumberText(shape[0]) + " elements: `" +
               x.name + ".transpose(" + NumberText(dim) + ", -1)` is normalised over them";
    return "the norm is for " + NumberText(shape[0]) + " features and gets " + NumberText(x.Last(1)) + ": `LayerNorm(" +
           NumberText(x.Last(1)) + ")` takes these";
  }
  if (failure.Says("running_mean should contain") || failure.Says("weight should contain")) {
    const Sizes counts = failure.NumbersAfter("should contain");
    if (counts.size() < 2) return std::nullopt;
    const std::string start = "the norm is for " + NumberText(counts[1]) + " channels, and `" + x.name + "` has " +
                              NumberText(counts[0]) + " in dimension 1";
    return start + (x.rank() > 2 && x.Last(1) == counts[1] ? ": `" + x.name + ".transpose(1, -1)` has them there"
                                                           : ": its `num_features` has to be " + NumberText(counts[0]));
  }
  if (failure.Says("divisible by num_groups")) {
    const int64_t channels = x.rank() > 1 ? x.sizes[1] : 0;
    return "the number of groups has to divide the " + NumberText(channels) + " channels";
  }
  if (failure.Says("an input of rank 2 or 3") && x.rank() == 4)
    return "`" + x.name + "` is a batch of images: `BatchNorm2d` takes it";
  if (failure.Says("an input of rank 4") && x.rank() == 3)
    return "the batch dimension is missing: `" + x.name + ".unsqueeze(0)` has it";
  return std::nullopt;
}

}  // namespace fakeprop
