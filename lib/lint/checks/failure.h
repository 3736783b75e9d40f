// A node that failed, as the mends look at it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/lint/checks/checked_graph.h"

namespace fakeprop {

using Sizes = std::vector<int64_t>;

// A tensor that the failing call takes, at the hints.
struct FailedOperand {
  std::string name;
  Sizes sizes;
  ScalarType dtype = ScalarType::Float;
  Device device = Device(DeviceType::CPU);
  bool is_parameter = false;  // or a buffer

  int64_t rank() const { return static_cast<int64_t>(sizes.size()); }
  int64_t numel() const;
  // Of a dimension counted from the end: Last(1) is the last one.
  int64_t Last(int64_t from_end) const { return sizes[sizes.size() - from_end]; }
};

struct Failure {
  const CheckedNode* node = nullptr;
  std::string_view code, message;
  // In the order of the arguments; for a module, its weight and bias come last. Empty if a size depends on data.
  std::vector<FailedOperand> operands;

  bool Says(std::string_view words) const { return message.find(words) != std::string_view::npos; }
  // The numbers in the message behind these words, up to the end of its sentence.
  Sizes NumbersAfter(std::string_view words) const;
};

// Nothing if the mend does not know the operator, or knows no likely cause.
using Mend = std::optional<std::string> (*)(const Failure& failure);

// swapped_mends.cc, product_mends.cc, layer_mends.cc, norm_mends.cc, shape_mends.cc, value_mends.cc
std::optional<std::string> MendSwapped(const Failure& failure);
std::optional<std::string> MendBias(const Failure& failure);
std::optional<std::string> MendLinear(const Failure& failure);
std::optional<std::string> MendProduct(const Failure& failure);
std::optional<std::string> MendConvolution(const Failure& failure);
std::optional<std::string> MendWindow(const Failure& failure);
std::optional<std::string> MendNorm(const Failure& failure);
std::optional<std::string> MendRecurrent(const Failure& failure);
std::optional<std::string> MendConcatenation(const Failure& failure);
std::optional<std::string> MendView(const Failure& failure);
std::optional<std::string> MendBroadcast(const Failure& failure);
std::optional<std::string> MendSplit(const Failure& failure);
std::optional<std::string> MendLoss(const Failure& failure);
std::optional<std::string> MendDimension(const Failure& failure);
std::optional<std::string> MendDtype(const Failure& failure);
std::optional<std::string> MendDevice(const Failure& failure);
std::optional<std::string> MendAutograd(const Failure& failure);

inline std::string NumberText(int64_t number) { return std::to_string(number); }
// "[2, 3]"
std::string SizesText(const Sizes& sizes);

// The sizes with two dimensions swapped, and with a dimension of size 1 put in.
Sizes Swapped(Sizes sizes, int64_t a, int64_t b);
Sizes Unsqueezed(Sizes sizes, int64_t dim);

// Returns true if two shapes broadcast.
bool Broadcasts(const Sizes& a, const Sizes& b);

int64_t Product(const Sizes& sizes, size_t first = 0);

// Returns true if the last sizes are these.
bool EndsWith(const Sizes& sizes, const Sizes& last);

// conv2d, conv_transpose2d, convolution, Conv2d ...
bool IsConvolutionLayer(const CheckedNode& node);
bool IsTransposedConvolution(const CheckedNode& node);

}  // namespace fakeprop
