// What a run holds in memory, as JSON (format fakeprop.memory/1; docs/memory.schema.json).
#pragma once

#include <optional>
#include <string>

#include "lib/json/json_writer.h"
#include "lib/memory/memory_profile.h"

namespace fakeprop {

// A number, or an expression as text.
void WriteDim(Dim dim, JsonWriter& json);

// Writes the members "peak", "devices", "categories" and "curve" of an open object. `point` has a value for each
// symbol; the peak's node is the one there.
void WriteMemoryMembers(const MemoryProfile& profile, const SymbolValues& point, JsonWriter& json);

// The bytes of each category that are alive after a step, in the order of the enum.
std::vector<int64_t> BytesByCategory(const MemoryProfile& profile, int32_t step, const SymbolValues& point);

// The blocks that are alive after a step with their bytes, the largest first.
struct AliveBlock {
  const MemoryBlock* block;
  int64_t bytes;
};
std::vector<AliveBlock> LargestAlive(
    const MemoryProfile& profile, int32_t step, const SymbolValues& point, std::optional<Device> device = std::nullopt);

// "mul", "gradient of mul".
std::string ValueName(const MemoryBlock& block);
// "gelu", "backward of gelu"; empty for step -1.
std::string StepName(const Timeline& timeline, int32_t step);
// "model.py:7", or an empty text.
std::string LineOf(const Node& node);

}  // namespace fakeprop
