// Source: torch/csrc/jit/serialization/pickler.cpp and export_module.cpp (torch 2.13).
#include "lib/torchscript/script_data.h"

#include <set>

#include "lib/archive/archive_layout.h"
#include "lib/archive/elements.h"
#include "lib/archive/pickled_tensors.h"
#include "lib/archive/read_codes.h"
#include "lib/meta/device_name.h"

namespace fakeprop {
namespace {

using Kind = PickleItem::Kind;

constexpr std::string_view kOwnClasses = "__torch__.";
constexpr std::string_view kCustomClasses = "__torch__.torch.classes.";
constexpr std::string_view kPickleFunctions = "torch.jit._pickle.";

// What torch.jit.save names in its pickles.
bool IsScriptGlobal(std::string_view global) {
  return global.starts_with(kOwnClasses) || global.starts_with(kPickleFunctions) || IsTensorGlobal(global);
}

Pickle ReadPickle(const ZipArchive& archive, const std::string& member) {
  const std::string bytes = ReadMember(archive, member);
  try {
    return Pickle::Read(bytes, IsScriptGlobal);
  } catch (const PickleError& error) {
    throw ArchiveError{
        kMalformedGraph, "`" + member + "` at byte " + std::to_string(error.byte) + ": " + error.message};
  }
}

std::optional<Value> NumberOrText(const PickleItem& item) {
  switch (item.kind) {
    case Kind::kNone: return Value();
    case Kind::kBool: return Value(item.integer != 0);
    case Kind::kInt: return Value(item.integer);
    case Kind::kFloat: return Value(item.real);
    case Kind::kString: return Value(item.text);
    default: return std::nullopt;
  }
}

}  // namespace

ScriptData::ScriptData(const ZipArchive& archive, std::string root)
    : archive_(archive),
      root_(std::move(root)),
      objects_(ReadPickle(archive, root_ + "data.pkl")),
      first_constant_(objects_.size()) {
  if (!ClassOf(module()).starts_with(kOwnClasses))
    throw ArchiveError{kMalformedGraph, "`" + root_ + "data.pkl` holds " + Describe(module()) + ", not a module"};
  if (!archive.Find(root_ + "constants.pkl")) return;
  const PickleItem& table = objects_[objects_.Append(ReadPickle(archive, root_ + "constants.pkl"))];
  if (table.kind != Kind::kTuple) throw ArchiveError{kMalformedGraph, "`" + root_ + "constants.pkl` holds no tuple"};
  constants_ = table.children;
}

std::string_view ScriptData::ClassOf(PickleIndex object) const {
  const std::string_view callee = objects_.CalleeOf(objects_[object]);
  return callee.starts_with(kOwnClasses) ? callee : std::string_view();
}

const std::vector<PickleIndex>* ScriptData::FieldsOf(PickleIndex object) const {
  const PickleItem& item = objects_[object];
  const bool has_fields =
      item.kind == Kind::kObject && item.state != kNoItem && objects_[item.state].kind == Kind::kDict;
  return has_fields ? &objects_[item.state].children : nullptr;
}

std::optional<PickleIndex> ScriptData::StateOf(PickleIndex object) const {
  const PickleItem& item = objects_[object];
  const bool has_state = item.kind == Kind::kObject && item.state != kNoItem && !FieldsOf(object);
  const std::string_view cls = ClassOf(object);
  if (!has_state || cls.empty() || cls.starts_with(kCustomClasses)) return std::nullopt;
  return item.state;
}

std::vector<std::string> ScriptData::ClassesWithState() const {
  std::set<std::string> classes;
  for (PickleIndex i = 0; i < first_constant_; ++i)
    if (StateOf(i)) classes.emplace(ClassOf(i));
  return {classes.begin(), classes.end()};
}

std::vector<std::pair<std::string_view, PickleIndex>> ScriptData::AttributesOf(PickleIndex object) const {
  std::vector<std::pair<std::string_view, PickleIndex>> attributes;
  const std::vector<PickleIndex>* fields = FieldsOf(object);
  for (size_t i = 0; fields && i + 1 < fields->size(); i += 2)
    attributes.emplace_back(objects_[(*fields)[i]].text, (*fields)[i + 1]);
  return attributes;
}

std::optional<PickleIndex> ScriptData::FindAttribute(PickleIndex object, std::string_view name) const {
  const std::vector<PickleIndex>* fields = FieldsOf(object);
  for (size_t i = 0; fields && i + 1 < fields->size(); i += 2)
    if (objects_[(*fields)[i]].text == name) return (*fields)[i + 1];
  return std::nullopt;
}

bool ScriptData::IsTensor(PickleIndex value) const { return ReadPickledTensor(objects_, value).has_value(); }

Attribute ScriptData::ReadTensor(PickleIndex value, std::string& storage) const {
  PickledTensor read = *ReadPickledTensor(objects_, value);
  storage = FolderOf(value) + read.storage;
  Attribute attribute;
  attribute.elements = ReadElements(read.tensor, archive_, storage);
  attribute.tensor = std::move(read.tensor);
  attribute.nbytes = read.nbytes;
  return attribute;
}

std::optional<Value> ScriptData::ReadTensorNumber(PickleIndex value) const {
  const auto read = ReadPickledTensor(objects_, value);
  return read ? ReadNumber(read->tensor, archive_, FolderOf(value) + read->storage) : std::nullopt;
}

// Calls such as build_intlist(list) and restore_type_tag(list, "List[int]").
PickleIndex ScriptData::Unwrap(PickleIndex value) const {
  const PickleItem& item = objects_[value];
  if (!objects_.CalleeOf(item).starts_with(kPickleFunctions) || item.arguments == kNoItem) return value;
  const PickleItem& arguments = objects_[item.arguments];
  return arguments.kind == Kind::kTuple && !arguments.children.empty() ? arguments.children[0] : value;
}

std::optional<Value> ScriptData::ReadPlain(PickleIndex value) const {
  const PickleItem& item = ItemOf(value);
  if (item.kind != Kind::kObject) return NumberOrText(item);
  const std::string_view callee = objects_.CalleeOf(item);
  if (item.arguments == kNoItem) return std::nullopt;
  // A value of an enum (Pickler::pushIValueImpl): the class is called with it alone, not with a tuple.
  if (callee.starts_with(kOwnClasses) && objects_[item.arguments].kind != Kind::kTuple) {
    const auto plain = NumberOrText(ItemOf(item.arguments));
    return plain ? std::optional<Value>(Opaque{std::string(callee), ToString(*plain)}) : std::nullopt;
  }
  if (objects_[item.arguments].children.empty()) return std::nullopt;
  const std::vector<PickleIndex>& arguments = objects_[item.arguments].children;
  if (callee == "torch.device") {
    if (const auto device = DeviceFromName(objects_[arguments[0]].text)) return Value(*device);
  }
  if (callee == "builtins.complex" && arguments.size() == 2)
    return Value(std::complex<double>(objects_[arguments[0]].real, objects_[arguments[1]].real));
  return std::nullopt;
}

std::string ScriptData::Describe(PickleIndex value) const {
  const std::string_view callee = objects_.CalleeOf(objects_[value]);
  if (callee.starts_with(kCustomClasses))
    return "a packed object of class " + std::string(callee.substr(kOwnClasses.size()));
  if (callee.find("sparse") != std::string_view::npos) return "a sparse tensor";
  if (callee.starts_with(kOwnClasses)) return "an object of class " + std::string(callee);
  return callee.empty() ? "a value of no known kind" : "what " + std::string(callee) + " makes";
}

}  // namespace fakeprop
