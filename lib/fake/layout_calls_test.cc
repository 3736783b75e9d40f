// The calls of testdata/layouts on tensors of a mode, through LibTorch's dispatcher, against the rules alone.
#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <regex>

#include "fakeprop/fake_tensor_mode.h"
#include "lib/dispatch/boxed_call.h"
#include "lib/dispatch/dispatch_errors.h"
#include "lib/dispatch/fake_tensor.h"
#include "lib/dispatch/ivalues.h"
#include "lib/dispatch/layout_tensors.h"
#include "lib/dispatch/refused_calls.h"
#include "lib/fake/serve.h"
#include "lib/rules/testing/call_text.h"
#include "lib/symbolic/shape_env.h"

namespace fakeprop {
namespace {

constexpr std::string_view kFolder = "testdata/layouts";
// LibTorch's nested tensors are of a class that has no sizes.
constexpr std::string_view kOfGraphsAlone = "nested";

c10::OperatorHandle Find(const Schema& schema) {
  const auto op = c10::Dispatcher::singleton().findSchema({std::string(schema.name), std::string(schema.overload)});
  if (!op) Fail(ErrorClass::kUnsupportedOperator, "LibTorch has no " + std::string(schema.full_name));
  return *op;
}

// One call under a mode of its own.
class CallInMode {
 public:
  CallInMode(Call& call, const std::shared_ptr<ShapeEnv>& env) : call_(call), mode_({.shape_env = env}) {}

  void Run() {
    dispatch::RefuseCalls(call_);
    const c10::OperatorHandle op = Find(call_.schema());
    torch::jit::Stack stack;
    {
      const fake::BelowMode below(*fake::StateOf(mode_));
      stack = dispatch::BoxArguments(op, call_, [this](const Value& value, const c10::Argument& argument) {
        return dispatch::ToIValue(value, argument, [this](Tensor& t) { return FakeOf(t); });
      });
    }
    {
      const FakeModeGuard on(mode_);
      op.callBoxed(stack);
    }
    const fake::BelowMode below(*fake::StateOf(mode_));
    for (size_t i = 0; i < stack.size(); ++i) call_.effects().outputs.push_back(Read(stack[i], i));
  }

 private:
  at::Tensor FakeOf(const Tensor& t) {
    at::Tensor& fake = fakes_[&t];
    if (!fake.defined()) fake = MakeFake(t);
    return fake;
  }

  at::Tensor MakeFake(const Tensor& t) {
    if (t.parts) {
      const SparseParts& parts = *t.parts;
      return dispatch::MakeFakeSparse(
          t.meta, {FakeOf(*parts.values), FakeOf(*parts.indices), parts.plain ? FakeOf(*parts.plain) : at::Tensor(),
                      parts.is_coalesced});
    }
    const c10::Storage storage = dispatch::MakeFakeStorage(StorageNbytes(t.meta), ToTorch(t.meta.device));
    return t.meta.layout == Layout::Strided ? dispatch::MakeFakeTensor(t.meta, storage)
                                            : dispatch::MakeFakeOpaque(t.meta, storage);
  }

  Output Read(const c10::IValue& boxed, size_t index) {
    if (boxed.isTensor() && boxed.toTensor().defined()) return ReadTensor(boxed.toTensor());
    Output out;
    if (boxed.isTensorList()) {
      out.kind = Output::Kind::kList;
      for (const at::Tensor& item : boxed.toTensorVector()) out.items.push_back(ReadTensor(item));
    } else {
      const auto& type = call_.schema().returns.at(index).type;
      out.value = dispatch::ToValue(boxed, type, [](const at::Tensor&) { return Value(); });
    }
    return out;
  }

  Output ReadTensor(const at::Tensor& t) {
    Output out{.kind = Output::Kind::kNew};
    for (const auto& [object, fake] : fakes_)
      if (fake.is_same(t)) return {.kind = Output::Kind::kArgument, .source = const_cast<Tensor*>(object)};
    out.meta = dispatch::IsStrided(t) ? dispatch::ReadMeta(t) : dispatch::ReadLayoutMeta(t);
    const dispatch::PartsInside parts = dispatch::PartsOf(t);
    for (const at::Tensor* part : {parts.values, parts.indices, parts.plain})
      if (part) out.items.push_back(ReadTensor(*part));
    out.is_coalesced = parts.is_coalesced;
    return out;
  }

  Call& call_;
  const FakeTensorMode mode_;
  std::map<const Tensor*, at::Tensor> fakes_;
};

std::string InMode(const std::string& call_text) {
  const auto env = std::make_shared<ShapeEnv>();
  return testing::RunCallWith(call_text, {}, true, [&](Call& call) {
    try {
      CallInMode(call, env).Run();
    } catch (const c10::Error& e) {
      throw dispatch::ToOpError(e);
    }
  });
}

// What results share with arguments is not compared, nor what a call writes, nor the numbers of symbols. Errors agree
// in that they are.
std::string Comparable(std::string text) {
  if (text.starts_with("!")) return "!";
  text = std::regex_replace(text, std::regex(R"((view|alias)\([\w.]+\) )"), "");
  text = std::regex_replace(text, std::regex(R"(\bu\d+)"), "u");
  return std::regex_replace(text, std::regex(R"(;.*)"), "");
}

std::string ByRule(const std::string& call) {
  ShapeEnv env;
  const CurrentShapeEnv current(&env);
  return testing::RunCall(call, {}, true);
}

TEST(LayoutCalls, AreServedInAModeAsByTheRules) {
  int calls = 0, differ = 0;
  for (const auto& file : std::filesystem::directory_iterator(kFolder)) {
    if (file.path().stem() == kOfGraphsAlone) continue;
    std::ifstream in(file.path());
    for (std::string line; std::getline(in, line);) {
      const size_t end = line.find(") -> ");
      if (line.starts_with("#") || end == std::string::npos) continue;
      const std::string call = line.substr(0, end + 1), by_rule = ByRule(call), in_mode = InMode(call);
      ++calls;
      if (Comparable(by_rule) == Comparable(in_mode)) continue;
      ++differ;
      std::cout << call << "\n  rule " << by_rule << "\n  mode " << in_mode << "\n";
    }
  }
  std::cout << calls << " calls, " << differ << " differ\n";
  EXPECT_GT(calls, 400);
  EXPECT_EQ(differ, 0);
}

}  // namespace
}  // namespace fakeprop
