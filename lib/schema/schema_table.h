// Every operator schema of the supported versions of LibTorch. They are built in.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "lib/base/version.h"
#include "lib/schema/schema.h"

namespace fakeprop {

struct SchemaEntry {
  std::string_view full_name;  // "aten::add.Tensor"
  std::string_view text;
  uint32_t flags;
  TorchRange versions = {};  // those that have the operator
};

// All operators that are built in, sorted by full_name, each as in the newest version that has it.
std::span<const SchemaEntry> AllSchemas();
// Operators as older versions had them, where those differ.
std::vector<SchemaEntry> FormerSchemas();

// Adds the schema of a custom operator for the life of the process. Adding the same schema again returns the same
// pointer. Returns null if the operator has another schema already. Throws SchemaError. Thread-safe, but graphs that
// name the operator must be read later.
const Schema* AddSchema(std::string text, uint32_t flags);
// The schemas that were added, sorted by full_name.
std::vector<SchemaEntry> AddedSchemas();

size_t AddedSchemaCount();

// The parsed schema of an operator, or null. It is parsed when it is first asked for. The pointer stays valid.
// Thread-safe. It is that of the newest version, and knows the names that arguments had in older versions. An argument
// that an older version lacks has a default. The order of arguments in LibTorch can therefore be another one.
const Schema* FindSchema(std::string_view full_name);

// The entries of one operator name ("aten::add"), all overloads.
std::vector<SchemaEntry> Overloads(std::string_view name);

// "torch.ops.aten.add.Tensor" -> "aten::add.Tensor"; "torch.ops.aten.relu.default" -> "aten::relu"; empty if the target
// is not of this form.
std::string OperatorName(std::string_view target);
// The inverse of OperatorName.
std::string TargetName(std::string_view full_name);

}  // namespace fakeprop
