// Whether memory is left before code runs that cannot say that there is none.
#pragma once

#include <cstddef>

namespace fakeprop {

// Throws std::bad_alloc where this process may not have so many more bytes (`--max-memory` limits them).
void NeedRoom(size_t bytes);

}  // namespace fakeprop
