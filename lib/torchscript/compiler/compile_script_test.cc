#include "lib/torchscript/compiler/compile_script.h"

#include <gtest/gtest.h>

namespace fakeprop {
namespace {

ScriptSource SourceOf(const std::string& text) {
  ScriptSource source;
  source.module_class = "__torch__.M";
  source.method = "forward";
  source.version = 10;
  source.read = [text](const std::string& member) -> std::optional<std::string> {
    if (member == "code/__torch__.py") return text;
    return std::nullopt;
  };
  return source;
}

// A module whose forward has these lines.
std::string ModuleOf(const std::string& lines) {
  return "class M(Module):\n  w : Tensor\n  def forward(self: __torch__.M,\n    x: Tensor) -> Tensor:\n" + lines;
}

std::string ReasonFor(const std::string& text) {
  std::string reason;
  return CompileScript(SourceOf(text), reason) ? "" : reason;
}

TEST(CompileScript, NodesHaveOverloadsNamesAndPlaces) {
  std::string reason;
  const std::string code = ModuleOf("    w = self.w\n    return torch.add(x, w)\n");
  const auto graph = CompileScript(SourceOf(code), reason);
  ASSERT_TRUE(graph) << reason;
  ASSERT_EQ(graph->body.nodes.size(), 3u);
  EXPECT_EQ(graph->body.nodes[0].kind, "prim::Constant");  // alpha
  EXPECT_EQ(graph->body.nodes[1].attribute, "w");
  const ScriptNode& add = graph->body.nodes[2];
  EXPECT_EQ(add.kind, "aten::add.Tensor");
  EXPECT_EQ(add.places[0].offset, code.find("torch.add"));
  EXPECT_EQ(graph->values[add.inputs[0]].name, "x.1");
  EXPECT_EQ(graph->values[add.inputs[1]].name, "w.1");
  EXPECT_EQ(graph->values[add.outputs[0]].type, "Tensor");
}

// The kinds of the nodes of these lines, without constants and attributes.
std::string KindsOf(const std::string& lines) {
  std::string reason, kinds;
  const std::optional<ScriptGraph> graph = CompileScript(SourceOf(ModuleOf(lines)), reason);
  if (!graph) return reason;
  for (const ScriptNode& node : graph->body.nodes)
    if (!node.kind.starts_with("prim::")) kinds += (kinds.empty() ? "" : " ") + std::string(node.kind);
  return kinds;
}

TEST(CompileScript, OverloadsAreTriedInTheOrderOfTorch) {
  EXPECT_EQ(KindsOf("    return torch.bernoulli(x, out=x)\n"), "aten::bernoulli.out");
  EXPECT_EQ(KindsOf("    return torch.bernoulli(x, 0.5, out=x)\n"), "aten::bernoulli.float_out");
  EXPECT_EQ(KindsOf("    return torch.clamp(x, None, None, out=x)\n"), "aten::clamp.out");
}

TEST(CompileScript, OperatorsThatTorchHasNoMoreAreThoseOfOlderVersions) {
  EXPECT_EQ(KindsOf("    return torch.cholesky(x)\n"), "aten::cholesky");
}

TEST(CompileScript, OtherNamesOfOperatorsAreReplaced) {
  EXPECT_EQ(KindsOf("    return torch.det(x)\n"), "aten::linalg_det");
  EXPECT_EQ(KindsOf("    return torch.linalg_det(x, out=x)\n"), "aten::linalg_det.out");
  EXPECT_EQ(KindsOf("    return torch.row_stack([x, x])\n"), "aten::vstack");
  EXPECT_EQ(KindsOf("    return torch.special_polygamma(2, x)\n"), "aten::polygamma");
  EXPECT_EQ(KindsOf("    return torch.swapaxes_(torch.arctan2_(x, x), 0, 1)\n"), "aten::atan2_ aten::transpose_");
  EXPECT_EQ(KindsOf("    return torch.rsub(x, torch.rsub(x, 2))\n"), "aten::rsub.Scalar aten::sub.Tensor");
}

TEST(CompileScript, ComplexNumbersAreFolded) {
  std::string reason;
  const auto graph = CompileScript(SourceOf(ModuleOf("    return torch.mul(x, -1.5-2.j)\n")), reason);
  ASSERT_TRUE(graph) << reason;
  EXPECT_EQ(graph->body.nodes[0].constant.Get<std::complex<double>>(), std::complex<double>(-1.5, -2));
  EXPECT_EQ(graph->body.nodes[1].kind, "aten::mul.Scalar");
  EXPECT_EQ(KindsOf("    return torch.mul(x, x-2.j)\n"), "`code/__torch__.py`, line 5: the operator `-`");
}

TEST(CompileScript, WhatIsNotKnownIsNamedWithItsPlace) {
  EXPECT_EQ(ReasonFor(ModuleOf("    y = x + 1\n    return y\n")), "`code/__torch__.py`, line 5: the operator `+`");
  EXPECT_EQ(ReasonFor(ModuleOf("    return ops.mine.f(x)\n")), "`code/__torch__.py`, line 5: the operator `mine::f`");
  EXPECT_EQ(ReasonFor(ModuleOf("    return torch.relu(x, x)\n")),
      "`code/__torch__.py`, line 5: a call of `aten::relu` that fits none of its overloads");
  EXPECT_EQ(ReasonFor(ModuleOf("    return (self).forward(x, )\n")),
      "`code/__torch__.py`, line 5: a recursive call of `__torch__.M.forward`");
  EXPECT_EQ(ReasonFor("x = 1\n"), "the class `__torch__.M`, which the code does not have");
  EXPECT_EQ(ReasonFor(""), "the class `__torch__.M`, which the code does not have");
}

TEST(CompileScript, WhereTheMethodIsMissingTheOthersAreListed) {
  ScriptSource source = SourceOf(ModuleOf("    return x\n"));
  source.method = "encode";
  std::string reason;
  const std::optional<ScriptGraph> graph = CompileScript(source, reason);
  ASSERT_TRUE(graph) << reason;
  EXPECT_EQ(graph->other_methods, std::vector<std::string>{"forward"});
}

// f0 calls f1 twice, f1 calls f2 twice ...
std::string Doubling(int levels) {
  std::string text = ModuleOf("    return __torch__.f0(x, )\n");
  for (int i = 0; i < levels; ++i)
    text += "def f" + std::to_string(i) + "(x: Tensor) -> Tensor:\n  y = __torch__.f" + std::to_string(i + 1) +
            "(x, )\n  return __torch__.f" + std::to_string(i + 1) + "(y, )\n";
  return text + "def f" + std::to_string(levels) + "(x: Tensor) -> Tensor:\n  return torch.relu(x)\n";
}

TEST(CompileScript, HostileCodeIsRefused) {
  EXPECT_EQ(ReasonFor(Doubling(3)), "");
  EXPECT_EQ(ReasonFor(Doubling(40)), "code of more than 1000000 nodes when calls are inlined");
  EXPECT_NE(ReasonFor(Doubling(400)).find("calls nested more than 100 deep"), std::string::npos);
  std::string tuples = "    a0 = (x, x)\n";
  for (int i = 0; i < 60; ++i)
    tuples += "    a" + std::to_string(i + 1) + " = (a" + std::to_string(i) + ", a" + std::to_string(i) + ")\n";
  EXPECT_EQ(ReasonFor(ModuleOf(tuples + "    return x\n")), "a type of more than 10000 parts");
  std::string blocks;
  for (int i = 0; i < 300; ++i) blocks += std::string(4 + 2 * i, ' ') + "if True:\n";
  EXPECT_NE(ReasonFor(ModuleOf(blocks)).find("blocks nested more than 100 deep"), std::string::npos);
}

}  // namespace
}  // namespace fakeprop
