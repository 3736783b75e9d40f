#include <csignal>

#include "tools/cli/end_by_signal.h"
#include "tools/cli/signals.h"

namespace fakeprop::cli {

void SetUpSignals() {
  for (int signal : {SIGINT, SIGTERM}) std::signal(signal, EndBySignal);
}

void TakeInterruptsInAThread() { SetUpSignals(); }

}  // namespace fakeprop::cli
