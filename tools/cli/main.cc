// The fakeprop program: sets up the process, then runs (run_program.h).

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <iostream>
#include <string_view>

#include "lib/base/file.h"
#include "lib/diag/code_table.h"
#include "tools/cli/fd_buffer.h"
#include "tools/cli/output.h"
#include "tools/cli/run_program.h"
#include "tools/cli/signals.h"
#include "tools/cli/standard_streams.h"

// In place of libstdc++'s own. That one prints the type of an exception that nothing caught, for which it needs a
// demangler of 45 kB. RunProgram catches and reports all of them.
namespace __gnu_cxx {
void __verbose_terminate_handler() { std::abort(); }  // NOLINT(bugprone-reserved-identifier)
}  // namespace __gnu_cxx

namespace {

bool IsSet(const char* variable) {
  const char* value = std::getenv(variable);
  return value && *value;
}

fakeprop::cli::Console MakeConsole(std::ostream& out) {
  fakeprop::cli::Console console{out, std::cerr};
  console.out_is_terminal = isatty(STDOUT_FILENO);
  console.err_is_terminal = isatty(STDERR_FILENO);
  const char* term = std::getenv("TERM");
  console.no_color = IsSet("NO_COLOR") || (term && std::string_view(term) == "dumb");
  console.width = fakeprop::cli::TerminalWidth();
  return console;
}

// Whether all that was printed got out. A reader that went away (`| head`) has what it wanted.
bool FinishStdout(fakeprop::cli::FdBuffer& buffer, const fakeprop::cli::Console& console) {
  buffer.pubsync();
  if (buffer.error() == 0 || buffer.error() == EPIPE) return true;
  console.Report({{.code = fakeprop::kUnwritableOutput,
                     .message = "cannot write to stdout: " + fakeprop::SystemErrorText(buffer.error())}},
      fakeprop::cli::When::kAuto);
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  fakeprop::cli::SetUpStandardStreams();
  fakeprop::cli::SetUpSignals();
  fakeprop::cli::FdBuffer buffer(STDOUT_FILENO);
  std::ostream out(&buffer);
  const fakeprop::cli::Console console = MakeConsole(out);
  const fakeprop::cli::ExitStatus status =
      fakeprop::cli::RunProgram(std::vector<std::string>(argv + 1, argv + argc), console);
  return static_cast<int>(FinishStdout(buffer, console) ? status : fakeprop::cli::ExitStatus::kTrouble);
}
