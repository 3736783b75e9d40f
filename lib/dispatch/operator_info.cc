#include "lib/dispatch/operator_info.h"

#include "lib/dispatch/fallback.h"
#include "lib/schema/schema_table.h"

namespace fakeprop::dispatch {

OperatorInfo::OperatorInfo(const c10::OperatorHandle& op)
    : name(FullName(op.operator_name())),
      schema(FindSchema(name)),
      rule(schema ? FindRule(*schema) : nullptr),
      is_item(name == "aten::_local_scalar_dense") {
  static constexpr OperatorFacts kUsual;
  facts = schema ? &FindFacts(*schema) : &kUsual;
  const auto& arguments = op.schema().arguments();
  for (size_t i = 0; i < arguments.size(); ++i)
    if (arguments[i].alias_info() && arguments[i].alias_info()->isWrite()) written.push_back(i);
}

}  // namespace fakeprop::dispatch
