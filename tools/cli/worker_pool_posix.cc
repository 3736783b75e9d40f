#include "tools/cli/worker_pool.h"

#include <poll.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <map>
#include <system_error>
#include <vector>

#include "tools/cli/this_process.h"

namespace fakeprop::cli {
namespace {

// What a worker sends: that it begins a job, and later the job's result.
struct FrameHead {
  uint64_t job = 0;
  uint64_t size = 0;  // of the result that follows
  uint64_t is_result = 0;
};

// The number of the next job, in memory that all processes share.
class SharedCounter {
 public:
  SharedCounter() {
    void* place = mmap(nullptr, sizeof(Next), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (place == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "mmap");
    next_ = new (place) Next(0);
  }
  ~SharedCounter() { munmap(next_, sizeof(Next)); }
  SharedCounter(const SharedCounter&) = delete;
  SharedCounter& operator=(const SharedCounter&) = delete;

  size_t Take() { return next_->fetch_add(1); }

 private:
  using Next = std::atomic<uint64_t>;
  static_assert(Next::is_always_lock_free);
  Next* next_;
};

// Ends the worker if nobody reads.
void SendAll(int pipe, const void* bytes, size_t size) {
  const char* next = static_cast<const char*>(bytes);
  while (size > 0) {
    const ssize_t written = write(pipe, next, size);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) _exit(1);
    next += written;
    size -= written;
  }
}

// An exception must not reach the frames of the parent, so it ends the worker.
[[noreturn]] void WorkUntilDone(const WorkerPool& pool, SharedCounter& counter, int pipe) noexcept {
  EndWithParent();
  for (size_t job = counter.Take(); job < pool.jobs; job = counter.Take()) {
    FrameHead head{job, 0, 0};
    SendAll(pipe, &head, sizeof head);
    const std::string result = pool.work(job);
    head = {job, result.size(), 1};
    SendAll(pipe, &head, sizeof head);
    SendAll(pipe, result.data(), result.size());
  }
  _exit(0);
}

struct Worker {
  pid_t process = -1;
  std::string received;
  std::optional<size_t> job;  // the one that it is doing
};

std::string EndText(int status) {
  if (WIFSIGNALED(status)) return "signal " + std::to_string(WTERMSIG(status));
  return "status " + std::to_string(WEXITSTATUS(status));
}

class PoolRun {
 public:
  explicit PoolRun(const WorkerPool& pool) : pool_(pool) {}

  void Run() {
    for (size_t i = 0; i < std::min(pool_.workers, pool_.jobs); ++i) Start();
    while (!workers_.empty()) Wait();
    Deliver();
  }

 private:
  struct Outcome {
    std::optional<std::string> result;
    std::string end;
  };

  void Start() {
    int ends[2];
    if (pipe(ends) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
    const pid_t process = fork();
    if (process < 0) throw std::system_error(errno, std::generic_category(), "fork");
    if (process == 0) {
      for (const auto& [other, worker] : workers_) close(other);
      close(ends[0]);
      WorkUntilDone(pool_, counter_, ends[1]);
    }
    close(ends[1]);
    workers_[ends[0]].process = process;
  }

  void Wait() {
    std::vector<pollfd> pipes;
    for (const auto& [pipe, worker] : workers_) pipes.push_back({pipe, POLLIN, 0});
    if (poll(pipes.data(), pipes.size(), -1) < 0 && errno != EINTR)
      throw std::system_error(errno, std::generic_category(), "poll");
    for (const pollfd& pipe : pipes)
      if (pipe.revents) Receive(pipe.fd);
    Deliver();
  }

  void Receive(int pipe) {
    static char buffer[1 << 16];
    const ssize_t size = read(pipe, buffer, sizeof buffer);
    if (size < 0) return;
    if (size == 0) return Finish(pipe);
    Worker& worker = workers_.at(pipe);
    worker.received.append(buffer, size);
    while (TakeFrame(worker)) {}
  }

  bool TakeFrame(Worker& worker) {
    FrameHead head;
    if (worker.received.size() < sizeof head) return false;
    std::memcpy(&head, worker.received.data(), sizeof head);
    if (worker.received.size() - sizeof head < head.size) return false;
    if (head.is_result) {
      outcomes_[head.job] = {worker.received.substr(sizeof head, head.size), ""};
      worker.job.reset();
    } else {
      worker.job = head.job;
    }
    worker.received.erase(0, sizeof head + head.size);
    return true;
  }

  // A worker that ended in the middle of a job is replaced.
  void Finish(int pipe) {
    const Worker worker = workers_.at(pipe);
    workers_.erase(pipe);
    close(pipe);
    int status = 0;
    while (waitpid(worker.process, &status, 0) < 0 && errno == EINTR) {}
    if (!worker.job) return;
    outcomes_[*worker.job] = {std::nullopt, EndText(status)};
    Start();
  }

  void Deliver() {
    for (auto it = outcomes_.find(next_); it != outcomes_.end(); it = outcomes_.find(++next_)) {
      pool_.take(next_, std::move(it->second.result), it->second.end);
      outcomes_.erase(it);
    }
  }

  const WorkerPool& pool_;
  SharedCounter counter_;
  std::map<int, Worker> workers_;       // by the pipe that it writes to
  std::map<size_t, Outcome> outcomes_;  // that wait for those before them
  size_t next_ = 0;
};

}  // namespace

void WorkerPool::Run() const {
  if (jobs > 0) PoolRun(*this).Run();
}

}  // namespace fakeprop::cli
