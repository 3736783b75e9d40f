// Which tensors of an operator autograd follows, according to derivatives.yaml.
#pragma once

#include <cstdint>
#include <string_view>

#include "lib/base/version.h"

namespace fakeprop {

// What the autograd kernel of an operator does. Source: torchgen's gen_variable_type.py (torch 2.13).
enum DifferentiabilityFlag : uint32_t {
  kDerived = 1u << 0,     // it has a formula: results that it follows have to be floating or complex
  kRealOnly = 1u << 1,    // no result that it follows may be complex
  kOutRefused = 1u << 2,  // an out= form that refuses tensors that require grad
  kOutUnseen = 1u << 3,   // an out= form of which autograd sees nothing
  kOutRecorded =
      1u << 4,  // an out= form without a formula: recorded as a write in place (autogradNotImplementedFallback)
};

struct Differentiability {
  std::string_view op;
  uint32_t inputs;   // bit i: requires_grad of argument i matters
  uint32_t outputs;  // bit i: result i requires grad if an input that matters does
  uint32_t refused;  // bit i: argument i must not require grad
  uint32_t flags;    // DifferentiabilityFlag
  TorchRange versions = {};
};

// The row of an operator in a version of torch. Null if every floating or complex tensor counts and there are no flags.
const Differentiability* FindDifferentiability(std::string_view full_name, int torch);

}  // namespace fakeprop
