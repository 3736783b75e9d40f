// A step of training on one of several ranks: what each of the ways to divide the work leaves there.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lib/memory/timeline.h"

namespace fakeprop {

// What a rank sends in a step.
struct Communication {
  std::string_view what;  // "all-gather of parameters"
  Dim bytes;
};

struct ShardedStep {
  Timeline timeline;
  std::vector<Communication> sent;  // each kind once
};

// The bytes of each rank if all ranks divide something evenly, rounded up.
Dim ShareOf(Dim bytes, int64_t ranks);
// The bytes that each rank sends around a ring in an all-gather or a reduce-scatter of so many bytes.
Dim RingBytes(Dim bytes, int64_t ranks);
// Adds the bytes to the entry of this name.
void AddSent(std::string_view what, Dim bytes, std::vector<Communication>& sent);

}  // namespace fakeprop
