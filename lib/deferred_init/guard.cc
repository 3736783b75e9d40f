// The scope in which a thread records.
#include <c10/core/impl/LocalDispatchKeySet.h>

#include "fakeprop/deferred_init.h"
#include "lib/deferred_init/random_stream.h"
#include "lib/deferred_init/recorder.h"

namespace fakeprop {
namespace {

constexpr auto kKey = c10::DispatchKey::DeferredInit;

// The mode that is on, else one for all recordings, so that tensors of two recordings can meet.
FakeTensorMode ModeForRecording() {
  if (auto current = FakeTensorMode::Current()) return *current;
  static const auto* const mode = new FakeTensorMode;
  return *mode;
}

bool SwitchKey(bool on) {
  const bool was_on = c10::impl::tls_is_dispatch_key_included(kKey);
  c10::impl::tls_set_dispatch_key_included(kKey, on);
  return was_on;
}

}  // namespace

DeferredInitGuard::DeferredInitGuard(const DeferredInitOptions& options)
    : fakes_(ModeForRecording()),
      was_on_((deferred_init::Prepare(), SwitchKey(true))),
      outer_(deferred_init::SetNeedsData(options.needs_data)) {}

DeferredInitGuard::~DeferredInitGuard() {
  deferred_init::SetNeedsData(outer_);
  SwitchKey(was_on_);
  if (was_on_) return;
  deferred_init::SettleGenerators();
  deferred_init::ForgetStreams();
}

}  // namespace fakeprop
