// LibTorch's plug-in, opened when the first call needs it.
#pragma once

#include <functional>
#include <string>

#include "lib/libtorch_fallback/libtorch_fallback.h"

namespace fakeprop {

class LazyFallback {
 public:
  // Returns null and a reason if there is no plug-in. Called at most once.
  using Opener = std::function<LibTorchFallback*(std::string& reason)>;

  explicit LazyFallback(const Opener& open) : open_(open) {}

  // Returns null if it cannot be opened.
  LibTorchFallback* Open();
  // Opens the plug-in to serve an operator without a rule. Throws OpError if it cannot be opened.
  LibTorchFallback& Need(const Schema& schema);

 private:
  const Opener& open_;
  bool is_opened_ = false;
  LibTorchFallback* libtorch_ = nullptr;
  std::string reason_ = "no LibTorch plug-in was given";
};

}  // namespace fakeprop
