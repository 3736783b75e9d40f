#include "tools/cli/signals.h"

#include <pthread.h>

#include <csignal>

#include "tools/cli/end_by_signal.h"

namespace fakeprop::cli {
namespace {

sigset_t Interrupt() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  return set;
}

void* WaitForInterrupt(void*) {
  const sigset_t interrupt = Interrupt();
  int signal = 0;
  while (sigwait(&interrupt, &signal) != 0) {}
  pthread_sigmask(SIG_UNBLOCK, &interrupt, nullptr);
  EndBySignal(signal);
  return nullptr;
}

}  // namespace

void SetUpSignals() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  for (int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT})
    if (std::signal(signal, EndBySignal) == SIG_IGN) std::signal(signal, SIG_IGN);  // as under nohup
}

void TakeInterruptsInAThread() {
  struct sigaction now = {};
  sigaction(SIGINT, nullptr, &now);
  if (now.sa_handler != EndBySignal) return;  // ignored, or not a program of ours
  const sigset_t interrupt = Interrupt();
  sigset_t before;
  pthread_sigmask(SIG_BLOCK, &interrupt, &before);  // threads that are made later have it blocked too
  if (sigismember(&before, SIGINT)) return;         // there is a thread
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstacksize(&attributes, size_t{64} << 10);
  pthread_t thread;
  if (pthread_create(&thread, &attributes, WaitForInterrupt, nullptr) != 0)
    pthread_sigmask(SIG_UNBLOCK, &interrupt, nullptr);
  pthread_attr_destroy(&attributes);
}

}  // namespace fakeprop::cli
