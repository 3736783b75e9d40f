// Operator calls and their effects as short text, for tables of tests.
//
//   add.Tensor(f32[2,3], i64[3], alpha=2)      ->  f32[2,3]
//   t(f32[2,3])                                ->  view(0) f32[3,2]{1,3}
//   add_.Tensor(f32[3], f32[3])                ->  arg(0); writes 0
//   view(f32[2,3], [7])                        ->  !ShapeMismatch
//
// An operator without a namespace is one of aten's. A tensor is dtype[sizes]{strides}+offset@device; contiguous
// strides, offset 0 and the device cpu are left out. Arguments: integers, floats, complex numbers (1.0+2.0j), inf, nan,
// True, False, None, "text", [lists], float32 and other dtypes, device names (cpu, cuda:0), layouts (strided,
// sparse_coo), contiguous_format, preserve_format, channels_last, channels_last_3d. name=value by keyword. A tensor of
// another layout has it after its sizes: f32[4,4]:coo(i64[2,3], f32[3]) with its indices and values, and `, coalesced`
// if it is; f32[4,4]:csr(i64[5], i64[3], f32[3]), as csc, bsr and bsc; f32[2,3]:mkldnn. A result with a pending
// conjugation or negation ends in ` conj`, ` neg`. view(N), alias(N) and arg(N) count the call's tensors from 0 in
// order. After `;`: `writes N`, `N := f32[3,2]{1,3}`.
#pragma once

#include <functional>
#include <string>

#include "lib/rules/core/call.h"

namespace fakeprop::testing {

// Runs the rule of an operator on the call and returns its effects as text; "!Class" for an OpError,
// "!Class: message" with `with_message`.
std::string RunCall(const std::string& call, const ExecutionState& state = {}, bool with_message = false);

// The same with `run` instead of the rule.
std::string RunCallWith(
    const std::string& call, const ExecutionState& state, bool with_message, const std::function<void(Call&)>& run);

// The same for a call that is parsed already (lib/rules/testing/parsed_call.h).
struct ParsedCall;
std::string RunParsedWith(
    const ParsedCall& call, const ExecutionState& state, bool with_message, const std::function<void(Call&)>& run);

struct CallCase {
  const char* call;
  const char* effects;
};

}  // namespace fakeprop::testing
