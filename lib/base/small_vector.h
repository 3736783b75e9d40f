// A vector that keeps its first elements in itself.
#pragma once

#include <absl/container/inlined_vector.h>

namespace fakeprop {

template <typename T, size_t kInline>
using SmallVector = absl::InlinedVector<T, kInline>;

}  // namespace fakeprop
