#include <windows.h>

#include <cstddef>

#include "tools/cli/memory_limit.h"

namespace fakeprop::cli {
namespace {

// Where the process already belongs to a job that allows no other, it is null, and nothing is limited.
HANDLE JobOfThisProcess() {
  static const HANDLE job = [] {
    const HANDLE made = CreateJobObjectA(nullptr, nullptr);
    return made && AssignProcessToJobObject(made, GetCurrentProcess()) ? made : nullptr;
  }();
  return job;
}

void SetLimit(DWORD flags, uint64_t bytes) {
  JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits = {};
  limits.BasicLimitInformation.LimitFlags = flags;
  limits.ProcessMemoryLimit = static_cast<SIZE_T>(bytes);
  if (const HANDLE job = JobOfThisProcess())
    SetInformationJobObject(job, JobObjectExtendedLimitInformation, &limits, sizeof limits);
}

}  // namespace

void LimitMemory(uint64_t bytes) { SetLimit(JOB_OBJECT_LIMIT_PROCESS_MEMORY, bytes); }

void LiftMemoryLimit() { SetLimit(0, 0); }

}  // namespace fakeprop::cli
