#include <algorithm>
#include <thread>

#include "tools/cli/this_process.h"

namespace fakeprop::cli {

size_t UsableCores() { return std::max(1u, std::thread::hardware_concurrency()); }

void EndWithParent() {}

}  // namespace fakeprop::cli
