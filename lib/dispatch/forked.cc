#include "lib/dispatch/forked.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>

namespace fakeprop::dispatch {
namespace {

constexpr unsigned kSeconds = 10;
constexpr rlim_t kMostBytes = rlim_t{2} << 30;

// A kernel that gets a large number must not use up the machine's memory.
void LimitMemory() {
  std::ifstream sizes("/proc/self/statm");
  rlim_t pages = 0;
  if (!(sizes >> pages)) return;
  const rlim_t most = pages * sysconf(_SC_PAGESIZE) + kMostBytes;
  const rlimit memory{most, most};
  setrlimit(RLIMIT_AS, &memory);
}

// A crash is an expected answer here. So there is no handler of the parent, no core file and no output.
void PrepareChild() {
  for (int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM}) signal(number, SIG_DFL);
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  LimitMemory();
  close(STDERR_FILENO);
  alarm(kSeconds);
}

void WriteAll(int fd, const std::string& bytes) {
  for (size_t done = 0; done < bytes.size();) {
    const ssize_t n = write(fd, bytes.data() + done, bytes.size() - done);
    if (n < 0 && errno != EINTR) return;
    if (n > 0) done += n;
  }
}

std::string ReadAll(int fd) {
  std::string bytes;
  char buffer[4096];
  for (;;) {
    const ssize_t n = read(fd, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return bytes;
    bytes.append(buffer, n);
  }
}

// An exception must not reach the frames of the parent, so it ends the child.
[[noreturn]] void WorkInChild(const std::function<std::string()>& work, int pipe) noexcept {
  PrepareChild();
  WriteAll(pipe, work());
  _exit(0);  // skips destructors and buffers, which belong to the parent
}

bool EndedWell(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return false;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

std::optional<std::string> RunForked(const std::function<std::string()>& work) {
  int ends[2];
  if (pipe(ends) != 0) return std::nullopt;
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    WorkInChild(work, ends[1]);
  }
  close(ends[1]);
  std::string bytes = child > 0 ? ReadAll(ends[0]) : std::string();
  close(ends[0]);
  if (child < 0 || !EndedWell(child)) return std::nullopt;
  return bytes;
}

}  // namespace fakeprop::dispatch
