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
  bool makes_zeros;        // aten::_efficientzerotensor
  bool depends_on_data;    // by LibTorch's tags, in some of its calls
  // A rule serves its calls: the effects of one hold for equal ones.
  bool is_repeatable;
  // LibTorch's own code serves its calls, which return tensors: what one did holds for equal ones.
  bool is_watched;
  // In eager mode it consists of in-place calls of other operators (_foreach_add_), which count the versions.
  bool counts_versions;
  bool asks_for_data;    // generic_data.h
  IsDecided is_decided;  // null if no call is
};
using ModeOperatorOf = dispatch::PerOperator<ModeOperator>;

}  // namespace fakeprop::fake
