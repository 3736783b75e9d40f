// A line on stderr with the progress of a long run.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include "tools/cli/console.h"

namespace fakeprop::cli {

class Progress {
 public:
  // `what` is counted: "propagating: node".
  Progress(When when, Verbosity verbosity, const Console& console, std::string what = "propagating: node");

  bool enabled() const { return enabled_; }
  void Show(size_t done, size_t total);
  // Removes the line.
  void Clear();

 private:
  using Clock = std::chrono::steady_clock;

  const Console& console_;
  const std::string what_;
  bool enabled_ = false;
  Clock::time_point next_;
  size_t next_tenth_ = 0;
  bool shown_ = false;
};

}  // namespace fakeprop::cli
