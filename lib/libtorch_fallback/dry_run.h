// LibTorch's kernels check less than graphs get wrong: some divide by an argument that is zero, read beyond a list, or
// never end, and take the process with them. So a dry run goes ahead: a child process that does the same walk, unseen,
// from the first call of LibTorch on. What it does not survive is an error of the node; all else the interpreter then
// does without fear, since both do the same. One fork for a run is enough, and one more for each call that ends a dry
// run.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "lib/libtorch_fallback/libtorch_fallback.h"

namespace fakeprop {

// Stands before the LibTorch fallback for one run; destroyed at its end, where a dry run's process ends.
class DryRunFallback final : public LibTorchFallback {
 public:
  explicit DryRunFallback(unsigned most_seconds = 10);  // for one call
  ~DryRunFallback() override;
  DryRunFallback(const DryRunFallback&) = delete;

  // The LibTorch fallback that all goes to; null has no dry run before it.
  LibTorchFallback* Before(LibTorchFallback* libtorch);

  bool Knows(std::string_view full_name) override { return libtorch_->Knows(full_name); }
  std::vector<std::string> LoadLibrary(const std::string& path) override { return libtorch_->LoadLibrary(path); }
  // As the LibTorch fallback's; what would end the process is an error of class UnsupportedOperator.
  void Run(Call& call) override;
  void RunWithoutRule(Call& call) override;

 private:
  class InCall;
  static constexpr uint64_t kNone = UINT64_MAX;

  void Approach(const Call& call, uint64_t number);
  void StartDryRun(uint64_t number);
  void BecomeDryRun();
  void ReadReport(pid_t scout);

  const unsigned most_seconds_;
  LibTorchFallback* libtorch_ = nullptr;
  volatile uint64_t* in_call_ = nullptr;  // shared: the number of the call that the dry run is in, or kNone
  bool is_dry_run_ = false;
  uint64_t next_ = 0;       // calls so far
  uint64_t safe_ = 0;       // calls below this one have been survived
  uint64_t fatal_ = kNone;  // the call that ended the last scout,
  std::string ending_;      // and how
};

}  // namespace fakeprop
