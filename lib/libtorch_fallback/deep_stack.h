// Runs deep recursions that need more stack than a thread usually has.
#pragma once

#include <functional>

namespace fakeprop {

// Runs `work` in a thread of its own and waits until it ends. An exception in `work` ends the process. Throws
// std::bad_alloc if no memory is left for the stack, and OpError if the thread cannot be made.
void RunOnDeepStack(const std::function<void()>& work);

}  // namespace fakeprop
