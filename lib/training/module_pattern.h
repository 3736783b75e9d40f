// Patterns for modules: "layers.*", "encoder.**", "head".
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fakeprop {

// Returns true if a module's path fits a pattern: `*` stays within a name, `**` crosses dots, `#` is a number.
bool FitsModulePattern(std::string_view path, std::string_view pattern);
// The patterns of modules whose name is a number, as in a ModuleList.
const std::vector<std::string>& NumberedModules();
bool FitsAnyPattern(std::string_view path, const std::vector<std::string>& patterns);

// The outermost module call around a node whose path fits one of the patterns. Empty if there is none.
std::string_view OutermostFit(std::string_view nn_module_stack, const std::vector<std::string>& patterns);

}  // namespace fakeprop
