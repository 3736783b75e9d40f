// Reads files that options name.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fakeprop/diagnostic.h"

namespace fakeprop::cli {

bool IsRegularFile(const std::string& path);

// The whole text of a file. If it cannot be read, adds a diagnostic with these notes and returns nothing.
std::optional<std::string> ReadInput(
    const std::string& path, DiagnosticSink& sink, std::vector<std::string> notes = {});

// The same for a file that may be large: shows that it is read.
std::optional<std::string> ReadLongInput(const std::string& path, DiagnosticSink& sink);

}  // namespace fakeprop::cli
