// An operator's call that is served by an equal earlier one, without boxing its arguments. Boxes, above all those of
// lists, take longer than all the rest of such a call.
#pragma once

#include <mutex>

#include "lib/fake/mode_operator.h"
#include "lib/fake/repeated_results.h"

namespace fakeprop::fake {

// What such calls need to know about an operator.
struct UnboxedOperator {
  explicit UnboxedOperator(const c10::OperatorHandle& op);

  bool may_repeat;  // its calls may be served so
  bool writes;      // by the schema, to an argument
  bool depends_on_data;
  bool opens, is_number;  // as in ModeOperator
};

class UnboxedCall {
 public:
  UnboxedCall(const c10::OperatorHandle& op, const UnboxedOperator& facts);

  // Returns true if there was an equal call, and repeats what it did to the arguments. The arguments must outlive this.
  template <typename... Arguments>
  bool Find(const Arguments&... arguments) {
    return may_repeat_ && (key_.AddArgument(arguments) && ...) && FindModel();
  }

  at::Tensor Result(size_t i) const;
  std::vector<at::Tensor> List(size_t result) const;

 private:
  bool FindModel();

  const UnboxedOperator& facts_;
  CallKey key_;
  std::unique_lock<std::recursive_mutex> symbols_;
  bool may_repeat_ = false;
  const CallModel* model_ = nullptr;
};

// Operators with kernels that serve calls so. Call these once, before making the first fake.
void RegisterUnboxedKernels();
void RegisterUnboxedKernelsForImages();
void RegisterUnboxedKernelsForParts();
void RegisterUnboxedKernelsForWrites();

}  // namespace fakeprop::fake
