// Puts the current mode into the thread state that LibTorch copies to autograd's threads.
#pragma once

#include <c10/util/ThreadLocalDebugInfo.h>

#include <memory>
#include <string_view>

#include "lib/fake/mode_state.h"

namespace fakeprop::fake {

inline constexpr std::string_view kModeInfoName = "fakeprop::FakeTensorMode";
inline constexpr c10::DebugInfoKind kModeInfo(&kModeInfoName);

struct ModeInfo final : c10::DebugInfoBase {
  explicit ModeInfo(std::shared_ptr<ModeState> m) : mode(std::move(m)) {}
  const std::shared_ptr<ModeState> mode;  // null while no mode is on
};

}  // namespace fakeprop::fake
