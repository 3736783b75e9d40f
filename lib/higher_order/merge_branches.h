// Compares results that have to agree: those of a condition's branches, or the input and the output of a loop's body.
#pragma once

#include <optional>
#include <string>

#include "lib/higher_order/higher_order.h"

namespace fakeprop {

// One side, for messages: its name, its value, and the graph that made the value (null if there is none).
struct Side {
  std::string name;
  const Value& value;
  const Graph* graph = nullptr;
};

// The result of a condition with an unknown predicate: a new tensor for each tensor of the branches. `what` names the
// operator. If the branches disagree, throws a DescribedError of class MetadataMismatch with the first result that
// differs. Source: _merge_output in torch/_higher_order_ops/cond.py (torch 2.13).
//
// If the run has symbols, sizes that differ become new symbols.
Value MergeBranches(const std::string& what, const Side& a, const Side& b, ObjectTable& objects);

// The metadata of whichever tensor it is: sizes that differ, or that data of one side decides, become new symbols.
// Nothing if the two differ in more than their sizes and the strides that follow from them, or if the run makes no
// symbols.
std::optional<TensorMeta> MergeSizes(const TensorMeta& a, const TensorMeta& b);

// Checks that the body of a loop returns values like those that it was given: tensors of the same sizes, strides (if
// they matter), dtype and device, and numbers of the same type. `what` names the values: "while_loop carries". Source:
// check_meta_consistency in utils.py.
void CheckCarried(const std::string& what, const Side& given, const Side& returned);

}  // namespace fakeprop
