// Data pointers of deferred tensors.
#pragma once

namespace fakeprop::deferred_init {

// From now on, whoever asks for a data pointer of a deferred tensor in a thread that records makes the tensor real, in
// place, or gets an error (NeedsData).
void WatchDataAccess();

}  // namespace fakeprop::deferred_init
