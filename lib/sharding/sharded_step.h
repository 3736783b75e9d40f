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

// The least number of bytes that a rank holds of something that all hold together.
Dim ShareOf(Dim bytes, int64_t ranks);
// What each rank sends in a ring so that all have all, or so that each has its share of a sum.
Dim RingBytes(Dim bytes, int64_t ranks);
// Adds to the entry of that name.
void AddSent(std::string_view what, Dim bytes, std::vector<Communication>& sent);

}  // namespace fakeprop
