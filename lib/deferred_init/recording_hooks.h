// Methods of Tensor that bypass the dispatcher: `x.set_data(y)`, `x.variable_data()`, `x.tensor_data()`.
#pragma once

namespace fakeprop::deferred_init {

// Puts hooks in front of autograd's own. They record in threads that record, and do nothing in others. They stay until
// the process ends, because other threads may be in them.
void InstallRecordingHooks();

}  // namespace fakeprop::deferred_init
