// The main program of a family's test: one loop over its table of calls.
#pragma once

#include <gtest/gtest.h>

#include "lib/rules/testing/call_text.h"

namespace fakeprop::testing {

// Runs every row and compares the effects.
template <size_t N>
void CheckCalls(const CallCase (&cases)[N]) {
  for (const CallCase& c : cases)
    EXPECT_EQ(RunCall(c.call), c.effects) << c.call << "\n  " << RunCall(c.call, {}, true);
}

}  // namespace fakeprop::testing
