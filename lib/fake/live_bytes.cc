#include "lib/fake/live_bytes.h"

#include "lib/fake/mode_state.h"

namespace fakeprop {
namespace {

c10::Device WithIndex(c10::Device device) {
  if (!device.has_index() && !device.is_cpu() && !device.is_meta()) device.set_index(0);
  return device;
}

}  // namespace

int64_t LiveBytes(const FakeTensorMode& mode, c10::Device device) {
  return mode.state()->BytesOn(WithIndex(device)).live;
}
int64_t PeakBytes(const FakeTensorMode& mode, c10::Device device) {
  return mode.state()->BytesOn(WithIndex(device)).peak;
}
void ResetPeakBytes(const FakeTensorMode& mode, c10::Device device) { mode.state()->ResetPeak(WithIndex(device)); }

}  // namespace fakeprop
