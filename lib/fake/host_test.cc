// One host of the rules against the other: the calls of testdata/ops as the propagator serves them, and by way of
// at::Tensors and LibTorch's dispatcher under a FakeTensorMode.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "lib/dispatch/libtorch_version.h"
#include "lib/fake/testing/mode_fallback.h"
#include "lib/libtorch_fallback/plugin/run_operator.h"
#include "lib/libtorch_fallback/testing/served.h"

namespace fakeprop {
namespace {

class InterpreterFallback final : public LibTorchFallback {
 public:
  bool Knows(std::string_view name) override { return libtorch::IsRegistered(name); }
  void Run(Call& call) override { libtorch::RunCall(call); }
  void RunWithoutRule(Call& call) override { libtorch::RunCall(call, libtorch::Rules::kInnerOnly); }
};

// TorchScript's own operators (`aten::lt.int`) are none of the dispatcher's: no at::Tensor program calls them.
bool IsDispatched(const std::string& full_name) { return libtorch::IsRegistered(full_name); }

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
  libtorch::Prepare();
  InterpreterFallback libtorch;
  size_t count = 0, differ = 0;
  for (const std::string& call : Calls()) {
    ++count;
    const std::string propagated = testing::Served(call, libtorch, {.torch = dispatch::kLibTorch}),
                      in_mode = testing::ServedBy(call, testing::RunInMode, {.torch = dispatch::kLibTorch});
    if (Comparable(propagated) == Comparable(in_mode)) continue;
    ++differ;
    std::cout << call << "\n  propagator " << propagated << "\n  mode       " << in_mode << "\n";
  }
  std::cout << count << " calls, " << differ << " differ\n";
  EXPECT_GT(count, 100u);
  // What is left are composites that LibTorch runs above the mode by parts that refuse mixed dtypes (docs/parity.md).
  EXPECT_LE(differ * 1000, count * 3);
}

}  // namespace
}  // namespace fakeprop
