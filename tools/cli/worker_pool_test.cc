#include "tools/cli/worker_pool.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <set>
#include <stdexcept>
#include <vector>

namespace fakeprop::cli {
namespace {

struct Taken {
  std::vector<std::string> results;  // in the order in which they came
};

Taken RunPool(size_t jobs, size_t workers, const std::function<std::string(size_t)>& work) {
  Taken taken;
  WorkerPool{jobs, workers, work,
      [&](size_t job, std::optional<std::string> result, const std::string& end) {
        EXPECT_EQ(job, taken.results.size());
        taken.results.push_back(result.value_or(end));
      }}
      .Run();
  return taken;
}

TEST(WorkerPool, ResultsComeInOrder) {
  const Taken taken = RunPool(100, 4, [](size_t job) {
    usleep(job % 7 * 1000);
    return std::to_string(job * job);
  });
  ASSERT_EQ(taken.results.size(), 100u);
  for (size_t i = 0; i < 100; ++i) EXPECT_EQ(taken.results[i], std::to_string(i * i));
}

TEST(WorkerPool, AResultMayBeLargeOrEmpty) {
  const Taken taken = RunPool(3, 2, [](size_t job) { return std::string(job * 1'000'000, 'x'); });
  EXPECT_EQ(taken.results[0], "");
  EXPECT_EQ(taken.results[2], std::string(2'000'000, 'x'));
}

TEST(WorkerPool, AWorkerThatEndsLosesOneJob) {
  const Taken taken = RunPool(20, 2, [](size_t job) {
    if (job == 5) raise(SIGKILL);
    if (job == 6) _exit(3);
    return std::string("done");
  });
  ASSERT_EQ(taken.results.size(), 20u);
  EXPECT_EQ(taken.results[5], "signal 9");
  EXPECT_EQ(taken.results[6], "status 3");
  EXPECT_EQ(std::count(taken.results.begin(), taken.results.end(), "done"), 18);
}

TEST(WorkerPool, AJobThatThrowsEndsItsWorkerAlone) {
  const pid_t parent = getpid();
  const Taken taken = RunPool(3, 1, [](size_t job) {
    if (job == 1) throw std::runtime_error("thrown by a job");
    return std::string("done");
  });
  if (getpid() != parent) _exit(1);  // a worker that came back here
  EXPECT_EQ(taken.results, (std::vector<std::string>{"done", "signal 6", "done"}));
}

TEST(WorkerPool, WorksInSeveralProcesses) {
  const Taken taken = RunPool(4, 2, [](size_t) {
    usleep(20'000);
    return std::to_string(getpid());
  });
  EXPECT_EQ(std::set<std::string>(taken.results.begin(), taken.results.end()).size(), 2u);
}

TEST(WorkerPool, NoJobs) {
  EXPECT_TRUE(RunPool(0, 2, [](size_t) { return std::string(); }).results.empty());
}

}  // namespace
}  // namespace fakeprop::cli
