// Checks that memory is left, before running code that cannot report that there is none.
#pragma once

#include <cstddef>

namespace fakeprop {

// Throws std::bad_alloc if this process may not have this many more bytes (`--max-memory` is the limit).
void NeedRoom(size_t bytes);

}  // namespace fakeprop
