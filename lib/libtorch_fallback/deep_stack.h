// Work that calls itself deeper than a thread's usual stack bears.
#pragma once

#include <functional>

namespace fakeprop {

// Runs `work` in a thread of its own and waits for its end. What it throws ends the process. Throws std::bad_alloc
// where no memory is left for the stack, OpError where no such thread can be had.
void RunOnDeepStack(const std::function<void()>& work);

}  // namespace fakeprop
