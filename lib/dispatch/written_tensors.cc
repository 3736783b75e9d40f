#include "lib/dispatch/written_tensors.h"

#include "lib/dispatch/for_each_tensor.h"

namespace fakeprop::dispatch {

std::vector<at::Tensor> WrittenTensors(const c10::FunctionSchema& schema, const torch::jit::Stack& stack) {
  std::vector<at::Tensor> written;
  const auto& arguments = schema.arguments();
  const auto values = torch::jit::last(stack, arguments.size());
  for (size_t i = 0; i < arguments.size(); ++i)
    if (arguments[i].alias_info() && arguments[i].alias_info()->isWrite())
      ForEachTensor(values[i], [&](const at::Tensor& t) { written.push_back(t); });
  return written;
}

}  // namespace fakeprop::dispatch
