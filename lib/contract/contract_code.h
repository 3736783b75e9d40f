// A contract as code: a C++ header and a Python module that check the metadata of inputs. They need nothing but the
// standard libraries.
#pragma once

#include <string>

#include "lib/contract/contract.h"

namespace fakeprop {

// `source` is the graph's file.
std::string ContractHeader(const Contract& contract, const std::string& source);
std::string ContractModule(const Contract& contract, const std::string& source);

// The demands that generated code cannot check, in words: conditions with floats, and symbols that no size determines.
std::vector<std::string> UncheckedDemands(const Contract& contract);

}  // namespace fakeprop
