// Dtypes, devices, dimensions that are not there, losses, autograd.
#include <algorithm>

#include "lib/lint/checks/failure.h"
#include "lib/meta/text.h"

namespace fakeprop {
namespace {

bool IsInteger(const FailedOperand& operand) { return IsIntegral(operand.dtype); }

std::string TorchName(ScalarType dtype) {
  switch (dtype) {
    case ScalarType::Half: return "torch.float16";
    case ScalarType::BFloat16: return "torch.bfloat16";
    case ScalarType::Float: return "torch.float32";
    case ScalarType::Double: return "torch.float64";
    case ScalarType::Int: return "torch.int32";
    case ScalarType::Long: return "torch.int64";
    case ScalarType::Bool: return "torch.bool";
    default: return "";
  }
}

bool IsLossOfClasses(const CheckedNode& node) {
  return node.op.starts_with("cross_entropy") || node.op.starts_with("nll_loss") || node.op == "crossentropyloss" ||
         node.op == "nllloss";
}

std::optional<std::string> MendClasses(const FailedOperand& logits, const FailedOperand& labels) {
  if (IsInteger(logits) && !IsInteger(labels))
    return "the arguments are swapped: first come the logits, `" + labels.name + "`, then the labels, `" + logits.name +
           "`";
  if (!IsInteger(labels) && labels.rank() + 1 == logits.rank())
    return "labels are numbers of classes: `" + labels.name + ".long()`";
  if (labels.rank() == logits.rank() && labels.Last(1) == 1)
    return "the labels have a dimension too many: `" + labels.name + ".squeeze(-1)`";
  if (logits.rank() >= 3 && labels.rank() + 1 == logits.rank() &&
      std::equal(labels.sizes.begin(), labels.sizes.end(), logits.sizes.begin()))
    return "the classes have to be dimension 1: `" + logits.name + ".transpose(1, -1)`, or flatten both: `" +
           logits.name + ".flatten(0, -2)`, `" + labels.name + ".flatten()`";
  if (labels.rank() >= 1 && logits.rank() >= 1 && labels.sizes[0] != logits.sizes[0])
    return "logits and labels have to be of as many examples: `" + logits.name + "` has " +
           NumberText(logits.sizes[0]) + ", `" + labels.name + "` " + NumberText(labels.sizes[0]);
  return std::nullopt;
}

}  // namespace

std::optional<std::string> MendLoss(const Failure& failure) {
  if (failure.operands.size() < 2) return std::nullopt;
  const FailedOperand &input = failure.operands[0], &target = failure.operands[1];
  if (IsLossOfClasses(*failure.node)) return MendClasses(input, target);
  const bool is_binary = failure.node->op.starts_with("binary_cross_entropy") || failure.node->op.starts_with("bce");
  if (!is_binary || input.sizes == target.sizes) return std::nullopt;
  if (input.rank() == target.rank() + 1 && input.Last(1) == 1)
    return "both have to have one shape: `" + input.name + ".squeeze(-1)`";
  if (target.rank() == input.rank() + 1 && target.Last(1) == 1)
    return "both have to have one shape: `" + target.name + ".squeeze(-1)`";
  return "input and target have to have one shape; for numbers of classes use `cross_entropy`";
}

std::optional<std::string> MendDimension(const Failure& failure) {
  const FailedOperand& x = failure.operands[0];
  const std::string rank =
      "`" + x.name + "` has " + NumberText(x.rank()) + (x.rank() == 1 ? " dimension" : " dimensions");
  if (failure.Says("desired ordering of dimensions"))
    return rank + ": name each of them once; `.unsqueeze(0)` adds a batch dimension that is missing";
  if (failure.Says("imension out of range")) {
    const Sizes range = failure.NumbersAfter("but got ");
    const bool misses_one = !range.empty() && (range[0] == x.rank() || range[0] == -x.rank() - 1);
    return rank + (x.rank() ? ", from 0 to " + NumberText(x.rank() - 1) : "") +
           (misses_one ? "; if its batch dimension is missing, `" + x.name + ".unsqueeze(0)` adds it" : "");
  }
  if (failure.Says("but the tensor has")) return rank + ": an index for each is the most";
  if (failure.Says("same number of dimensions") && failure.operands.size() > 1)
    return "`" + failure.operands.back().name + ".unsqueeze(-1)` has as many dimensions as `" + x.name + "`";
  if (failure.node->Is({"einsum"})) return "the equation needs a letter for each dimension: " + rank;
  return std::nullopt;
}

std::optional<std::string> MendDtype(const Failure& failure) {
  if (failure.code != "FP3002") return std::nullopt;
  if (failure.node->Is({"embedding", "embedding_bag"})) {
    for (const FailedOperand& operand : failure.operands)
      if (operand.rank() != 2 && !IsInteger(operand)) return "indices are integers: `" + operand.name + ".long()`";
    return "indices are integers: `.long()`";
  }
  if (failure.Says("can't be cast to the desired output type"))
    return "the tensor that is written keeps its dtype: use the operator that is not in place, or cast the tensor "
           "first";
  const FailedOperand& first = failure.operands[0];
  for (const FailedOperand& other : failure.operands) {
    if (other.dtype == first.dtype) continue;
    const bool first_is_odd = (IsInteger(first) && !IsInteger(other)) || first.dtype == ScalarType::Double;
    const FailedOperand &odd = first_is_odd ? first : other, &kept = first_is_odd ? other : first;
    const std::string name = TorchName(kept.dtype);
    if (!name.empty()) return "cast one of them: `" + odd.name + ".to(" + name + ")`";
  }
  return std::nullopt;
}

std::optional<std::string> MendDevice(const Failure& failure) {
  if (failure.code != "FP3003") return std::nullopt;
  const auto on_device = std::find_if(failure.operands.begin(), failure.operands.end(),
      [](const FailedOperand& operand) { return !operand.device.is_cpu(); });
  if (on_device == failure.operands.end()) return std::nullopt;
  for (const FailedOperand& operand : failure.operands)
    if (operand.device != on_device->device)
      return "move `" + operand.name + "`: `" + operand.name + ".to(\"" + on_device->device.str() +
             "\")`; a tensor of the module has to be a parameter or buffer to move with it";
  return std::nullopt;
}

std::optional<std::string> MendAutograd(const Failure& failure) {
  if (failure.code != "FP3008") return std::nullopt;
  return "use the operator that is not in place, or write under `torch.no_grad()`";
}

}  // namespace fakeprop
