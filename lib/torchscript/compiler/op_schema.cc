// Source: torch/csrc/jit/frontend/schema_type_parser.cpp, and getAllOperatorsFor of torch/csrc/jit/runtime/operator.cpp
// (torch 2.15).
#include "lib/torchscript/compiler/op_schema.h"

#include <algorithm>
#include <span>

#include "lib/base/version.h"
#include "lib/schema/schema_table.h"
#include "lib/torchscript/compiler/schema_types.h"

namespace fakeprop::script {
namespace {

// Operators that only TorchScript has, and that the schema table therefore lacks.
struct ScriptOperator {
  const char* text;
};
constexpr ScriptOperator kScriptOperators[] = {
#include "lib/torchscript/compiler/script_operators.inc"
};

// The overloads of an operator in torch's order, where it is not that of the alphabet: first those that do not write to
// `out`, then those that do, which no call can mean both. "-" is the one without a name.
struct OverloadOrder {
  std::string_view name;
  std::string_view overloads;
};
constexpr OverloadOrder kOverloadOrder[] = {
#include "lib/torchscript/compiler/overload_order.inc"
};

// Overloads that changed, with the version of the archive's format that has the new meaning. Source:
// torch/csrc/jit/operator_upgraders/version_map.cpp.
struct Upgrade {
  std::string_view name;
  std::string_view overloads;
  uint64_t version;
};
constexpr std::string_view kDivisions = "Tensor Scalar Tensor_mode Scalar_mode out out_mode";
constexpr Upgrade kUpgrades[] = {{"aten::div", kDivisions, 4}, {"aten::div_", kDivisions, 4}, {"aten::full", "-", 5},
    {"aten::linspace", "- out", 8}, {"aten::logspace", "- out", 9}, {"aten::gelu", "- out", 10}};

std::string_view NameIn(std::string_view text) {
  const std::string_view full = text.substr(0, text.find('('));
  return full.substr(0, full.find('.', full.find("::") + 2));
}

std::span<const ScriptOperator> ScriptOperatorsOf(std::string_view name) {
  const auto [begin, end] = std::equal_range(std::begin(kScriptOperators), std::end(kScriptOperators), ScriptOperator{},
      [name](const ScriptOperator& a, const ScriptOperator& b) {
        return (a.text ? NameIn(a.text) : name) < (b.text ? NameIn(b.text) : name);
      });
  return {begin, end};
}

// Its place among the words; behind them if it is none of them.
size_t PlaceIn(std::string_view words, std::string_view word) {
  if (word.empty()) word = "-";
  size_t place = 0;
  while (!words.empty()) {
    const size_t end = std::min(words.find(' '), words.size());
    if (words.substr(0, end) == word) return place;
    words.remove_prefix(std::min(end + 1, words.size()));
    ++place;
  }
  return place;
}

bool IsAmong(std::string_view words, std::string_view word) {
  return PlaceIn(words, word) <= static_cast<size_t>(std::count(words.begin(), words.end(), ' '));
}

void SortAsTorch(std::string_view name, std::vector<OpSchema>& overloads) {
  const auto it = std::lower_bound(std::begin(kOverloadOrder), std::end(kOverloadOrder), name,
      [](const OverloadOrder& order, std::string_view n) { return order.name < n; });
  const std::string_view order = it != std::end(kOverloadOrder) && it->name == name ? it->overloads : "";
  std::sort(
      overloads.begin(), overloads.end(), [](const OpSchema& a, const OpSchema& b) { return a.overload < b.overload; });
  std::stable_sort(overloads.begin(), overloads.end(), [order](const OpSchema& a, const OpSchema& b) {
    return PlaceIn(order, a.overload) < PlaceIn(order, b.overload);
  });
}

// As TorchScript has it: dtypes, layouts and memory formats are ints there.
Value PlainValue(const Value& value, size_t repeats) {
  if (auto* dtype = value.TryGet<ScalarType>()) return static_cast<int64_t>(*dtype);
  if (auto* layout = value.TryGet<Layout>()) return static_cast<int64_t>(*layout);
  if (auto* format = value.TryGet<MemoryFormat>()) return static_cast<int64_t>(*format);
  if (repeats == 0 || value.IsNone() || value.TryList()) return value;
  return List{std::vector<Value>(repeats, value)};
}

}  // namespace

bool OpSchema::Writes() const {
  return std::any_of(arguments.begin(), arguments.end(), [](const OpArgument& a) { return a.is_write; });
}

OpSchema OperatorTable::Convert(std::string_view text) {
  const Schema schema = ParseSchema(text, 0);
  OpSchema out;
  out.name = schema.name;
  out.overload = schema.overload;
  out.takes_any_number = text.substr(0, text.find("->")).find("...") != std::string_view::npos;
  for (const SchemaArgument& argument : schema.arguments) {
    const SchemaTypeText type = ReadSchemaType(argument.type.text, types_);
    OpArgument& to = out.arguments.emplace_back();
    to.name = argument.name;
    to.type = type.type;
    to.repeats = type.repeats;
    if (argument.default_value) to.default_value = PlainValue(*argument.default_value, type.repeats);
    to.is_keyword_only = argument.is_keyword_only;
    to.is_write = argument.is_write || argument.type.text.find('!') != std::string_view::npos;
    to.is_aliased = argument.type.text.find("(a") != std::string_view::npos || to.is_write;
    to.escapes = argument.type.text.find("-> *") != std::string_view::npos;
    if (!to.type) out.is_known = false;
  }
  for (const SchemaReturn& result : schema.returns) {
    out.returns.push_back(ReadSchemaType(result.type.text, types_).type);
    out.return_names.emplace_back(result.name);
    if (result.type.text.find("(*)") != std::string_view::npos) out.gives_unknown = true;
    if (!out.returns.back()) out.is_known = false;
  }
  if (text.ends_with("-> ...")) out.is_known = false;
  return out;
}

const std::vector<OpSchema>& OperatorTable::Find(std::string_view name) { return Load(name)->second; }

std::string_view OperatorTable::NameOf(std::string_view name) { return Load(name)->first; }

OperatorTable::Found::iterator OperatorTable::Load(std::string_view name) {
  auto it = found_.find(name);
  if (it != found_.end()) return it;
  std::vector<OpSchema> overloads;
  std::vector<SchemaEntry> entries = Overloads(name);
  if (entries.empty() && add_library_ && add_library_(name.substr(0, name.find("::")))) entries = Overloads(name);
  // An archive does not say which torch wrote it. What the newest torch has no more is that of an older one (cholesky).
  const auto is_current = [](const SchemaEntry& entry) { return entry.versions.Has(kNewestTorch); };
  const bool was_removed = std::ranges::none_of(entries, is_current);
  for (const SchemaEntry& entry : entries)
    if (was_removed || is_current(entry)) overloads.push_back(Convert(entry.text));
  for (const ScriptOperator& op : ScriptOperatorsOf(name)) overloads.push_back(Convert(op.text));
  SortAsTorch(name, overloads);
  for (const Upgrade& upgrade : kUpgrades)
    for (OpSchema& schema : overloads)
      if (upgrade.name == name && version_ < upgrade.version)
        schema.is_outdated = IsAmong(upgrade.overloads, schema.overload);
  return found_.emplace(name, std::move(overloads)).first;
}

TypeRef TypeOfConstant(const Value& value, TypeTable& types) {
  if (value.IsNone()) return types.Basic(TypeCase::kNone);
  if (value.Is<bool>()) return types.Basic(TypeCase::kBool);
  if (value.Is<Dim>()) return types.Basic(TypeCase::kInt);
  if (value.Is<double>()) return types.Basic(TypeCase::kFloat);
  if (value.Is<std::complex<double>>()) return types.Basic(TypeCase::kComplex);
  if (value.Is<std::string>()) return types.Basic(TypeCase::kString);
  if (value.Is<Device>()) return types.Basic(TypeCase::kDevice);
  const List* list = value.TryList();
  if (!list) return nullptr;
  std::vector<TypeRef> parts;
  for (const Value& item : list->items) {
    parts.push_back(TypeOfConstant(item, types));
    if (!parts.back()) return nullptr;
  }
  if (list->is_tuple) return types.Tuple(std::move(parts));
  return parts.empty() ? nullptr : types.List(parts[0]);
}

}  // namespace fakeprop::script
