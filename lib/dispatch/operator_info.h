// What serving an operator needs to know about it.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>

#include <string>
#include <vector>

#include "lib/dispatch/per_operator.h"
#include "lib/rules/rule_table.h"

namespace fakeprop::dispatch {

struct OperatorInfo {
  explicit OperatorInfo(const c10::OperatorHandle& op);

  std::string name;        // "aten::add.Tensor"
  const Schema* schema;    // null if it is not known
  const ServedRule* rule;  // null if there is none
  const OperatorFacts* facts;
  bool is_item;  // aten::_local_scalar_dense
  // By the schema, the arguments that are written to.
  std::vector<size_t> written;
};
using InfoOf = PerOperator<OperatorInfo>;

}  // namespace fakeprop::dispatch
