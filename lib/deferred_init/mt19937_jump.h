// Moves a Mersenne Twister ahead without drawing its numbers. Source: Haramoto, Matsumoto, Nishimura, Panneton,
// L'Ecuyer, "Efficient Jump Ahead for F2-Linear Random Number Generators" (2008).
#pragma once

#include <ATen/core/MT19937RNGEngine.h>

#include <cstdint>

namespace fakeprop::deferred_init {

// The state of LibTorch's engine after `count` further draws of 32 bits; the same, bit by bit, as after drawing them.
// Takes 1 ns a number up to some millions, and 0.1 s at most for any count.
at::mt19937_data_pod Advance(at::mt19937_data_pod state, uint64_t count);

}  // namespace fakeprop::deferred_init
