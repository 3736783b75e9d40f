// The dispatcher's knowledge about an operator, as flags of its schema.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>

#include "lib/schema/schema_flags.h"

namespace fakeprop {

// Flags for the kernels that are registered for the operator, and for its tags.
uint32_t KernelFlags(const c10::OperatorHandle& op);

}  // namespace fakeprop
