// A contract as text and as JSON.
#pragma once

#include <string>

#include "lib/contract/contract.h"

namespace fakeprop {

// For people.
std::string ContractText(const Contract& contract, const std::string& source);

// fakeprop.contract/1 (docs/contract.schema.json).
std::string ContractJson(const Contract& contract, const std::string& source);

}  // namespace fakeprop
