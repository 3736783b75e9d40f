// Reads the calls that tests check from the tests themselves, so that every tool sees a new row.
#pragma once

#include <string>
#include <vector>

namespace fakeprop::testing {

struct CallRow {
  std::string call;
  std::string effects;
  std::string file;
};

// The rows `{"call", "effects"}` of the tests of the rule families. A text may span several lines.
std::vector<CallRow> RowsOfFamilyTests();

// The lines `call -> effects` of the .calls files in a folder.
std::vector<CallRow> RowsOfFolder(const std::string& folder);

}  // namespace fakeprop::testing
