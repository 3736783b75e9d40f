#include "tools/cli/progress.h"

#include <filesystem>
#include <string>

#include "lib/base/byte_count.h"
#include "lib/base/utf8.h"
#include "lib/json/json_writer.h"

namespace fakeprop::cli {
namespace {

using std::chrono::milliseconds;

// Most runs are over before a line could be read.
constexpr milliseconds kDelay{500}, kInterval{100};
// Before, the rest of the time is a guess.
constexpr double kSecondsBeforeGuess = 2;

// Smaller files are read before a line could be.
constexpr uintmax_t kLargeFile = uintmax_t{16} << 20;

struct ReadingStyle {
  When when = When::kNever;
  Verbosity verbosity = Verbosity::kNormal;
  const Console* console = nullptr;
};
ReadingStyle reading_style;

bool IsShownAtOnce(When when) { return when == When::kAlways || when == When::kJson; }

}  // namespace

Progress::Progress(When when, Verbosity verbosity, const Console& console, std::string stage, std::string item)
    : console_(console),
      stage_(std::move(stage)),
      item_(std::move(item)),
      as_json_(when == When::kJson),
      start_(Clock::now()),
      next_(start_ + (IsShownAtOnce(when) ? milliseconds(0) : kDelay)) {
  enabled_ = IsShownAtOnce(when) || (when == When::kAuto && console.err_is_terminal && verbosity != Verbosity::kQuiet);
}

void Progress::Show(size_t done, size_t total) {
  if (!enabled_ || total == 0) return;
  if (as_json_) {
    if (Clock::now() < next_ && done < total) return;
    next_ = Clock::now() + kInterval;
    console_.err << Json(done, total) << '\n' << std::flush;
  } else if (console_.err_is_terminal) {
    if (Clock::now() < next_) return;
    next_ = Clock::now() + kInterval;
    console_.err << '\r' << Text(done, total) << "\x1b[K" << std::flush;
    shown_ = true;
  } else if (done * 10 / total >= next_tenth_) {
    // Into a file or pipe: a line each tenth of the way.
    next_tenth_ = done * 10 / total + 1;
    console_.err << Text(done, total) << '\n' << std::flush;
  }
}

void Progress::Clear() {
  if (shown_) console_.err << "\r\x1b[K" << std::flush;
  shown_ = false;
}

std::optional<double> Progress::SecondsLeft(size_t done, size_t total) const {
  const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
  if (done == 0 || seconds < kSecondsBeforeGuess) return std::nullopt;
  return seconds / static_cast<double>(done) * static_cast<double>(total - done);
}

std::string Progress::Text(size_t done, size_t total) const {
  const std::string text = stage_ + ": " + item_ + " " + std::to_string(done) + " of " + std::to_string(total);
  const std::optional<double> left = SecondsLeft(done, total);
  return left ? text + ", about " + std::to_string(static_cast<int>(*left + 1)) + " s left" : text;
}

std::string Progress::Json(size_t done, size_t total) const {
  JsonWriter json;
  json.BeginObject();
  json.Key("stage").String(stage_);
  json.Key("done").Int(static_cast<int64_t>(done));
  json.Key("total").Int(static_cast<int64_t>(total));
  if (const std::optional<double> left = SecondsLeft(done, total)) json.Key("seconds_left").Float(*left);
  json.EndObject();
  return json.Take();
}

void ReadingProgress::SetUp(When when, Verbosity verbosity, const Console& console) {
  reading_style = {when, verbosity, &console};
}

ReadingProgress::ReadingProgress(const std::string& path) : path_(path) {
  const auto [when, verbosity, console] = reading_style;
  std::error_code no_file;  // standard input, or a file that is not there: the reader says so
  const uintmax_t bytes = std::filesystem::file_size(path, no_file);
  if (no_file || !console || when == When::kNever) return;
  bytes_ = bytes;
  const bool is_worth_it = console->err_is_terminal && verbosity != Verbosity::kQuiet && bytes >= kLargeFile;
  is_shown_ = IsShownAtOnce(when) || is_worth_it;
  if (!is_shown_) return;
  const std::string text = "reading " + Printable(path) + ": " + BytesText(static_cast<int64_t>(bytes));
  if (when == When::kJson) WriteJson(0);
  else console->err << (console->err_is_terminal ? "\r" + text + "\x1b[K" : text + "\n") << std::flush;
}

ReadingProgress::~ReadingProgress() {
  if (!is_shown_) return;
  const Console& console = *reading_style.console;
  if (reading_style.when == When::kJson) WriteJson(bytes_);
  else if (console.err_is_terminal) console.err << "\r\x1b[K" << std::flush;
}

void ReadingProgress::WriteJson(uintmax_t done) const {
  JsonWriter json;
  json.BeginObject();
  json.Key("stage").String("reading");
  json.Key("file").String(path_);
  json.Key("done").Int(static_cast<int64_t>(done));
  json.Key("total").Int(static_cast<int64_t>(bytes_));
  json.EndObject();
  reading_style.console->err << json.Take() << '\n' << std::flush;
}

}  // namespace fakeprop::cli
