// A short run of the judge: variations of calls, the same each time, by rule, by LibTorch's kernels and by autograd.
// The long run is by hand (docs/testing.md).
#include <gtest/gtest.h>

#include "lib/judge/session.h"
#include "lib/tail/run.h"

namespace fakeprop::judge {
namespace {

TEST(Judge, RulesKernelsAndAutogradAgree) {
  tail::Prepare();
  Options options;
  options.count = 3000;
  Report report = JudgeVariations(options);
  for (const Finding& finding : report.differences)
    ADD_FAILURE() << finding.verdict.what << "\n  bazel run //lib/judge -- '" << Text(finding.question) << "'";
  EXPECT_GT(report.counts[Verdict::Kind::kAgree], options.count);
}

}  // namespace
}  // namespace fakeprop::judge
