// Runs a call of a table with symbols as sizes, as in an export with dynamic dimensions.
#pragma once

#include <string>
#include <vector>

namespace fakeprop::testing {

struct SymbolicAnswer {
  std::string call;                      // with symbols: "t(f32[t0s0,t0s1])"
  std::string effects;                   // at the symbols' hints, as RunCall writes effects
  std::string message;                   // of an error
  std::vector<std::string> guards;       // the assumptions: "Ne(t0s0, t1s0)"
  std::vector<std::string> specialised;  // symbols that became numbers: "t0s1"
};

// Runs the rule of an operator with symbols. Every size of 2 or more becomes a symbol of its own with that hint. A
// stride that is a product of sizes stays one. All other strides and offsets become symbols too. 0 and 1 stay numbers,
// as in PyTorch (ShapeEnv.create_symbolic_sizes_strides_storage_offset, torch 2.13). Tensor 0 has the sizes t0s0, t0s1
// ..., the strides t0d0 ... and the offset t0o. With kSymbols the arguments of the schema's type SymInt are symbols
// too: a0, a1 ... in the order of the text.
enum class SymInts { kNumbers, kSymbols };
SymbolicAnswer RunSymbolic(const std::string& call, SymInts sym_ints = SymInts::kNumbers);

}  // namespace fakeprop::testing
