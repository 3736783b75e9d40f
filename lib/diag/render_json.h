// Diagnostics for programs: a JSON object with the same facts as the text.
#pragma once

#include "fakeprop/diagnostic.h"
#include "lib/json/json_writer.h"

namespace fakeprop {

// Adds the members to the object that is open, so that a finding can add its own. Empty ones are left out.
void WriteDiagnosticMembers(const Diagnostic& diagnostic, JsonWriter& json);

}  // namespace fakeprop
