// LibTorch's kernels check less than graphs get wrong: some divide by an argument that is zero, read beyond a list, or
// never end, and take the process with them. So a scout goes ahead: a child process that does the same walk, unseen,
// from the first call of LibTorch on. What it does not survive is an error of the node; all else the walk then does
// without fear, since both do the same. One fork for a walk is enough, and one more for each call that ends a scout.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "lib/tail/tail.h"

namespace fakeprop {

// Stands before the tail for one walk; destroyed at its end, where a scout's process ends.
class ScoutedTail final : public Tail {
 public:
  explicit ScoutedTail(unsigned most_seconds = 10);  // for one call
  ~ScoutedTail() override;
  ScoutedTail(const ScoutedTail&) = delete;

  // The tail that all goes to; null has no scout before it.
  Tail* Before(Tail* tail);

  bool Knows(std::string_view full_name) override { return tail_->Knows(full_name); }
  std::vector<std::string> LoadLibrary(const std::string& path) override { return tail_->LoadLibrary(path); }
  // As the tail's; what would end the process is an error of class UnsupportedOperator.
  void Run(Call& call) override;
  void RunWithoutRule(Call& call) override;

 private:
  class InCall;
  static constexpr uint64_t kNone = UINT64_MAX;

  void Approach(const Call& call, uint64_t number);
  void SendScout(uint64_t number);
  void BecomeScout();
  void ReadReport(pid_t scout);

  const unsigned most_seconds_;
  Tail* tail_ = nullptr;
  volatile uint64_t* in_call_ = nullptr;  // shared: the number of the call that the scout is in, or kNone
  bool is_scout_ = false;
  uint64_t next_ = 0;       // calls so far
  uint64_t safe_ = 0;       // calls below this one have been survived
  uint64_t fatal_ = kNone;  // the call that ended the last scout,
  std::string ending_;      // and how
};

}  // namespace fakeprop
