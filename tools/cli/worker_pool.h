// Does jobs in several processes. Processes and not threads: what ends or spoils one of them leaves the others alone.
// On Windows, which cannot copy a process, this process does one job after the other.
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace fakeprop::cli {

struct WorkerPool {
  size_t jobs = 0;     // the number of jobs
  size_t workers = 1;  // the number of processes
  // Does a job, in a process of its own that others share. Returns its result as bytes. Must not throw.
  std::function<std::string(size_t job)> work;
  // Takes the result of each job, in the order of the jobs, in this process. If the worker ended before it gave the
  // result, there is none, and `end` says how it ended: "signal 11".
  std::function<void(size_t job, std::optional<std::string> result, const std::string& end)> take;

  // Returns when all results are taken. Each worker takes the next job when it is done with one.
  void Run() const;
};

}  // namespace fakeprop::cli
