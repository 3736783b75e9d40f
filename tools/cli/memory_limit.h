#pragma once

#include <cstdint>

namespace fakeprop::cli {

// From now on, an allocation beyond this limit fails with std::bad_alloc, so that a bad file cannot exhaust the
// machine. The limit counts the process's own memory, including what it holds already.
void LimitMemory(uint64_t bytes);
void LiftMemoryLimit();

}  // namespace fakeprop::cli
