// Work that calls itself deeper than a thread's usual stack bears.
#pragma once

#include <functional>

namespace fakeprop {

// Runs `work` in a thread of its own and waits for its end. What it throws ends the process. Throws OpError where no
// such thread can be had.
void RunOnDeepStack(const std::function<void()>& work);

}  // namespace fakeprop
