// The bytes that an operator call reads and writes: each operand and each result once.
#pragma once

#include "lib/cost/counted_call.h"

namespace fakeprop {

struct Traffic {
  Dim read = 0;
  Dim written = 0;
};

// Views and metadata cost nothing. An expanded dimension is read once. Gathers (index, embedding, gather, index_select)
// read what they return, and their indices.
Traffic CountTraffic(const CountedCall& call);

}  // namespace fakeprop
