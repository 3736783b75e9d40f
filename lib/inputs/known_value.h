// The values of inputs that are no tensors: numbers, strings, devices, lists and dicts of such.
#pragma once

#include "lib/inputs/spec.h"
#include "lib/meta/value.h"

namespace fakeprop {

// Reads what a spec gives as `value` for an input of this declared type. Throws SpecError or JsonError where it is
// none.
Value ReadKnownValue(JsonValue json, const InputPart& part);

// The key under which this stands in a dict of the type: a string, or an integer where these are declared.
Value KeyOf(JsonValue json, const InputPart& dict);

}  // namespace fakeprop
