#include "tools/cli/worker_pool.h"

namespace fakeprop::cli {

void WorkerPool::Run() const {
  for (size_t job = 0; job < jobs; ++job) take(job, work(job), "");
}

}  // namespace fakeprop::cli
