// Writes diagnostics for programs: a JSON object with the same facts as the text.
#pragma once

#include "fakeprop/diagnostic.h"
#include "lib/json/json_writer.h"

namespace fakeprop {

// Adds the members of a diagnostic to the open object. The caller can add more members to it. Empty members are left
// out.
void WriteDiagnosticMembers(const Diagnostic& diagnostic, JsonWriter& json);

}  // namespace fakeprop
