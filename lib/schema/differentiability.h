// Which tensors of an operator autograd follows, according to derivatives.yaml.
#pragma once

#include <cstdint>
#include <string_view>

namespace fakeprop {

struct Differentiability {
  std::string_view op;
  uint32_t inputs;   // bit i: requires_grad of argument i matters
  uint32_t outputs;  // bit i: result i requires grad if an input that matters does
};

// The row of an operator. Null if every floating or complex tensor counts.
const Differentiability* FindDifferentiability(std::string_view full_name);

}  // namespace fakeprop
