// Convolutions, poolings, norms and recurrent layers.
#include <utility>

#include "lib/lint/checks/failure.h"

namespace fakeprop {
namespace {

bool IsConvolutionLayer(const CheckedNode& node) { return node.op.starts_with("conv") || node.op == "_convolution"; }

// "(0, 3, 1, 2)": the last dimension to the place of the channels.
std::string ChannelsFirst(int64_t rank) {
  std::string text = "(0, " + NumberText(rank - 1);
  for (int64_t dim = 1; dim + 1 < rank; ++dim) text += ", " + NumberText(dim);
  return text + ")";
}

std::string TooSmall(const std::string& window) {
  return "the " + window +
         " is larger than its input: a smaller one, `padding=`, a larger input, or fewer layers before " +
         "it that halve the size";
}

}  // namespace

std::optional<std::string> MendConvolution(const Failure& failure) {
  if (!IsConvolutionLayer(*failure.node) || failure.operands.size() < 2 || failure.code == "FP3002")
    return std::nullopt;
  if (failure.Says("Kernel size can't be greater than actual input size")) return TooSmall("kernel");
  const FailedOperand &x = failure.operands[0], &weight = failure.operands[1];
  const int64_t spatial = weight.rank() - 2;
  const Sizes expected = failure.NumbersAfter(" to have ");
  const int64_t channels = expected.empty() ? weight.Last(spatial + 1) : expected[0];
  if (spatial < 1) return std::nullopt;
  if (x.rank() == spatial)
    return "`" + x.name + "` has neither batch nor channels: `" + x.name + ".unsqueeze(0).unsqueeze(0)` has both";
  if (x.rank() == spatial + 1)
    return channels == 1 ? "`" + x.name + "` has no dimension of channels: `" + x.name + ".unsqueeze(1)` has it"
                         : "`" + x.name + "` is taken as one image of " + NumberText(x.sizes[0]) +
                               " channels: the layer takes " + NumberText(channels);
  if (x.rank() != spatial + 2)
    return "the layer takes " + NumberText(spatial + 2) + " dimensions, and `" + x.name + "` has " +
           NumberText(x.rank());
  if (x.sizes[1] == channels) return std::nullopt;
  if (x.Last(1) == channels)
    return "the channels come last: `" + x.name + ".permute" + ChannelsFirst(x.rank()) + "` has them where they belong";
  if (x.sizes[0] == channels)
    return "the first two dimensions are swapped: `" + x.name + ".transpose(0, 1)` has " + NumberText(channels) +
           " channels";
  return "the layer takes " + NumberText(channels) + " channels and gets " + NumberText(x.sizes[1]) +
         ": its `in_channels` has to be " + NumberText(x.sizes[1]);
}

std::optional<std::string> MendWindow(const Failure& failure) {
  if (failure.node->op.find("pool") != std::string::npos && failure.Says("Output size is too small"))
    return TooSmall("window of the pooling");
  if (failure.node->Is({"unfold", "fold", "im2col"}) && failure.Says("at least one")) return TooSmall("window");
  if (failure.Says("Padding size should be less than the corresponding input dimension"))
    return "reflected padding has to be smaller than the dimension: less padding, or another mode";
  if (failure.Says("pixel_shuffle takes sizes"))
    return "the channels have to be a multiple of the square of `upscale_factor`";
  return std::nullopt;
}

std::optional<std::string> MendNorm(const Failure& failure) {
  const FailedOperand& x = failure.operands[0];
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

std::optional<std::string> MendRecurrent(const Failure& failure) {
  constexpr std::string_view kWords = "its input's features of";  // those of the input, then those of the weight
  Sizes numbers = failure.NumbersAfter(kWords);
  if (numbers.size() < 2) return std::nullopt;
  std::swap(numbers[0], numbers[1]);
  const FailedOperand& x = failure.operands[0];
  for (int64_t dim = 0; dim + 1 < x.rank(); ++dim)
    if (x.sizes[dim] == numbers[0])
      return "the layer takes " + NumberText(numbers[0]) + " features: `" + x.name + "` has them in dimension " +
             NumberText(dim) + ", so transpose it: `" + x.name + ".transpose(" + NumberText(dim) + ", -1)`";
  return "the layer takes " + NumberText(numbers[0]) + " features and gets " + NumberText(numbers[1]) +
         ": its `input_size` has to be " + NumberText(numbers[1]);
}

}  // namespace fakeprop
