// Every operator schema of the LibTorch that fakeprop is built against, embedded at build time.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "lib/schema/schema.h"

namespace fakeprop {

struct SchemaEntry {
  std::string_view full_name;  // "aten::add.Tensor"
  std::string_view text;
  uint32_t flags;
};

// All entries that are built in, sorted by full_name.
std::span<const SchemaEntry> AllSchemas();

// Takes a custom operator's schema in, for the life of the process; the same one again is the same. Null where an
// operator of that name is known by another schema. Throws SchemaError. Thread-safe, but graphs that name the operator
// are to be read later.
const Schema* AddSchema(std::string text, uint32_t flags);
// Those that were taken in, sorted by full_name.
std::vector<SchemaEntry> AddedSchemas();

size_t AddedSchemaCount();

// The parsed schema of an operator, or null. Parsed when first asked for; the pointer stays valid. Thread-safe.
const Schema* FindSchema(std::string_view full_name);

// The entries of one operator name ("aten::add"), all overloads.
std::vector<SchemaEntry> Overloads(std::string_view name);

// "torch.ops.aten.add.Tensor" -> "aten::add.Tensor"; "torch.ops.aten.relu.default" -> "aten::relu"; empty where the
// spelling is another's.
std::string OperatorName(std::string_view target);
// The other way round.
std::string TargetName(std::string_view full_name);

}  // namespace fakeprop
