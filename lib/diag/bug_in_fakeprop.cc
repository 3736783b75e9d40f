#include "lib/diag/bug_in_fakeprop.h"

#include "lib/diag/code_table.h"

namespace fakeprop {

Diagnostic BugInFakeprop(const std::string& what) {
  return {.code = CodeOf(ErrorClass::kInternal), .message = "a bug in fakeprop: " + what};
}

}  // namespace fakeprop
