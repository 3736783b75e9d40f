#include "tools/cli/progress.h"

namespace fakeprop::cli {
namespace {

using std::chrono::milliseconds;

// Most runs are over before a line could be read.
constexpr milliseconds kDelay{500}, kInterval{100};

}  // namespace

Progress::Progress(When when, Verbosity verbosity, const Console& console, std::string what)
    : console_(console),
      what_(std::move(what)),
      next_(Clock::now() + (when == When::kAlways ? milliseconds(0) : kDelay)) {
  enabled_ =
      when == When::kAlways || (when == When::kAuto && console.err_is_terminal && verbosity != Verbosity::kQuiet);
}

void Progress::Show(size_t done, size_t total) {
  if (!enabled_ || total == 0) return;
  const std::string text = what_ + " " + std::to_string(done) + " of " + std::to_string(total);
  if (console_.err_is_terminal) {
    if (Clock::now() < next_) return;
    next_ = Clock::now() + kInterval;
    console_.err << '\r' << text << "\x1b[K" << std::flush;
    shown_ = true;
  } else if (done * 10 / total >= next_tenth_) {
    // Into a file or pipe: a line each tenth of the way.
    next_tenth_ = done * 10 / total + 1;
    console_.err << text << '\n' << std::flush;
  }
}

void Progress::Clear() {
  if (shown_) console_.err << "\r\x1b[K" << std::flush;
  shown_ = false;
}

}  // namespace fakeprop::cli
