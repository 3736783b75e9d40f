// Composite operators that look at data on their way to a result whose metadata does not depend on it.
#pragma once

namespace fakeprop::fake {

// LibTorch runs composites above the key Fake, by its own decomposition. A few check values (quantile), read sizes out
// of tensors (ctc_loss) or compute at once (_shape_as_tensor): where that fails for want of data, fakeprop's rule for
// the whole takes over, or the composite as it runs on Python's fake tensors. Calls on real tensors go on as before.
// What only a rule serves keeps no history: it requires grad as it would, and a backward pass that gets there is an
// error that says so. Once, before the first fake.
void RegisterComposites();

}  // namespace fakeprop::fake
