#include "fakeprop/live_bytes.h"

#include "lib/dispatch/fake_tensor.h"
#include "lib/fake/mode_state.h"

namespace fakeprop {

using dispatch::WithIndex;
using fake::StateOf;

int64_t LiveBytes(const FakeTensorMode& mode, c10::Device device) {
  return StateOf(mode)->bytes().Live(WithIndex(device));
}
int64_t PeakBytes(const FakeTensorMode& mode, c10::Device device) {
  return StateOf(mode)->bytes().Peak(WithIndex(device));
}
void ResetPeakBytes(const FakeTensorMode& mode, c10::Device device) {
  StateOf(mode)->bytes().ResetPeak(WithIndex(device));
}

}  // namespace fakeprop
