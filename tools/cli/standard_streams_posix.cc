#include <sys/ioctl.h>
#include <unistd.h>

#include "tools/cli/standard_streams.h"

namespace fakeprop::cli {

void SetUpStandardStreams() {}

size_t TerminalWidth() {
  winsize size = {};
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

}  // namespace fakeprop::cli
