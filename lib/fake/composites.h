// Composite operators that read data, although the metadata of their results does not depend on it.
#pragma once

namespace fakeprop::fake {

// LibTorch runs composites above the key Fake, by its own decomposition. A few check values (quantile), read sizes from
// tensors (ctc_loss) or compute at once (_shape_as_tensor). If that fails because there is no data, fakeprop's rule for
// the whole operator serves the call, or the composite as it runs on Python's fake tensors. Calls on real tensors do
// not change. A result of a rule alone has no history: its requires_grad is right, but a backward pass that reaches it
// is an error. Call this once, before making the first fake.
void RegisterComposites();

}  // namespace fakeprop::fake
