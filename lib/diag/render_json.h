// Diagnostics for programs: the same facts as the text, as members of a JSON object.
#pragma once

#include <string>

#include "lib/diag/diagnostic.h"

namespace fakeprop {

// The members, without the braces around them, so that a finding can add its own. What is empty is left out.
void WriteDiagnosticMembers(const Diagnostic& diagnostic, std::string& out);

}  // namespace fakeprop
