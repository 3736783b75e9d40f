// The progress of a long run, on stderr: a line for people, or lines of JSON for programs.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "tools/cli/console.h"

namespace fakeprop::cli {

class Progress {
 public:
  // `stage` is what is done, and `item` with what: "propagating: node 3 of 14".
  Progress(When when, Verbosity verbosity, const Console& console, std::string stage = "propagating",
      std::string item = "node");

  bool enabled() const { return enabled_; }
  void Show(size_t done, size_t total);
  // Removes the line.
  void Clear();

 private:
  using Clock = std::chrono::steady_clock;

  // Nothing until enough is done to tell.
  std::optional<double> SecondsLeft(size_t done, size_t total) const;
  std::string Text(size_t done, size_t total) const;
  std::string Json(size_t done, size_t total) const;

  const Console& console_;
  const std::string stage_, item_;
  const bool as_json_;
  const Clock::time_point start_;
  bool enabled_ = false;
  Clock::time_point next_;
  size_t next_tenth_ = 0;
  bool shown_ = false;
};

// Says that a file is being read: JSON and files in a pipe at once, a terminal only for large files. The line goes when
// this does.
class ReadingProgress {
 public:
  // How readings show from here on; before the first call they show nothing. `console` must outlive them.
  static void SetUp(When when, Verbosity verbosity, const Console& console);

  explicit ReadingProgress(const std::string& path);
  ~ReadingProgress();
  ReadingProgress(const ReadingProgress&) = delete;
  ReadingProgress& operator=(const ReadingProgress&) = delete;

 private:
  void WriteJson(uintmax_t done) const;

  const std::string path_;
  uintmax_t bytes_ = 0;
  bool is_shown_ = false;
};

}  // namespace fakeprop::cli
