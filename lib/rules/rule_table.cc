#include "lib/rules/rule_table.h"

#include <algorithm>
#include <mutex>
#include <unordered_map>

#include "lib/base/check.h"
#include "lib/rules/families.h"
#include "lib/rules/layout_rows.h"
#include "lib/schema/schema_table.h"

namespace fakeprop {
namespace {

std::vector<RuleRow> CollectRows() {
  std::vector<RuleRow> rows;
  for (RuleRows family : rules::RuleFamilies()) rows.insert(rows.end(), family.begin(), family.end());
  std::sort(rows.begin(), rows.end(), [](const RuleRow& a, const RuleRow& b) { return a.op < b.op; });
  for (size_t i = 1; i < rows.size(); ++i)
    if (rows[i].op == rows[i - 1].op) throw InternalError("two rows for " + std::string(rows[i].op));
  return rows;
}

const RuleRow* FindRow(std::string_view op) {
  const auto rows = AllRows();
  auto it = std::lower_bound(
      rows.begin(), rows.end(), op, [](const RuleRow& r, std::string_view name) { return r.op < name; });
  return it != rows.end() && it->op == op ? &*it : nullptr;
}

bool SameKind(const Type& a, const Type& b) {
  auto plain = [](TypeKind k) { return k == TypeKind::kInt ? TypeKind::kSymInt : k; };
  return plain(a.kind) == plain(b.kind) && a.is_optional == b.is_optional && a.is_list == b.is_list;
}

bool IsTensorOption(std::string_view name) {
  return name == "dtype" || name == "layout" || name == "device" || name == "pin_memory";
}

// Whether `functional` takes the arguments of `out_form` before its out tensors, and no others that a call with out
// could not fill in (dtype, layout, device, pin_memory come from the out tensor; each out tensor is wanted).
bool IsFunctionalOf(const Schema& functional, const Schema& out_form) {
  if (functional.IsOut() || (!functional.arguments.empty() && functional.arguments[0].is_write)) return false;
  size_t matched = 0;
  for (const SchemaArgument& argument : functional.arguments) {
    const int i = out_form.FindArgument(argument.name);
    if (i >= 0 && !out_form.arguments[i].IsOut() && SameKind(out_form.arguments[i].type, argument.type)) {
      ++matched;
    } else if (!IsTensorOption(argument.name) && argument.name != "output_mask") {
      return false;
    }
  }
  const size_t wanted = std::count_if(
      out_form.arguments.begin(), out_form.arguments.end(), [](const SchemaArgument& a) { return !a.IsOut(); });
  return matched == wanted;
}

// The operator of the same name with an underscore before it.
const Schema* InnerOf(const Schema& schema) {
  return FindSchema("aten::_" + std::string(schema.name.substr(schema.name.find("::") + 2)));
}

bool WritesResultOfInner(const Schema& functional) {
  const RuleRow* row = FindRow(functional.full_name);
  return row && row->facts.out_kernel == OutKernel::kOfInner;
}

const Schema* FunctionalOfOut(const Schema& schema) {
  for (const SchemaEntry& entry : Overloads(schema.name)) {
    const Schema* candidate = FindSchema(entry.full_name);
    if (candidate != &schema && IsFunctionalOf(*candidate, schema))
      return WritesResultOfInner(*candidate) ? InnerOf(schema) : candidate;
  }
  // adaptive_avg_pool3d_backward.grad_input writes what _adaptive_avg_pool3d_backward returns.
  const Schema* inner = InnerOf(schema);
  return inner && IsFunctionalOf(*inner, schema) ? inner : nullptr;
}

const Schema* FindOverload(std::string name, std::string_view overload) {
  if (!overload.empty()) name += "." + std::string(overload);
  return FindSchema(name);
}

// Whether the arguments agree one by one.
bool TakesSameArguments(const Schema& a, const Schema& b) {
  if (a.arguments.size() != b.arguments.size()) return false;
  for (size_t i = 0; i < a.arguments.size(); ++i)
    if (!SameKind(a.arguments[i].type, b.arguments[i].type)) return false;
  return true;
}

std::string NameOfFunctional(const Schema& inplace) {
  const std::string_view name = inplace.name;
  const size_t start = name.find("__i");
  if (name.ends_with("__"))  // __iadd__ -> __add__
    return start == std::string_view::npos
               ? ""
               : std::string(name.substr(0, start + 2)) + std::string(name.substr(start + 3));
  return std::string(name.substr(0, name.size() - 1));
}

// The functional overload with the same arguments, which need not have the same name (pow_.Tensor, pow.Tensor_Tensor);
// without one, that of the same name.
const Schema* FunctionalOfInplace(const Schema& schema) {
  const std::string name = NameOfFunctional(schema);
  const Schema* namesake = FindOverload(name, schema.overload);
  if (namesake && TakesSameArguments(*namesake, schema)) return namesake;
  for (const SchemaEntry& entry : Overloads(name)) {
    const Schema* candidate = FindSchema(entry.full_name);
    if (TakesSameArguments(*candidate, schema)) return candidate;
  }
  return namesake;
}

const Schema* ViewOfCopy(const Schema& schema) {
  if (!schema.name.ends_with("_copy")) return nullptr;
  return FindOverload(std::string(schema.name.substr(0, schema.name.size() - 5)), schema.overload);
}

bool WritesFirstArgument(const Schema& schema) {
  return !schema.arguments.empty() && schema.arguments[0].is_write && !schema.arguments[0].is_keyword_only;
}

// What a row says of devices is said of the operator itself. Source: FakeTensorMode's
// wrap_meta_outputs_with_default_device_logic asks for the common device once there is a tensor to return
// (torch/_subclasses, torch 2.13).
Devices FormDevices(const Schema& schema, Form form, const OperatorFacts& facts) {
  const auto is_tensor = [](const SchemaReturn& r) { return r.type.kind == TypeKind::kTensor; };
  if (std::none_of(schema.returns.begin(), schema.returns.end(), is_tensor)) return Devices::kAny;
  if (form == Form::kDirect || form == Form::kCopy) return facts.devices;
  if (facts.devices == Devices::kSame) return Devices::kOne;
  return form == Form::kOut && facts.out_device == OutDevice::kOfCall ? Devices::kOne : facts.devices;
}

// The operator from which this one is derived, if any.
void FindFunctional(const Schema& schema, ServedRule& served) {
  if (schema.IsOut()) {
    served.form = Form::kOut;
    served.functional = FunctionalOfOut(schema);
  } else if (WritesFirstArgument(schema) && schema.name.ends_with('_')) {
    served.form = Form::kInplace;
    served.functional = FunctionalOfInplace(schema);
  } else if (schema.Has(kTagViewCopy)) {
    served.form = Form::kCopy;
    served.functional = ViewOfCopy(schema);
  }
}

// How operators are served, and the facts of those that are not. Each is looked up once.
class Resolutions {
 public:
  const ServedRule& Of(const Schema& schema) {
    const std::lock_guard lock(mutex_);
    if (auto it = resolved_.find(&schema); it != resolved_.end()) return it->second;
    const ServedRule served = Resolve(schema);
    return resolved_.emplace(&schema, served).first->second;
  }

 private:
  ServedRule Resolve(const Schema& schema) {
    static constexpr OperatorFacts kUsual;
    ServedRule served;
    const RuleRow* row = FindRow(schema.full_name);
    if (row && row->rule) served.row = row;
    else FindFunctional(schema, served);
    const ServedRule* inner = served.functional ? &Of(*served.functional) : nullptr;
    // Its formulas are those of the functional operator, whatever rule it has.
    if (served.row && schema.IsOut()) served.functional = FunctionalOfOut(schema);
    if (inner && inner->row) {
      served.inner = inner;
      served.row = inner->row;
    }
    served.facts = row ? &row->facts : inner ? inner->facts : &kUsual;
    for (size_t i = 0; i < kOtherLayouts; ++i)
      served.layouts[i] = FindRuleOfLayout(schema.full_name, static_cast<OtherLayout>(i));
    if (served.row) served.devices = FormDevices(schema, served.form, *served.facts);
    return served;
  }

  std::recursive_mutex mutex_;
  std::unordered_map<const Schema*, ServedRule> resolved_;
};

const ServedRule& Resolved(const Schema& schema) {
  static Resolutions resolutions;
  return resolutions.Of(schema);
}

}  // namespace

std::span<const RuleRow> AllRows() {
  static const std::vector<RuleRow> rows = CollectRows();
  return rows;
}

const ServedRule* FindRule(const Schema& schema) {
  const ServedRule& served = Resolved(schema);
  return served.row ? &served : nullptr;
}

const OperatorFacts& FindFacts(const Schema& schema) { return *Resolved(schema).facts; }

}  // namespace fakeprop
