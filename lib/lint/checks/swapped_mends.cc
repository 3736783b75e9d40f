// The input and the weight of a layer in each other's place.
#include <algorithm>

#include "lib/lint/checks/failure.h"

namespace fakeprop {
namespace {

// Returns true if a layer takes these two as input and weight.
bool Fits(const Failure& failure, const FailedOperand& x, const FailedOperand& weight) {
  const CheckedNode& node = *failure.node;
  if (node.Is({"linear"})) return weight.rank() == 2 && x.rank() > 0 && x.Last(1) == weight.Last(1);
  if (node.Is({"layer_norm", "native_layer_norm", "rms_norm"})) return EndsWith(x.sizes, weight.sizes);
  if (!IsConvolutionLayer(node) || x.rank() < 3 || x.rank() != weight.rank()) return false;
  if (IsTransposedConvolution(node)) return x.sizes[1] == weight.sizes[0];
  return weight.sizes[1] > 0 && x.sizes[1] % weight.sizes[1] == 0;
}

bool MayIndex(const FailedOperand& operand) {
  return operand.dtype == ScalarType::Long || operand.dtype == ScalarType::Int;
}

// `embedding` of ATen takes the weight first, that of Python the indices. Either way one of the two may index, and the
// other was taken for the indices.
bool AreIndicesSwapped(const Failure& failure) {
  return failure.code == "FP3002" && failure.node->Is({"embedding", "embedding_bag"}) &&
         MayIndex(failure.operands[0]) != MayIndex(failure.operands[1]);
}

}  // namespace

std::optional<std::string> MendSwapped(const Failure& failure) {
  if (failure.operands.size() < 2) return std::nullopt;
  const FailedOperand &first = failure.operands[0], &second = failure.operands[1];
  const std::string both = "`" + first.name + "` and `" + second.name + "`";
  if (AreIndicesSwapped(failure)) return "the indices and the weight look swapped: " + both;
  if (!first.is_parameter || second.is_parameter || !Fits(failure, second, first)) return std::nullopt;
  return "input and weight look swapped: " + both;
}

}  // namespace fakeprop
