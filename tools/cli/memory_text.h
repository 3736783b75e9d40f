// What a run holds in memory, for people.
#pragma once

#include <string>
#include <vector>

#include "lib/diag/color.h"
#include "lib/memory/largest_size.h"
#include "lib/memory/memory_profile.h"
#include "tools/cli/memory_options.h"

namespace fakeprop::cli {

struct MemoryTextOptions {
  MemoryOptions memory;
  size_t width = 0;  // columns of the terminal, 0 for no limit
  Paint paint;
};

// The peak, what is alive there, its categories, and the curve if it is asked for.
std::string MemoryText(const MemoryProfile& profile, const SymbolValues& point, const MemoryTextOptions& options);

// The bytes after each step as a plot of so many columns and rows.
std::string PlotText(const std::vector<int64_t>& curve, size_t width, size_t height);

// A peak at given sizes; a row of --table. Nothing where a range or guard excludes the sizes.
struct PeakAtSizes {
  std::vector<int64_t> sizes;
  std::optional<MemoryPeak> peak;
};
std::string SizeTableText(const MemoryProfile& profile, const std::vector<SizeColumn>& columns,
    const std::vector<PeakAtSizes>& rows, const MemoryTextOptions& options);

// "batch = 37 is the largest that fits 24.0 GiB: ...".
std::string LargestText(const LargestSize& largest, const std::string& symbol, int64_t budget);

}  // namespace fakeprop::cli
