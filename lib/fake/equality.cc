#include "lib/fake/equality.h"

#include <ATen/core/Tensor.h>

#include "fakeprop/fake_tensor_mode.h"
#include "lib/fake/constants.h"

namespace fakeprop::fake {
namespace {

using torch::jit::Stack;

bool IsItself(const at::Tensor& a, const at::Tensor& b) {
  if (a.layout() != at::kStrided || b.layout() != at::kStrided) return false;
  return SharesStorage(a, b) && a.dtype() == b.dtype() && a.is_conj() == b.is_conj() && a.is_neg() == b.is_neg() &&
         a.sym_storage_offset() == b.sym_storage_offset() && a.sym_strides() == b.sym_strides();
}

// The answer of at::equal without data, on any device. Tensors of different sizes are not equal. A tensor is equal to
// itself: LibTorch's kernel looks for NaNs, and we assume that there are none. Source: cpu_equal, cuda_equal
// (aten/src/ATen/native). torch::nn::functional::multi_head_attention_forward compares query, key and value.
std::optional<bool> EqualWithoutData(const Stack& stack) {
  const at::Tensor &a = torch::jit::peek(stack, 0, 2).toTensor(), &b = torch::jit::peek(stack, 1, 2).toTensor();
  if (a.device() != b.device()) return std::nullopt;
  if (a.sym_sizes() != b.sym_sizes()) return false;
  return IsItself(a, b) ? std::optional(true) : std::nullopt;
}

}  // namespace

std::optional<bool> AnswerEqual(const ModeState& mode, const Stack& stack) {
  if (const auto answer = EqualWithoutData(stack)) return answer;
  const at::Tensor &a = torch::jit::peek(stack, 0, 2).toTensor(), &b = torch::jit::peek(stack, 1, 2).toTensor();
  const bool is_known = KnownValue(a).defined() && KnownValue(b).defined();
  if (!mode.options().unknown_tensors_differ || is_known || a.device() != b.device() || SharesStorage(a, b))
    return std::nullopt;
  TORCH_WARN_ONCE("aten::equal of ", Repr(a), " and ", Repr(b), ", which are not known, says that they differ");
  return false;
}

}  // namespace fakeprop::fake
