// The calls that variations start from.
#pragma once

#include <string>
#include <vector>

namespace fakeprop::fuzzer {

// Of the rules' tests, of testdata/ops, and for every aten overload that these lack a few made from its schema. In one
// order.
std::vector<std::string> ReadSeeds();

}  // namespace fakeprop::fuzzer
