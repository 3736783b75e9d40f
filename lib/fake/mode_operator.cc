#include "lib/fake/mode_operator.h"

#include <algorithm>
#include <iterator>

#include "lib/dispatch/operator_info.h"
#include "lib/fake/one_device.h"

namespace fakeprop::fake {
namespace {

// Such as the value of `x.index_put_({...}, 0)`.
bool TakesNumbers(std::string_view name) {
  static constexpr std::string_view kTaking[] = {
      "aten::_index_put_impl_", "aten::copy_", "aten::fill_", "aten::index_put", "aten::index_put_", "aten::where"};
  return std::find(std::begin(kTaking), std::end(kTaking), name) != std::end(kTaking);
}

bool DependsOnData(const c10::OperatorHandle& op) {
  return op.hasTag(at::Tag::data_dependent_output) || op.hasTag(at::Tag::dynamic_output_shape);
}

bool IsCompositeView(const c10::OperatorHandle& op) {
  const auto& returns = op.schema().returns();
  return op.hasKernelForDispatchKey(c10::DispatchKey::CompositeImplicitAutograd) && !returns.empty() &&
         returns[0].alias_info() && !returns[0].alias_info()->isWrite();
}

// Such as set_. They are special for real storages alone.
bool TakesStorage(const c10::OperatorHandle& op) {
  return std::ranges::any_of(
      op.schema().arguments(), [](const c10::Argument& a) { return a.type()->kind() == c10::TypeKind::StorageType; });
}

bool ReturnsTensors(const c10::OperatorHandle& op) {
  return std::ranges::all_of(op.schema().returns(), [](const c10::Argument& r) {
    return r.type()->isSubtypeOf(*c10::TensorType::get()) || r.type()->isSubtypeOf(*c10::ListType::ofTensors());
  });
}

}  // namespace

ModeOperator::ModeOperator(const c10::OperatorHandle& op) {
  const dispatch::InfoOf info(op);
  const std::string& name = op.operator_name().name;
  special = FindSpecialServer(info->name);
  is_lift = name == "aten::lift_fresh" || name == "aten::lift_fresh_copy" || name == "aten::lift";
  is_equal = info->name == "aten::equal";
  is_item = info->is_item;
  takes_numbers = TakesNumbers(name);
  is_on_one_device = IsOnOneDevice(op);
  opens = info->name == "aten::empty.memory_format";
  is_number = info->name == "aten::scalar_tensor";
  is_composite_view = IsCompositeView(op);
  counts_versions = name.starts_with("aten::_foreach_") && name.ends_with('_');
  asks_for_data = AsksForData(op);
  is_decided = DecisionOf(op);
  makes_zeros = info->name == "aten::_efficientzerotensor";
  depends_on_data = DependsOnData(op);
  is_repeatable = info->rule && (!special || opens || makes_zeros);
  is_watched = !info->rule && (!special || TakesStorage(op)) && !is_lift && !is_equal && !is_item && !depends_on_data &&
               name.starts_with("aten::") && ReturnsTensors(op);
}

}  // namespace fakeprop::fake
