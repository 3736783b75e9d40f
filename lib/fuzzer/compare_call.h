// What a call does by our account, held against LibTorch's.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace fakeprop::fuzzer {

// Who is asked. An oracle's name stands before the call in a reproduction: "cpu: add.Tensor(f32[2], f32[])".
enum class Oracle {
  kCpu,        // the CPU kernel, on small tensors with data
  kMeta,       // LibTorch's Meta or composite kernel, without our rule for the operator itself
  kGrad,       // autograd over the CPU kernel; floating arguments are results of others
  kGradLeaf,   // the same, they are leaves
  kGradView,   // they are views
  kGradFirst,  // only the first of them requires grad
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
    kNone,      // the oracle has no answer, for data or kernels of LibTorch's own
    kUnserved,  // we have none
    kKnown,     // differs for a reason that is known (known.h)
  };
  Kind kind = Kind::kNone;
  std::string op;    // of the row that serves the call, else the call's own
  std::string what;  // of kDiffer: the difference; of kNone and kKnown: why
};

// A text that is no call of an operator is a kNone.
Verdict Judge(const std::string& call_text, Oracle oracle);

// Our account alone, whatever it is.
void RunOursAlone(const std::string& call_text);

}  // namespace fakeprop::fuzzer
