// Files that options name.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fakeprop/diagnostic.h"

namespace fakeprop::cli {

// The whole text of a file; where it cannot be read nothing, and a diagnostic with these notes.
std::optional<std::string> ReadInput(
    const std::string& path, DiagnosticSink& sink, std::vector<std::string> notes = {});

}  // namespace fakeprop::cli
