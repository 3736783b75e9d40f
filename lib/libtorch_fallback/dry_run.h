// Protects the process from crashes in LibTorch's kernels. The kernels do not check everything that can be wrong in a
// graph: some divide by an argument that is zero, read beyond the end of a list, or never return. So from the first
// call of LibTorch on, a child process runs the graph first: the dry run. If a call ends the child, the node gets an
// error. All calls that the dry run survived then run directly, since both processes do the same. A run needs one fork,
// and one more for each call that ended a dry run.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "lib/libtorch_fallback/libtorch_fallback.h"

namespace fakeprop {

// Wraps the LibTorch fallback for one run, and is destroyed at its end. In a dry run, the process then ends.
class DryRunFallback final : public LibTorchFallback {
 public:
  explicit DryRunFallback(unsigned most_seconds = 10);  // the time limit of one call
  ~DryRunFallback() override;
  DryRunFallback(const DryRunFallback&) = delete;

  // The wrapped LibTorch fallback. Null has no dry run.
  LibTorchFallback* Before(LibTorchFallback* libtorch);

  bool Knows(std::string_view full_name) override { return libtorch_->Knows(full_name); }
  std::vector<std::string> LoadOperatorLibrary(const std::string& path) override {
    return libtorch_->LoadOperatorLibrary(path);
  }
  // As LibTorchFallback::Run, but a call that would end the process is an OpError of class UnsupportedOperator.
  void Run(Call& call) override;
  void RunWithoutRule(Call& call) override;
  // The kernels run in a child process of their own.
  std::string WordsOfEager(const Call& call) override { return is_dry_run_ ? "" : libtorch_->WordsOfEager(call); }

 private:
  class InCall;
  static constexpr uint64_t kNone = UINT64_MAX;

  void Approach(const Call& call, uint64_t number);
  void StartDryRun(uint64_t number);
  void BecomeDryRun();
  void ReadReport(pid_t child);

  const unsigned most_seconds_;
  LibTorchFallback* libtorch_ = nullptr;
  volatile uint64_t* in_call_ = nullptr;  // shared memory: the number of the dry run's current call, or kNone
  bool is_dry_run_ = false;
  uint64_t next_ = 0;       // number of calls so far
  uint64_t safe_ = 0;       // the dry run survived all calls below this one
  uint64_t fatal_ = kNone;  // the call that ended the last dry run
  std::string ending_;      // how that call ended it
};

}  // namespace fakeprop
