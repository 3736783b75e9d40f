#include "tools/cli/process_setup.h"

#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <new>

#include "lib/base/byte_count.h"
#include "lib/diag/bug_in_fakeprop.h"
#include "lib/diag/code_table.h"

namespace fakeprop::cli {

void SetUpLog(const CommandLineOptions& options, const Console& console) {
  auto logger =
      std::make_shared<spdlog::logger>("fakeprop", std::make_shared<spdlog::sinks::ostream_sink_st>(console.err));
  logger->set_pattern("fakeprop: %v");
  logger->set_level(options.verbosity == Verbosity::kDebug     ? spdlog::level::debug
                    : options.verbosity == Verbosity::kVerbose ? spdlog::level::info
                                                               : spdlog::level::warn);
  spdlog::set_default_logger(logger);
}

Diagnostic DiagnosticOf(const std::exception& e, const CommandLineOptions& options) {
  if (!dynamic_cast<const std::bad_alloc*>(&e)) return BugInFakeprop(e.what());
  return {.code = kOutOfMemory,
      .message = "this needs more than " + ExactBytesText(options.max_memory) + " of memory",
      .notes = {"`--max-memory` allows more"}};
}

}  // namespace fakeprop::cli
