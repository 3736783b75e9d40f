// The calls that variations start from.
#pragma once

#include <string>
#include <vector>

namespace fakeprop::fuzzer {

// The calls of the rules' tests and of testdata/ops. For every other aten overload, a few calls that are made from its
// schema. The order is always the same.
std::vector<std::string> ReadSeeds();

// A few calls of each aten overload that are made from its schema.
std::vector<std::string> PlainCalls();

}  // namespace fakeprop::fuzzer
