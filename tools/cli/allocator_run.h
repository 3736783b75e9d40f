// `fakeprop memory --allocator cuda`: what CUDA's caching allocator takes from the device.
#pragma once

#include <string>
#include <vector>

#include "lib/json/json_writer.h"
#include "lib/memory/caching_allocator.h"
#include "lib/memory/memory_profile.h"
#include "tools/cli/memory_options.h"

namespace fakeprop::cli {

// The need of each device of cuda; of all devices if the graph has none of these, as if it ran there.
struct AllocatorRun {
  std::vector<AllocatorPeak> devices;
  std::vector<int64_t> workspaces;  // of each device
  int64_t context = 0;              // the same

  // The greatest need of a device: segments and context.
  int64_t Need() const;
};

AllocatorRun RunAllocator(const MemoryProfile& profile, const SymbolValues& point, const MemoryOptions& memory);

std::string AllocatorText(const AllocatorRun& run, const Timeline& timeline);
void WriteAllocator(const AllocatorRun& run, const Timeline& timeline, JsonWriter& json);

}  // namespace fakeprop::cli
