// What the dispatcher knows of an operator, as flags of its schema.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>

#include "lib/schema/schema_flags.h"

namespace fakeprop {

// The kernels that are registered for it, and its tags.
uint32_t KernelFlags(const c10::OperatorHandle& op);

}  // namespace fakeprop
