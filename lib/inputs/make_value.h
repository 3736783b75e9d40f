// Makes the value of a placeholder, whatever its type. Fields of the spec win over what the graph recorded.
#pragma once

#include <string_view>
#include <vector>

#include "lib/inputs/evaluate_sizes.h"
#include "lib/inputs/inputs.h"
#include "lib/inputs/make_tensor.h"
#include "lib/inputs/slots.h"

namespace fakeprop {

class ValueMaker {
 public:
  // Messages call the spec `file`. For `bases` see TensorMaker. All of these must outlive the ValueMaker.
  ValueMaker(const std::vector<Slot>& slots, const std::vector<int>& bases, SizeEvaluator& sizes, std::string_view file)
      : tensors_(slots, bases, sizes), sizes_(sizes), file_(file) {}

  // The slot is one of the slots. Throws SpecError or JsonError if the spec is wrong; adds a diagnostic if a size has
  // no value.
  InputValue Make(const Slot& slot);

 private:
  Value MakeNumber(const Slot& slot);
  Value MakeKnown(const Slot& slot);
  Sym TrySymbolicText(const InputPart& part, JsonValue value) const;

  TensorMaker tensors_;
  SizeEvaluator& sizes_;
  std::string_view file_;
};

}  // namespace fakeprop
