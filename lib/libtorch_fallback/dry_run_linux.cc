#include "lib/libtorch_fallback/dry_run.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "lib/error/error.h"

namespace fakeprop {

// Tells the parent which call is under way, and ends one that takes too long.
class DryRunFallback::InCall {
 public:
  InCall(DryRunFallback& libtorch, uint64_t number) : libtorch_(libtorch) {
    if (!libtorch_.is_dry_run_) return;
    *libtorch_.in_call_ = number;
    alarm(libtorch_.most_seconds_);
  }
  ~InCall() {
    if (!libtorch_.is_dry_run_) return;
    alarm(0);
    *libtorch_.in_call_ = kNone;
  }

 private:
  DryRunFallback& libtorch_;
};

DryRunFallback::DryRunFallback(unsigned most_seconds) : most_seconds_(most_seconds) {}

DryRunFallback::~DryRunFallback() {
  if (is_dry_run_) _exit(0);  // without the destructors and buffers that are the parent's
  if (in_call_) munmap(const_cast<uint64_t*>(in_call_), sizeof *in_call_);
}

LibTorchFallback* DryRunFallback::Before(LibTorchFallback* libtorch) {
  libtorch_ = libtorch;
  return libtorch ? this : nullptr;
}

void DryRunFallback::Run(Call& call) {
  const uint64_t number = next_++;
  Approach(call, number);
  const InCall in_call(*this, number);
  libtorch_->Run(call);
}

void DryRunFallback::RunWithoutRule(Call& call) {
  const uint64_t number = next_++;
  Approach(call, number);
  const InCall in_call(*this, number);
  libtorch_->RunWithoutRule(call);
}

void DryRunFallback::Approach(const Call& call, uint64_t number) {
  if (is_dry_run_ || number < safe_) return;
  if (number != fatal_) StartDryRun(number);
  if (is_dry_run_ || number != fatal_) return;
  Fail(ErrorClass::kUnsupportedOperator,
      "LibTorch's kernel of " + std::string(call.schema().full_name) + " " + ending_ + " on these arguments");
}

// Where no process can be made, the interpreter goes on unprotected.
void DryRunFallback::StartDryRun(uint64_t number) {
  if (!in_call_) {
    void* page = mmap(nullptr, sizeof *in_call_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) return;
    in_call_ = static_cast<volatile uint64_t*>(page);
  }
  *in_call_ = kNone;
  fatal_ = kNone;
  safe_ = number;
  const pid_t parent = getpid(), child = fork();
  if (child < 0) return;
  if (child > 0) return ReadReport(child);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(0);
  BecomeDryRun();
}

// Unseen: nothing of what it would print, no core file, no handler of the parent's.
void DryRunFallback::BecomeDryRun() {
  is_dry_run_ = true;
  for (int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM}) signal(number, SIG_DFL);
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  const int nowhere = open("/dev/null", O_WRONLY);
  for (int fd : {STDOUT_FILENO, STDERR_FILENO}) dup2(nowhere, fd);
}

void DryRunFallback::ReadReport(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) break;
  const uint64_t call = *in_call_;
  // Where it did not end in a call, the rest is this process's own affair.
  safe_ = call;
  if (call == kNone) return;
  fatal_ = call;
  const int number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  ending_ = number == SIGALRM ? "takes more than " + std::to_string(most_seconds_) + " s"
            : number          ? "ends the process (" + std::string(strsignal(number)) + ")"
                              : "ends the process";
}

}  // namespace fakeprop
