// What serving an operator under a mode needs to know about it.
#pragma once

#include "lib/dispatch/per_operator.h"
#include "lib/fake/generic_data.h"
#include "lib/fake/special_calls.h"

namespace fakeprop::fake {

struct ModeOperator {
  explicit ModeOperator(const c10::OperatorHandle& op);

  SpecialServer special;   // null if there is none
  bool is_lift;            // lift, lift_fresh, lift_fresh_copy
  bool is_equal;           // aten::equal
  bool is_item;            // aten::_local_scalar_dense
  bool takes_numbers;      // LibTorch's own code calls it with numbers as tensors, which it made without the dispatcher
  bool is_on_one_device;   // one_device.h
  bool opens;              // its results may be filled by the program (drafts.h)
  bool is_number;          // aten::scalar_tensor, which makes the tensors of torch::tensor(3)
  bool is_composite_view;  // LibTorch makes its results by views
  // Its rule decides from metadata alone: the effects of a call hold for equal calls.
  bool is_repeatable;
  // In eager mode it consists of in-place calls of other operators (_foreach_add_), which count the versions.
  bool counts_versions;
  bool asks_for_data;    // generic_data.h
  IsDecided is_decided;  // null if no call is
};
using ModeOperatorOf = dispatch::PerOperator<ModeOperator>;

}  // namespace fakeprop::fake
