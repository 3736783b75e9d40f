// Serves operators on fake tensors: the boxed fallback of the dispatch key Fake.
#pragma once

namespace fakeprop::tail {

// Registers the fallback, once; not where LibTorch has one of its own.
void RegisterFakeFallback();

}  // namespace fakeprop::tail
