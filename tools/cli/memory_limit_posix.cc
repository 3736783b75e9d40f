#include <sys/resource.h>

#include <algorithm>

#include "tools/cli/memory_limit.h"

namespace fakeprop::cli {

void LimitMemory(uint64_t bytes) {
  rlimit limit = {};
  if (getrlimit(RLIMIT_DATA, &limit) != 0) return;
  limit.rlim_cur = std::min<rlim_t>(bytes, limit.rlim_max);
  setrlimit(RLIMIT_DATA, &limit);
}

void LiftMemoryLimit() { LimitMemory(RLIM_INFINITY); }

}  // namespace fakeprop::cli
