#include "tools/cli/no_z3.h"

#include "lib/diag/code_table.h"

namespace fakeprop::cli {

Diagnostic NoZ3(const std::string& user, const std::string& reason) {
  return {.code = kNoZ3,
      .message = user + " needs Z3, which could not be opened: " + reason,
      .notes = {
          "`pip install 'fakeprop[z3]'` or Debian's libz3-4 has it, or set FAKEPROP_Z3 to the file of another libz3"}};
}

}  // namespace fakeprop::cli
