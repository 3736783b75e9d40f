// Sizes that are symbols, as numbers: the option sizes_give_hints of a mode.
#pragma once

namespace fakeprop::fake {

// From now on sizes(), strides(), numel() ... of fakes ask their mode for numbers.
void AnswerSizesByHints();

}  // namespace fakeprop::fake
