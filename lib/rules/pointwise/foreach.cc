// The _foreach_ operators: another operator on each item of their tensor lists.
// Source: aten/src/ATen/native/ForeachOpsKernels.cpp, the slow paths;
// FakeTensorMode._wrap_meta_output_with_default_device gives each item's result the device of the tensors at its place
// (torch/_subclasses/fake_tensor.py, torch 2.13).
#include <algorithm>

#include "lib/base/check.h"
#include "lib/meta/dtype.h"
#include "lib/meta/value_visit.h"
#include "lib/rules/core/common_device.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/families.h"
#include "lib/schema/differentiability.h"
#include "lib/schema/schema_table.h"

namespace fakeprop::rules {
namespace {

// What an operator on lists has beside the operator on their items.
enum class ListForm {
  kPlain,
  kTensor,         // a tensor that stands for a number, for all items
  kScalarsTensor,  // a tensor of numbers, one for each item
  kNotEmpty,       // no item may be empty
  kCopies,         // items may be on several devices
};

struct ItemOperator {
  std::string_view list_op;
  std::string_view item_op;
  ListForm form = ListForm::kPlain;
};

// Where maximum and minimum take numbers they are clamps, and powsum has the results of a norm.
constexpr ItemOperator kItemOperators[] = {
    {"aten::_foreach_abs", "aten::abs"},
    {"aten::_foreach_acos", "aten::acos"},
    {"aten::_foreach_asin", "aten::asin"},
    {"aten::_foreach_atan", "aten::atan"},
    {"aten::_foreach_ceil", "aten::ceil"},
    {"aten::_foreach_cos", "aten::cos"},
    {"aten::_foreach_cosh", "aten::cosh"},
    {"aten::_foreach_erf", "aten::erf"},
    {"aten::_foreach_erfc", "aten::erfc"},
    {"aten::_foreach_exp", "aten::exp"},
    {"aten::_foreach_expm1", "aten::expm1"},
    {"aten::_foreach_floor", "aten::floor"},
    {"aten::_foreach_frac", "aten::frac"},
    {"aten::_foreach_lgamma", "aten::lgamma"},
    {"aten::_foreach_log", "aten::log"},
    {"aten::_foreach_log10", "aten::log10"},
    {"aten::_foreach_log1p", "aten::log1p"},
    {"aten::_foreach_log2", "aten::log2"},
    {"aten::_foreach_max", "aten::max", ListForm::kNotEmpty},
    {"aten::_foreach_mm", "aten::mm"},
    {"aten::_foreach_neg", "aten::neg"},
    {"aten::_foreach_reciprocal", "aten::reciprocal"},
    {"aten::_foreach_round", "aten::round"},
    {"aten::_foreach_rsqrt", "aten::rsqrt"},
    {"aten::_foreach_sigmoid", "aten::sigmoid"},
    {"aten::_foreach_sign", "aten::sign"},
    {"aten::_foreach_sin", "aten::sin"},
    {"aten::_foreach_sinh", "aten::sinh"},
    {"aten::_foreach_sqrt", "aten::sqrt"},
    {"aten::_foreach_tan", "aten::tan"},
    {"aten::_foreach_tanh", "aten::tanh"},
    {"aten::_foreach_trunc", "aten::trunc"},
    {"aten::_foreach_clone", "aten::clone"},
    {"aten::_foreach_copy", "aten::copy", ListForm::kCopies},
    {"aten::_foreach_zero", "aten::zero"},
    {"aten::_foreach_add.List", "aten::add.Tensor"},
    {"aten::_foreach_add.Scalar", "aten::add.Scalar"},
    {"aten::_foreach_add.ScalarList", "aten::add.Scalar"},
    {"aten::_foreach_add.Tensor", "aten::add.Tensor", ListForm::kTensor},
    {"aten::_foreach_sub.List", "aten::sub.Tensor"},
    {"aten::_foreach_sub.Scalar", "aten::sub.Scalar"},
    {"aten::_foreach_sub.ScalarList", "aten::sub.Scalar"},
    {"aten::_foreach_mul.List", "aten::mul.Tensor"},
    {"aten::_foreach_mul.Scalar", "aten::mul.Scalar"},
    {"aten::_foreach_mul.ScalarList", "aten::mul.Scalar"},
    {"aten::_foreach_mul.Tensor", "aten::mul.Tensor", ListForm::kTensor},
    {"aten::_foreach_div.List", "aten::div.Tensor"},
    {"aten::_foreach_div.Scalar", "aten::div.Scalar"},
    {"aten::_foreach_div.ScalarList", "aten::div.Scalar"},
    {"aten::_foreach_div.Tensor", "aten::div.Tensor", ListForm::kTensor},
    {"aten::_foreach_clamp_max.List", "aten::clamp_max.Tensor"},
    {"aten::_foreach_clamp_max.Scalar", "aten::clamp_max"},
    {"aten::_foreach_clamp_max.ScalarList", "aten::clamp_max"},
    {"aten::_foreach_clamp_min.List", "aten::clamp_min.Tensor"},
    {"aten::_foreach_clamp_min.Scalar", "aten::clamp_min"},
    {"aten::_foreach_clamp_min.ScalarList", "aten::clamp_min"},
    {"aten::_foreach_maximum.List", "aten::clamp_min.Tensor"},
    {"aten::_foreach_maximum.Scalar", "aten::clamp_min"},
    {"aten::_foreach_maximum.ScalarList", "aten::clamp_min"},
    {"aten::_foreach_minimum.List", "aten::clamp_max.Tensor"},
    {"aten::_foreach_minimum.Scalar", "aten::clamp_max"},
    {"aten::_foreach_minimum.ScalarList", "aten::clamp_max"},
    {"aten::_foreach_addcdiv.Scalar", "aten::addcdiv"},
    {"aten::_foreach_addcdiv.ScalarList", "aten::addcdiv"},
    {"aten::_foreach_addcdiv.Tensor", "aten::addcdiv", ListForm::kScalarsTensor},
    {"aten::_foreach_addcmul.Scalar", "aten::addcmul"},
    {"aten::_foreach_addcmul.ScalarList", "aten::addcmul"},
    {"aten::_foreach_addcmul.Tensor", "aten::addcmul", ListForm::kScalarsTensor},
    {"aten::_foreach_lerp.List", "aten::lerp.Tensor"},
    {"aten::_foreach_lerp.Scalar", "aten::lerp.Scalar"},
    {"aten::_foreach_lerp.ScalarList", "aten::lerp.Scalar"},
    {"aten::_foreach_pow.List", "aten::pow.Tensor_Tensor"},
    {"aten::_foreach_pow.Scalar", "aten::pow.Tensor_Scalar"},
    {"aten::_foreach_pow.ScalarList", "aten::pow.Tensor_Scalar"},
    {"aten::_foreach_pow.ScalarAndTensor", "aten::pow.Scalar"},
    {"aten::_foreach_norm.Scalar", "aten::linalg_vector_norm"},
    {"aten::_foreach_powsum.Scalar", "aten::linalg__powsum"},
};

// "aten::_foreach_add_.List" of "aten::_foreach_add.List".
std::string InplaceName(std::string_view op) {
  std::string name(op);
  return name.insert(std::min(name.find('.'), name.size()), "_");
}

bool IsListArgument(const Call& call, size_t i) { return call.schema().arguments[i].type.is_list; }

// Tensors in a list of tensors, numbers in one of numbers.
void RequireItems(const Call& call, size_t argument, const List& list) {
  const bool wants_tensors = call.schema().arguments[argument].type.kind == TypeKind::kTensor;
  for (const Value& item : list.items) {
    if ((item.TryTensor() != nullptr) == wants_tensors) continue;
    FailAs(call, ErrorClass::kTypeError,
        {"takes a list of {} as `{}`", wants_tensors ? "tensors" : "numbers", call.schema().arguments[argument].name});
  }
}

// The length that all lists of the call have.
size_t ItemCount(const Call& call) {
  std::optional<size_t> count;
  for (size_t i = 0; i < call.size(); ++i) {
    if (!IsListArgument(call, i)) continue;
    const List* list = call.Arg(static_cast<int>(i)).TryList();
    if (!list || list->items.empty()) FailValue(call, "needs at least one tensor in its lists");
    RequireItems(call, i, *list);
    const size_t length = list->items.size();
    if (count) RequireValue(call, *count == length, {"takes lists of one length, got {} and {}", *count, length});
    count = length;
  }
  FAKEPROP_CHECK(count);
  return *count;
}

// The arguments of the operator on item `index`: by name, else by position, else defaults.
std::vector<const Value*> ItemArguments(const Call& call, const Schema& item, size_t index) {
  static const Value none;
  std::vector<const Value*> arguments;
  for (size_t i = 0; i < item.arguments.size(); ++i) {
    const SchemaArgument& argument = item.arguments[i];
    int from = call.schema().FindArgument(argument.name);
    if (from < 0 && i < call.size() && item.FindArgument(call.schema().arguments[i].name) < 0)
      from = static_cast<int>(i);
    const Value* value = argument.default_value ? &*argument.default_value : &none;
    if (from >= 0) {
      const Value& given = call.Arg(from);
      const bool is_list = IsListArgument(call, from);
      // A tensor of scalars holds its numbers as data, which is unknown.
      if (is_list || !given.TryTensor() || argument.type.kind == TypeKind::kTensor)
        value = is_list ? &given.TryList()->items[index] : &given;
    }
    arguments.push_back(value);
  }
  return arguments;
}

std::vector<const Value*> ArgumentPointers(const Call& call) {
  std::vector<const Value*> arguments;
  for (size_t i = 0; i < call.size(); ++i) arguments.push_back(&call.Arg(static_cast<int>(i)));
  return arguments;
}

bool AnyRequiresGrad(std::span<const Value* const> arguments) {
  for (const Value* value : arguments)
    if (const Tensor* t = value->TryTensor(); t && t->RequiresGrad() && IsFloatOrComplex(t->meta.dtype)) return true;
  return false;
}

// The row of the call's operator.
const ItemOperator& ItemOperatorOf(const Call& call) {
  const std::string_view list_op = call.schema().full_name;
  const bool writes = call.schema().arguments[0].is_write;
  const auto is_this = [&](const ItemOperator& op) {
    return writes ? InplaceName(op.list_op) == list_op : op.list_op == list_op;
  };
  const auto op = std::find_if(std::begin(kItemOperators), std::end(kItemOperators), is_this);
  FAKEPROP_CHECK(op != std::end(kItemOperators));
  return *op;
}

// Whether a tensor beside the written list requires grad, of an operator without a formula: autograd then records every
// item. With a formula it records items one by one. Source: torchgen's gen_variable_type.py, NotImplemented.
bool RecordsEveryItem(const Call& call, const ItemOperator& op) {
  const Differentiability* row = FindDifferentiability(op.list_op, call.state().torch);
  if (row && (row->flags & kDerived)) return false;
  bool any = false;
  for (size_t i = 1; i < call.size(); ++i)
    any = any || AnyTensor(call.Arg(static_cast<int>(i)), [](const Tensor& t) { return t.RequiresGrad(); });
  return any;
}

// The operator on the items: that of the table, or its in-place form for a list operator that writes.
const Schema& ItemSchema(const Call& call, const ItemOperator& op) {
  const bool writes = call.schema().arguments[0].is_write;
  std::string name = writes ? InplaceName(op.item_op) : std::string(op.item_op);
  // pow_ names its overloads after the exponent alone.
  if (const size_t at = name.find(".Tensor_"); writes && at != std::string::npos) name.erase(at + 1, 7);
  const Schema* schema = FindSchema(name);
  FAKEPROP_CHECK(schema);
  return *schema;
}

// Runs the operator on one item and adds what it does to the call's effects, the result to `results`.
void RunItem(Call& call, const Schema& item, const ServedRule& served, size_t index, bool recorded,
    std::vector<Output>& results) {
  const std::vector<const Value*> arguments = ItemArguments(call, item, index);
  const bool writes = call.schema().arguments[0].is_write;
  const Device device =
      writes ? CommonDevice(item, arguments, Devices::kAny) : ItemDevice(call.schema(), ArgumentPointers(call), index);
  Effects effects;
  Call item_call(item, arguments, call.state(), device, effects);
  RunRule(served, item_call);
  FAKEPROP_CHECK(effects.outputs.size() == 1);
  // Autograd records each item of an in-place operator separately, and the items of other operators together.
  recorded = recorded || AnyRequiresGrad(arguments);
  results.push_back(std::move(effects.outputs[0]));
  for (Mutation& mutation : effects.mutations) {
    mutation.differentiable = mutation.differentiable && recorded;
    call.effects().mutations.push_back(std::move(mutation));
  }
}

void ForEach(Call& call) {
  const size_t count = ItemCount(call);
  const ItemOperator& op = ItemOperatorOf(call);
  const Schema& item = ItemSchema(call, op);
  const ServedRule* served = FindRule(item);
  if (!served)
    Fail(ErrorClass::kUnsupportedOperator, OpName(call) + " needs a rule for " + std::string(item.full_name));
  const bool recorded = RecordsEveryItem(call, op);
  Output list;
  list.kind = Output::Kind::kList;
  for (size_t i = 0; i < count; ++i) RunItem(call, item, *served, i, recorded, list.items);
  if (!call.schema().returns.empty()) call.effects().outputs.push_back(std::move(list));
}

// One tensor for all items stands for a number.
void ForEachWithTensor(Call& call) {
  const Operand other = call.In("other");
  other.Rank(0);
  ForEach(call);
}

// Copies cross devices, to and from the cpu (mixed_device_fns of FakeTensor._find_common_device).
void CopyEach(Call& call) {
  const Operands to = call.ListIn("self"), from = call.ListIn("src");
  for (size_t i = 0; i < std::min(to.size(), from.size()); ++i) {
    const Device a = to[i]->device, b = from[i]->device;
    if (a == b || a.is_cpu() || b.is_cpu() || call.schema().returns.empty()) continue;
    FailAs(call, ErrorClass::kDeviceMismatch, {"copies from {} to {}", b, a}, {&to[i].tensor(), &from[i].tensor()});
  }
  ForEach(call);
}

// The tensor of scalars has a number for each item.
void ForEachWithScalarsTensor(Call& call) {
  const Operand scalars = call.In("scalars");
  const Dim count = static_cast<int64_t>(ItemCount(call));
  scalars.Sizes({count});
  RequireValue(call, scalars->device.is_cpu(), {"takes its scalars on cpu, not on {}", scalars->device});
  ForEach(call);
}

void MaxOfEach(Call& call) {
  for (const Operand& t : call.ListIn("self")) RequireValue(call, !IsEmpty(t), "has no maximum of an empty tensor");
  ForEach(call);
}

Rule RuleOf(ListForm form) {
  switch (form) {
    case ListForm::kPlain: return ForEach;
    case ListForm::kTensor: return ForEachWithTensor;
    case ListForm::kScalarsTensor: return ForEachWithScalarsTensor;
    case ListForm::kNotEmpty: return MaxOfEach;
    case ListForm::kCopies: return CopyEach;
  }
  return ForEach;
}

// Each operator of the table and its in-place form.
std::vector<RuleRow> MakeRows() {
  std::vector<RuleRow> rows;
  for (const ItemOperator& op : kItemOperators) {
    const Rule rule = RuleOf(op.form);
    const Devices devices = op.form == ListForm::kCopies ? Devices::kAny : Devices::kByItem;
    const OperatorFacts facts = devices | Grad::kFollowedWrites;
    rows.push_back({op.list_op, rule, facts});
    if (const Schema* inplace = FindSchema(InplaceName(op.list_op))) rows.push_back({inplace->full_name, rule, facts});
  }
  return rows;
}

}  // namespace

RuleRows ForeachRules() {
  static const std::vector<RuleRow> rows = MakeRows();
  return rows;
}

}  // namespace fakeprop::rules
