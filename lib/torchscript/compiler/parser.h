// Reads the code that torch.jit.save writes, one definition at a time.
#pragma once

#include <map>
#include <string>

#include "lib/torchscript/compiler/syntax.h"

namespace fakeprop::script {

// The functions and classes of a member of the archive: names, and where they begin.
std::map<std::string, size_t> FindDefinitions(const SourceFile& file);

// The function at this place. Throws Declined at what it does not know.
Syntax ParseFunctionAt(const SourceFile& file, size_t begin);
// The class at this place, with what its body declares. Of its functions it has only names and places.
Syntax ParseClassAt(const SourceFile& file, size_t begin);

}  // namespace fakeprop::script
