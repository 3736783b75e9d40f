// Libraries that are opened at first need and stay open.
#pragma once

#include <string>

namespace fakeprop {

// Opens a library by its path, or by its name where the system looks for libraries. Its symbols stay its own. If it
// cannot be opened, returns null and puts the system's reason into `reason`.
void* OpenSharedLibrary(const std::string& path, std::string& reason);

// Null if the library has no such symbol.
void* FindSymbol(void* library, const char* name);

}  // namespace fakeprop
