// A call of a table with symbols for its sizes, as an export with dynamic dimensions has it.
#pragma once

#include <string>
#include <vector>

namespace fakeprop::testing {

struct SymbolicAnswer {
  std::string call;                      // with symbols: "t(f32[t0s0,t0s1])"
  std::string effects;                   // at the symbols' hints, as RunCall writes effects
  std::string message;                   // of an error
  std::vector<std::string> guards;       // what was assumed: "Ne(t0s0, t1s0)"
  std::vector<std::string> specialised;  // symbols that became numbers: "t0s1"
};

// Runs the rule of an operator where every size of 2 or more is a symbol of its own with that hint, strides are
// products of sizes where they are products of numbers, and what is left of strides and offsets are symbols too. 0 and
// 1 stay, as PyTorch has it (ShapeEnv.create_symbolic_sizes_strides_storage_offset, torch 2.13). Tensor 0 has sizes
// t0s0, t0s1 ..., strides t0d0 ..., the offset t0o. With kSymbols the arguments of the schema's type SymInt are
// symbols, too: a0, a1 ... in the order of the text.
enum class SymInts { kNumbers, kSymbols };
SymbolicAnswer RunSymbolic(const std::string& call, SymInts sym_ints = SymInts::kNumbers);

}  // namespace fakeprop::testing
