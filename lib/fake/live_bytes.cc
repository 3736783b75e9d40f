#include "fakeprop/live_bytes.h"

#include "lib/dispatch/fake_tensor.h"
#include "lib/fake/mode_state.h"

namespace fakeprop {

using dispatch::WithIndex;
using fake::StateOf;

int64_t LiveBytes(const FakeTensorMode& mode, c10::Device device) {
  return StateOf(mode)->BytesOn(WithIndex(device)).live;
}
int64_t PeakBytes(const FakeTensorMode& mode, c10::Device device) {
  return StateOf(mode)->BytesOn(WithIndex(device)).peak;
}
void ResetPeakBytes(const FakeTensorMode& mode, c10::Device device) { StateOf(mode)->ResetPeak(WithIndex(device)); }

}  // namespace fakeprop
