#include "tools/cli/process_setup.h"

#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>
#include <sys/resource.h>

#include <algorithm>

#include "lib/diag/code_table.h"

namespace fakeprop::cli {
namespace {

// A limit exactly, in the largest unit that holds it: "150 MiB", "1000 B".
std::string LimitText(uint64_t bytes) {
  constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  int unit = 0;
  for (; bytes >= 1024 && bytes % 1024 == 0 && unit < 4; ++unit) bytes /= 1024;
  return std::to_string(bytes) + " " + kUnits[unit];
}

}  // namespace

void SetUpLog(const CommandLineOptions& options, const Console& console) {
  auto logger =
      std::make_shared<spdlog::logger>("fakeprop", std::make_shared<spdlog::sinks::ostream_sink_st>(console.err));
  logger->set_pattern("fakeprop: %v");
  logger->set_level(options.verbosity == Verbosity::kDebug     ? spdlog::level::debug
                    : options.verbosity == Verbosity::kVerbose ? spdlog::level::info
                                                               : spdlog::level::warn);
  spdlog::set_default_logger(logger);
}

void LimitMemory(uint64_t bytes) {
  rlimit limit = {};
  if (getrlimit(RLIMIT_DATA, &limit) != 0) return;
  limit.rlim_cur = std::min<rlim_t>(bytes, limit.rlim_max);
  setrlimit(RLIMIT_DATA, &limit);
}

void LiftMemoryLimit() { LimitMemory(RLIM_INFINITY); }

Diagnostic OutOfMemory(const CommandLineOptions& options) {
  return {.code = kOutOfMemory,
      .message = "this needs more than " + LimitText(options.max_memory) + " of memory",
      .notes = {"`--max-memory` allows more"}};
}

Diagnostic BugInFakeprop(const std::string& what) {
  return {.code = CodeOf(ErrorClass::kInternal), .message = "a bug in fakeprop: " + what};
}

}  // namespace fakeprop::cli
