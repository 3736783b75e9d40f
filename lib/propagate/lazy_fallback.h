// LibTorch's plug-in, opened when the first call needs it.
#pragma once

#include <functional>
#include <string>

#include "lib/tail/tail.h"

namespace fakeprop {

class LazyFallback {
 public:
  // Gives null and a reason where there is none. Called at most once.
  using Opener = std::function<Tail*(std::string& reason)>;

  explicit LazyFallback(const Opener& open) : open_(open) {}

  // Null where it cannot be opened.
  Tail* Open();
  // To serve an operator without a rule. Throws OpError where it cannot be opened.
  Tail& Need(const Schema& schema);

 private:
  const Opener& open_;
  bool is_opened_ = false;
  Tail* tail_ = nullptr;
  std::string reason_ = "no LibTorch plug-in was given";
};

}  // namespace fakeprop
