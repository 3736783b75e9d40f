// Convolutions, poolings and recurrent layers.
#include <algorithm>
#include <utility>

#include "lib/annotations/summary.h"
#include "lib/lint/checks/failure.h"

namespace fakeprop {
namespace {

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

// `groups` is not what the weight is made for.
std::optional<std::string> MendGroups(const FailedOperand& x, const FailedOperand& weight, bool is_transposed) {
  const std::string name = "`" + x.name + "`";
  if (is_transposed)
    return x.sizes[1] == weight.sizes[0]
               ? "`groups` has to divide the " + NumberText(x.sizes[1]) + " channels of " + name
               : std::optional<std::string>();
  const int64_t channels = weight.sizes[1];
  if (channels == 0 || x.sizes[1] % channels != 0) return std::nullopt;
  const int64_t groups = x.sizes[1] / channels;
  if (groups == 0 || weight.sizes[0] % groups != 0) return std::nullopt;
  return "the weight takes " + Counted(channels, "channel") + " in each group, and " + name + " has " +
         NumberText(x.sizes[1]) + ": `groups` has to be " + NumberText(groups);
}

}  // namespace

bool IsConvolutionLayer(const CheckedNode& node) { return node.op.starts_with("conv") || node.op == "_convolution"; }

bool IsTransposedConvolution(const CheckedNode& node) {
  if (node.op.starts_with("conv_transpose") || node.op.starts_with("convtranspose")) return true;
  return std::ranges::any_of(node.node->arguments, [](const Argument& argument) {
    const bool* is_set = argument.name == "transposed" ? argument.value.TryGet<bool>() : nullptr;
    return is_set && *is_set;
  });
}

std::optional<std::string> MendBias(const Failure& failure) {
  const bool is_linear = failure.node->Is({"linear"});
  if ((!is_linear && !IsConvolutionLayer(*failure.node)) || failure.operands.size() < 3 || failure.code != "FP3001")
    return std::nullopt;
  const FailedOperand &weight = failure.operands[1], &bias = failure.operands[2];
  const Sizes expected = is_linear ? weight.sizes : failure.NumbersAfter("expected bias to be 1-dimensional with ");
  if (expected.empty() || (is_linear && weight.rank() != 2)) return std::nullopt;
  if (bias.rank() != 1 || bias.sizes[0] == expected[0]) return std::nullopt;
  return "the layer gives " + NumberText(expected[0]) + (is_linear ? " features" : " channels") + ": its bias, `" +
         bias.name + "`, has to have as many elements, and has " + NumberText(bias.sizes[0]);
}

std::optional<std::string> MendConvolution(const Failure& failure) {
  if (!IsConvolutionLayer(*failure.node) || failure.operands.size() < 2 || failure.code == "FP3002")
    return std::nullopt;
  if (failure.Says("Kernel size can't be greater than actual input size")) return TooSmall("kernel");
  const FailedOperand &x = failure.operands[0], &weight = failure.operands[1];
  const int64_t spatial = weight.rank() - 2;
  const Sizes expected = failure.NumbersAfter(" to have ");
  if (spatial < 1) return std::nullopt;
  const bool is_transposed = IsTransposedConvolution(*failure.node);
  const int64_t channels = expected.empty() ? weight.sizes[is_transposed ? 0 : 1] : expected[0];
  if (x.rank() == spatial)
    return "`" + x.name + "` has neither batch nor channels: `" + x.name + ".unsqueeze(0).unsqueeze(0)` has both";
  if (x.rank() == spatial + 1)
    return channels == 1 ? "`" + x.name + "` has no dimension of channels: `" + x.name + ".unsqueeze(1)` has it"
                         : "`" + x.name + "` is taken as one image of " + NumberText(x.sizes[0]) +
                               " channels: the layer takes " + NumberText(channels);
  if (x.rank() != spatial + 2)
    return "the layer takes " + NumberText(spatial + 2) + " dimensions, and `" + x.name + "` has " +
           NumberText(x.rank());
  if (failure.Says("expected weight to be divisible")) return MendGroups(x, weight, is_transposed);
  if (x.sizes[1] == channels) return std::nullopt;
  if (x.Last(1) == channels)
    return "the channels come last: `" + x.name + ".permute" + ChannelsFirst(x.rank()) + "` has them where they belong";
  if (x.sizes[0] == channels)
    return "the first two dimensions are swapped: `" + x.name + ".transpose(0, 1)` has " + NumberText(channels) +
           " channels";
  if (!is_transposed && channels != weight.sizes[1])
    if (const auto groups = MendGroups(x, weight, is_transposed)) return groups;
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
