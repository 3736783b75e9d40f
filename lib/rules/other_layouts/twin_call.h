// The same call on strided tensors that stand for its operands of other layouts: what the strided rule says of dtypes,
// sizes and wrong arguments holds for them too.
#pragma once

#include <deque>

#include "lib/rules/core/call.h"

namespace fakeprop::rules {

class TwinCall {
 public:
  explicit TwinCall(Call& call) : call_(call), schema_(call.schema()) {}
  // A call of another operator with the same arguments.
  TwinCall(Call& call, std::string_view op);

  // Stands for the operand of this name. Others of another layout get a contiguous twin of their own sizes.
  TwinCall& Put(ArgumentName name, TensorMeta meta);
  // The effects of the strided rule.
  Effects& Run();
  // The metadata of its results, one after the other.
  template <typename Use>
  void ForEachResult(Use use) {
    for (const Output& output : Run().outputs)
      use(output.kind == Output::Kind::kArgument ? output.source->meta : output.meta);
  }
  // The metadata of its one result.
  TensorMeta Result();

 private:
  Value Twin(const Value& value);
  Tensor* TwinOf(const Tensor& t);

  Call& call_;
  const Schema& schema_;
  std::vector<std::pair<const Tensor*, TensorMeta>> given_;
  std::deque<Tensor> tensors_;
  std::deque<Value> values_;
  Effects effects_;
};

// Rule: the result is strided and contiguous, as that of strided tensors.
void StridedResult(Call& call);

}  // namespace fakeprop::rules
