// Compares derivatives on fakes with those of real tensors:
//   bazel run //lib/fuzzer:derivatives                       the calls of all tables
//   bazel run //lib/fuzzer:derivatives -- 'mul.Tensor(f32[2], f32[2])' ...
// Prints a line for each call and device: operator, device, verdict, call, and what differs, with tabs between.
#include <cstdio>
#include <set>

#include "lib/fuzzer/derivatives.h"
#include "lib/fuzzer/seeds.h"
#include "lib/libtorch_fallback/plugin/run_operator.h"

namespace fakeprop::fuzzer {
namespace {

const char* const kKinds[] = {"agree", "differ", "fails", "none"};

std::vector<std::string> AllCalls() {
  std::vector<std::string> calls = ReadSeeds();
  const std::set<std::string> known(calls.begin(), calls.end());
  for (const std::string& call : PlainCalls())
    if (!known.contains(call)) calls.push_back(call);
  return calls;
}

int Main(int argc, char** argv) {
  libtorch::Prepare();
  const std::vector<std::string> calls = argc > 1 ? std::vector<std::string>(argv + 1, argv + argc) : AllCalls();
  const auto all = JudgeDerivatives(calls);
  for (size_t i = 0; i < calls.size(); ++i)
    for (const DerivativeVerdict& verdict : all[i])
      std::printf("%s\t%s\t%s\t%s\t%s\n", verdict.op.c_str(), verdict.device.c_str(),
          kKinds[static_cast<int>(verdict.kind)], calls[i].c_str(), verdict.what.c_str());
  return 0;
}

}  // namespace
}  // namespace fakeprop::fuzzer

int main(int argc, char** argv) { return fakeprop::fuzzer::Main(argc, argv); }
