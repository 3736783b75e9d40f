// Puts the current mode into the thread state that LibTorch copies to autograd's threads.
#pragma once

#include <c10/util/ThreadLocalDebugInfo.h>

#include <atomic>
#include <memory>
#include <string_view>

#include "lib/fake/mode_state.h"

namespace fakeprop::fake {

inline constexpr std::string_view kModeInfoName = "fakeprop::FakeTensorMode";
inline constexpr c10::DebugInfoKind kModeInfo(&kModeInfoName);

struct ModeInfo final : c10::DebugInfoBase, std::enable_shared_from_this<ModeInfo> {
  ModeInfo(std::shared_ptr<ModeState> m, std::shared_ptr<ModeInfo> o) : mode(std::move(m)), outer(std::move(o)) {}
  const std::shared_ptr<ModeState> mode;  // null while no mode is on
  const std::shared_ptr<ModeInfo> outer;
  std::atomic<bool> has_ended = false;
};

// This thread's innermost one that has not ended, or null.
const ModeInfo* CurrentInfo();

}  // namespace fakeprop::fake
