// A short run of the fuzzer: variations of calls, the same each time, by rule, by LibTorch's kernels and by autograd.
// The long run is by hand (docs/testing.md).
#include <gtest/gtest.h>

#include "lib/fuzzer/fuzz_session.h"
#include "lib/libtorch_fallback/plugin/run_operator.h"

namespace fakeprop::fuzzer {
namespace {

TEST(Judge, RulesKernelsAndAutogradAgree) {
  libtorch::Prepare();
  FuzzOptions options;
  options.count = 3000;
  Report report = JudgeVariations(options);
  for (const Finding& finding : report.differences)
    ADD_FAILURE() << finding.verdict.what << "\n  bazel run //lib/fuzzer -- '" << Text(finding.question) << "'";
  EXPECT_GT(report.counts[Verdict::Kind::kAgree], options.count);
}

}  // namespace
}  // namespace fakeprop::fuzzer
