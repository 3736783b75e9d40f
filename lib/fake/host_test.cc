// One host of the rules against the other: the calls of testdata/ops as the propagator serves them, and by way of
// at::Tensors and LibTorch's dispatcher under a FakeTensorMode.
#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/grad_mode.h>
#include <ATen/core/stack.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>

#include "lib/dispatch/errors.h"
#include "lib/dispatch/hazards.h"
#include "lib/dispatch/values.h"
#include "lib/fake/fake_tensor_mode.h"
#include "lib/fake/serve.h"
#include "lib/tail/results.h"
#include "lib/tail/run.h"
#include "lib/tail/testing/served.h"

namespace fakeprop {
namespace {

struct NoWarnings final : c10::WarningHandler {
  void process(const c10::Warning&) override {}
};

c10::OperatorHandle Find(std::string_view full_name) {
  const size_t dot = full_name.find('.', full_name.find("::"));
  const std::string name(full_name.substr(0, dot)), overload(dot == std::string_view::npos ? "" : full_name.substr(dot + 1));
  return c10::Dispatcher::singleton().findSchemaOrThrow(name.c_str(), overload.c_str());
}

torch::jit::Stack Box(const c10::OperatorHandle& op, Call& call, tail::ArgumentTensors& tensors) {
  torch::jit::Stack stack;
  for (size_t i = 0; i < call.size(); ++i)
    stack.push_back(dispatch::ToIValue(call.Arg(static_cast<int>(i)), op.schema().arguments()[i],
                                       [&](Tensor& t) { return tensors.Make(t); }));
  return stack;
}

void RunInMode(Call& call) {
  static NoWarnings no_warnings;
  const c10::WarningUtils::WarningHandlerGuard quiet(&no_warnings);
  dispatch::RefuseHazards(call);
  const c10::OperatorHandle op = Find(call.schema().full_name);
  const FakeTensorMode mode;
  tail::ArgumentTensors tensors;
  torch::jit::Stack stack;
  {
    const fake::BelowMode below(*mode.state());
    stack = Box(op, call, tensors);
  }
  try {
    const FakeModeGuard on(mode);
    const at::AutoGradMode grad(call.state().grad_enabled);
    op.callBoxed(stack);
  } catch (const c10::Error& e) {
    throw dispatch::ToOpError(e);
  }
  tail::ReadEffects(op, stack, tensors, call);
}

class PropagatorTail final : public Tail {
 public:
  bool Knows(std::string_view name) override { return tail::IsRegistered(name); }
  void Run(Call& call) override { tail::RunCall(call); }
  void RunWithoutRule(Call& call) override { tail::RunCall(call, tail::Rules::kInnerOnly); }
};

// TorchScript's own operators (`aten::lt.int`) are none of the dispatcher's: no at::Tensor program calls them.
bool IsDispatched(const std::string& full_name) {
  return tail::IsRegistered(full_name);
}

std::vector<std::string> Calls() {
  const char* named = std::getenv("FAKEPROP_CALLS");  // a file of other calls, one a line
  std::vector<std::filesystem::path> files;
  if (named) files.push_back(named);
  else
    for (const auto& entry : std::filesystem::directory_iterator("testdata/ops"))
      if (entry.path().extension() == ".calls") files.push_back(entry.path());
  std::vector<std::string> calls;
  for (const auto& path : files) {
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
      const size_t end = line.find(") -> ");
      if (end == std::string::npos || line[0] == '#') continue;
      const std::string op = "aten::" + line.substr(0, line.find('('));
      if (IsDispatched(op)) calls.push_back(line.substr(0, end + 1));
    }
  }
  return calls;
}

// Whether autograd follows a view is not compared: arguments here require no grad. Errors agree in that they are.
std::string Comparable(std::string text) {
  if (text.starts_with("!")) return "!";
  for (size_t at; (at = text.find("alias(")) != std::string::npos;) text.replace(at, 5, "view");
  return text;
}

TEST(Hosts, AgreeOnTheOperatorCorpus) {
  tail::Prepare();
  PropagatorTail tail;
  size_t count = 0, differ = 0;
  for (const std::string& call : Calls()) {
    ++count;
    const std::string propagated = testing::Served(call, tail), in_mode = testing::ServedBy(call, RunInMode);
    if (Comparable(propagated) == Comparable(in_mode)) continue;
    ++differ;
    std::cout << call << "\n  propagator " << propagated << "\n  mode       " << in_mode << "\n";
  }
  std::cout << count << " calls, " << differ << " differ\n";
  EXPECT_GT(count, 100u);
  // What is left are composites that LibTorch runs above the mode and that read data or refuse dtypes there (quantile,
  // combinations, cells of mixed dtypes); docs/fake_tensor.md.
  EXPECT_LE(differ * 100, count * 0.6);
}

}  // namespace
}  // namespace fakeprop
