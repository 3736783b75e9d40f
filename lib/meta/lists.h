// Lists as values of a graph: of sizes, what slices take of them, and how long they may get.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <optional>

#include "lib/meta/value.h"

namespace fakeprop {

List IntListOf(DimSpan dims);
inline List IntListOf(std::initializer_list<Dim> dims) { return IntListOf(DimSpan(dims.begin(), dims.size())); }

// A tuple of ints, as torch.Size is.
List IntTupleOf(DimSpan dims);

// Python's range(start, stop, step).
struct PythonRange {
  int64_t start = 0, stop = 0, step = 1;  // the step is not 0

  constexpr uint64_t size() const {
    const auto from = static_cast<uint64_t>(start), to = static_cast<uint64_t>(stop), by = static_cast<uint64_t>(step);
    if (step > 0) return start < stop ? (to - from - 1) / by + 1 : 0;
    return start > stop ? (from - to - 1) / (0 - by) + 1 : 0;
  }
  // The number at `i`, which is less than the size.
  constexpr int64_t operator[](uint64_t i) const {
    return static_cast<int64_t>(static_cast<uint64_t>(start) + i * static_cast<uint64_t>(step));
  }
};

// The places that [start:stop:step] takes of a sequence of this length. A negative step goes from its end to its start.
constexpr PythonRange PlacesOfSlice(
    std::optional<int64_t> start, std::optional<int64_t> stop, int64_t step, int64_t length) {
  const int64_t low = step > 0 ? 0 : -1, high = step > 0 ? length : length - 1;
  const auto place = [&](std::optional<int64_t> given, int64_t missing) {
    return given ? std::clamp(*given < 0 ? *given + length : *given, low, high) : missing;
  };
  return {place(start, step > 0 ? low : high), place(stop, step > 0 ? high : low), step};
}

// These throw an OpError of class Overflow: a longer list or string is a mistake, and would fill the memory.
void CheckListLength(uint64_t length);
void CheckTextLength(uint64_t length);

}  // namespace fakeprop
