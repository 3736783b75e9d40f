#pragma once

#include <cstddef>

namespace fakeprop::cli {

// The number of cores that this process may use.
size_t UsableCores();

// From now on this process, a child, ends when its parent ends. Linux alone has that; elsewhere it goes on until it
// finds nobody to write to.
void EndWithParent();

}  // namespace fakeprop::cli
