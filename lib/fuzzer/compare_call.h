// Compares our effects of a call with those of LibTorch.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace fakeprop::fuzzer {

// The kernel that we compare with. A reproduction has the oracle's name before the call: "cpu: add.Tensor(f32[2],
// f32[])".
enum class Oracle {
  kCpu,        // the CPU kernel, on small tensors with data
  kMeta,       // LibTorch's Meta or composite kernel, without our rule for the operator itself
  kGrad,       // autograd over the CPU kernel; floating arguments are results of other operators
  kGradLeaf,   // the same; floating arguments are leaves
  kGradView,   // the same; floating arguments are views
  kGradFirst,  // the same; only the first floating argument requires grad
  kNoGrad,     // grad mode is off
};
std::string_view Name(Oracle oracle);
std::optional<Oracle> OracleFromName(std::string_view name);
inline constexpr Oracle kAllOracles[] = {Oracle::kCpu, Oracle::kMeta, Oracle::kGrad, Oracle::kGradLeaf,
    Oracle::kGradView, Oracle::kGradFirst, Oracle::kNoGrad};

struct Verdict {
  enum class Kind {
    kAgree,
    kDiffer,
    kNone,      // the oracle has no answer: the call depends on data, or LibTorch has no such kernel
    kUnserved,  // we have no answer
    kKnown,     // differs for a known reason (lib/rules/compare/known_differences.h)
  };
  Kind kind = Kind::kNone;
  std::string op;    // the operator of the row that serves the call, else the call's own
  std::string what;  // of kDiffer: the difference; of kNone and kKnown: why
};

// If the text is not a call of an operator, the verdict is kNone.
Verdict Judge(const std::string& call_text, Oracle oracle);

// Runs only our side of the comparison, and ignores the outcome.
void RunOursAlone(const std::string& call_text);

}  // namespace fakeprop::fuzzer
