#include <csignal>

#include "lib/base/file.h"
#include "tools/cli/signals.h"

namespace fakeprop::cli {
namespace {

// Windows calls it in a thread of its own.
void EndBySignal(int signal) {
  RemoveUnfinishedFile();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

}  // namespace

void SetUpSignals() {
  for (int signal : {SIGINT, SIGTERM}) std::signal(signal, EndBySignal);
}

void TakeInterruptsInAThread() { SetUpSignals(); }

}  // namespace fakeprop::cli
