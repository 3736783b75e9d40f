// Calls of TorchScript's own operations that need no graph and no operator.
#include <gtest/gtest.h>

#include <limits>

#include "lib/error/error.h"
#include "lib/torchscript/operations/script.h"
#include "lib/torchscript/operations/script_values.h"

namespace fakeprop {
namespace {

constexpr int64_t kMin = std::numeric_limits<int64_t>::min(), kMax = std::numeric_limits<int64_t>::max();

// For operations that run nothing else.
class NoHost final : public HigherOrderHost {
 public:
  Value RunSubgraph(const Subgraph&, std::span<const Value>) override { throw std::logic_error("runs a graph"); }
  OperatorHost& operators() override { throw std::logic_error("runs an operator"); }
  bool& below_autograd() override { throw std::logic_error("asks for autograd's state"); }
  Batched& batched() override { throw std::logic_error("asks for vmap's state"); }
  std::shared_ptr<void>& Memory(const Subgraph&) override { throw std::logic_error("remembers something"); }
};

Value ListOf(std::vector<Value> items) { return Share(List{std::move(items), false}); }

Value RunHandler(std::string_view op, std::vector<Value> arguments) {
  NoHost host;
  const Graph graph;
  Node node;
  node.target = op;
  node.arguments.resize(arguments.size());
  HigherOrderCall call(host, graph, node, arguments);
  return FindScriptHandler(op)(call);
}

// The result as text, or the class of the error.
std::string CallScript(std::string_view op, std::vector<Value> arguments) {
  try {
    return ToString(Deref(RunHandler(op, std::move(arguments))));
  } catch (const OpError& error) {
    return "!" + std::string(Name(error.error_class()));
  }
}

struct SliceCase {
  Value start, stop, step;
  const char* letters;
};

TEST(ScriptOperations, SlicesTakeAllNumbers) {
  const SliceCase cases[] = {
      {Value(), Value(), int64_t{1}, "abc"},
      {Value(), Value(), int64_t{-1}, "cba"},
      {int64_t{1}, Value(), kMax, "b"},
      {Value(), Value(), kMin, "c"},
      {kMin, kMax, int64_t{2}, "ac"},
      {kMax, kMin, int64_t{-2}, "ca"},
      {int64_t{-1}, int64_t{-3}, int64_t{-1}, "cb"},
      {int64_t{2}, int64_t{1}, int64_t{1}, ""},
  };
  for (const auto& [start, stop, step, letters] : cases) {
    std::vector<Value> items;
    for (const char* c = letters; *c; ++c) items.emplace_back(std::string(1, *c));
    const std::string list = ToString(Value(List{items, false}));
    EXPECT_EQ(CallScript("aten::slice.str", {"abc", start, stop, step}), ToString(Value(letters)));
    EXPECT_EQ(CallScript("aten::slice.t", {ListOf({"a", "b", "c"}), start, stop, step}), list);
  }
}

TEST(ScriptOperations, SlicesNeedAStep) {
  EXPECT_EQ(CallScript("aten::slice.str", {"abc", Value(), Value(), int64_t{0}}), "!ValueError");
  EXPECT_EQ(CallScript("aten::slice.t", {ListOf({}), Value(), Value(), int64_t{0}}), "!ValueError");
}

TEST(ScriptOperations, NothingFillsTheMemory) {
  EXPECT_EQ(CallScript("aten::ljust", {"a", kMax, "b"}), "!Overflow");
  EXPECT_EQ(CallScript("aten::zfill", {"a", kMax}), "!Overflow");
  EXPECT_EQ(CallScript("aten::expandtabs", {"\t", kMax}), "!Overflow");
  EXPECT_EQ(CallScript("aten::expandtabs", {std::string(100, '\t'), int64_t{1} << 20}), "!Overflow");
  const std::string many(1 << 13, 'a');
  EXPECT_EQ(CallScript("aten::replace", {many, "a", many, int64_t{-1}}), "!Overflow");
  EXPECT_EQ(CallScript("aten::join", {many, ListOf(std::vector<Value>(1 << 13, Value("a")))}), "!Overflow");
  EXPECT_EQ(CallScript("aten::mul.left_t", {ListOf({int64_t{1}}), kMax}), "!Overflow");
  EXPECT_EQ(CallScript("prim::rangelist", {kMax}), "!Overflow");
}

TEST(ScriptOperations, ListsThatAreExtendedHaveALimit) {
  const Value list = ListOf(std::vector<Value>((1 << 23) + 1, Value()));
  EXPECT_EQ(CallScript("aten::extend.t", {list, list}), "!Overflow");
  EXPECT_EQ(CallScript("aten::add_.t", {list, list}), "!Overflow");
  EXPECT_EQ(CallScript("aten::add.t", {list, list}), "!Overflow");
}

TEST(ScriptOperations, TextsInFields) {
  EXPECT_EQ(CallScript("aten::ljust", {"a", int64_t{3}, "b"}), "\"abb\"");
  EXPECT_EQ(CallScript("aten::expandtabs", {"a\tb", int64_t{4}}), "\"a   b\"");
  EXPECT_EQ(CallScript("aten::replace", {"abab", "b", "cc", int64_t{1}}), "\"accab\"");
}

TEST(ScriptOperations, AListThatHoldsItselfHasAText) {
  const Value list = ListOf({int64_t{1}});
  RunHandler("aten::append.t", {list, list});
  EXPECT_EQ(CallScript("aten::str", {list}), "\"[1, [...]]\"");
  EXPECT_EQ(CallScript("aten::str", {ListOf({list, list})}), "\"[[1, [...]], [1, [...]]]\"");
  RunHandler("aten::clear.t", {list});
}

}  // namespace
}  // namespace fakeprop
