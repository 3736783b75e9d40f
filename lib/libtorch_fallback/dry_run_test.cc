#include "lib/libtorch_fallback/dry_run.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <functional>

#include "lib/error/error.h"
#include "lib/rules/testing/call_text.h"

namespace fakeprop {
namespace {

// A LibTorch of which some operators end the process.
class Dangerous : public LibTorchFallback {
 public:
  bool Knows(std::string_view) override { return true; }
  void Run(Call& call) override {
    const std::string_view op = call.schema().full_name;
    if (op == "aten::relu") std::raise(SIGFPE);
    if (op == "aten::tanh") std::abort();
    if (op == "aten::exp") _exit(3);
    if (op == "aten::sin") pause();
    if (op == "aten::neg") Fail(ErrorClass::kValueError, "an error");
    ++runs;
  }
  void RunWithoutRule(Call& call) override { Run(call); }

  int runs = 0;
};

// What becomes of calls one after the other: "" or the error.
std::vector<std::string> RunAll(DryRunFallback& dry_run, const std::vector<std::string>& calls) {
  std::vector<std::string> errors;
  for (const std::string& text : calls) {
    errors.emplace_back();
    testing::RunCallWith(text, {}, true, [&](Call& call) {
      try {
        dry_run.Run(call);
      } catch (const OpError& e) {
        errors.back() = e.message();
      }
    });
  }
  return errors;
}

TEST(DryRun, WhatItDoesNotSurviveIsAnError) {
  Dangerous dangerous;
  std::vector<std::string> errors;
  {
    DryRunFallback dry_run(1);
    ASSERT_EQ(dry_run.Before(&dangerous), &dry_run);
    errors = RunAll(dry_run, {"cos(f32[2])", "relu(f32[2])", "cos(f32[2])", "neg(f32[2])", "tanh(f32[2])",
                                 "exp(f32[2])", "sin(f32[2])", "cos(f32[2])"});
  }  // where dry runs end
  EXPECT_EQ(dangerous.runs, 3);
  EXPECT_EQ(
      errors, (std::vector<std::string>{"",
                  "LibTorch's kernel of aten::relu ends the process (Floating point exception) on these arguments", "",
                  "an error", "LibTorch's kernel of aten::tanh ends the process (Aborted) on these arguments",
                  "LibTorch's kernel of aten::exp ends the process on these arguments",
                  "LibTorch's kernel of aten::sin takes more than 1 s on these arguments", ""}));
}

TEST(DryRun, NoFallbackNoDryRun) {
  DryRunFallback dry_run;
  EXPECT_EQ(dry_run.Before(nullptr), nullptr);
}

}  // namespace
}  // namespace fakeprop
