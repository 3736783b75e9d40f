#pragma once

#include <csignal>

#include "lib/base/file.h"

namespace fakeprop::cli {

// Handles a signal that ends the program: without a partial file, and then as usual. Async-signal-safe. Windows calls
// it in a thread of its own.
inline void EndBySignal(int signal) {
  RemoveUnfinishedFile();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

}  // namespace fakeprop::cli
