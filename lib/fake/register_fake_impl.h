// Fake implementations for operators of other libraries. Source: torch.library.register_fake (torch 2.13).
#pragma once

#include "lib/dispatch/fake_impls.h"

namespace fakeprop {

using dispatch::FakeImpl;
using dispatch::RegisterFakeImpl;

}  // namespace fakeprop
