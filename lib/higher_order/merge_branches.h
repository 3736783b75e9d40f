// Where the results of two runs have to agree: the branches of a condition, what goes into a loop's body and comes out.
#pragma once

#include "lib/higher_order/higher_order.h"

namespace fakeprop {

// One side: what it is called, what it gave, and the graph that made it (null where none did), for messages.
struct Side {
  std::string name;
  const Value& value;
  const Graph* graph = nullptr;
};

// What a condition returns whose predicate nobody knows: a new tensor for each tensor, as both branches have it. `what`
// names the operator. Branches that disagree are a DescribedError of class MetadataMismatch that shows the first result
// that differs. Source: _merge_output in torch/_higher_order_ops/cond.py (torch 2.13).
//
// Sizes that differ become symbols, where the run has symbols.
Value MergeBranches(const std::string& what, const Side& a, const Side& b, ObjectTable& objects);

// Checks that a loop gets back what it was given: sizes, strides where they count, dtype and device of each tensor; the
// type of a number. `what` names the values: "while_loop carries". Source: check_meta_consistency in utils.py.
void CheckCarried(const std::string& what, const Side& given, const Side& returned);

}  // namespace fakeprop
