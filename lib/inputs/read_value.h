// Reads the values of inputs that are not tensors: numbers, strings, devices, and lists and dicts of these.
#pragma once

#include "lib/inputs/spec.h"
#include "lib/meta/value.h"

namespace fakeprop {

// Reads the `value` of a spec for an input of this declared type. Throws SpecError or JsonError if it is not of the
// type.
Value ReadKnownValue(JsonValue json, const InputPart& part);

// The key of this member in a dict of the declared type: an integer if the type says so, else a string.
Value KeyOf(JsonValue json, const InputPart& dict);

}  // namespace fakeprop
