#include <sched.h>
#include <sys/prctl.h>

#include <algorithm>
#include <csignal>
#include <thread>

#include "tools/cli/this_process.h"

namespace fakeprop::cli {

size_t UsableCores() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
  return std::max(1u, std::thread::hardware_concurrency());
}

void EndWithParent() { prctl(PR_SET_PDEATHSIG, SIGKILL); }

}  // namespace fakeprop::cli
