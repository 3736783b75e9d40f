// The calls that tests check, read from where they stand, so that a new row counts wherever calls are looked at.
#pragma once

#include <string>
#include <vector>

namespace fakeprop::testing {

struct CallRow {
  std::string call;
  std::string effects;
  std::string file;
};

// The rows `{"call", "effects"}` of the tests of the rule families; a text may go over several lines.
std::vector<CallRow> RowsOfFamilyTests();

// The lines `call -> effects` of the .calls files in a folder.
std::vector<CallRow> RowsOfFolder(const std::string& folder);

}  // namespace fakeprop::testing
