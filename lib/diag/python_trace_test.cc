#include "lib/diag/python_trace.h"

#include <gtest/gtest.h>

namespace fakeprop {
namespace {

constexpr const char* kTrace =
    "File \"graphs/vit/model.py\", line 68, in forward\n"
    "    x = self.norm(self.blocks(image))\n"
    "  File \"torch/nn/modules/container.py\", line 253, in forward\n"
    "    input = module(input)\n"
    "  File \"graphs/vit/model.py\", line 54, in forward\n"
    "    return x + self.mlp(x)\n"
    "  File \"/usr/lib/python3/site-packages/torch/nn/modules/linear.py\", line 134, in forward\n"
    "    return F.linear(input, self.weight, self.bias)\n";
constexpr const char* kModules =
    "L__self__,,vit.model.ViT;L__self__blocks,blocks,torch.nn.modules.container.Sequential;"
    "L__self__blocks.0,blocks.0,vit.model.Block;L__self__blocks.0.mlp@1,blocks.0.mlp,torch.nn.modules.linear.Linear";

std::string Text(const std::vector<PythonFrame>& frames) {
  std::string out;
  for (const PythonFrame& f : frames)
    out += f.file + ":" + std::to_string(f.line) + " " + f.function + "|" + f.source + "\n";
  return out;
}

TEST(PythonTrace, FramesOutermostFirst) {
  EXPECT_EQ(Text(ParseStackTrace(kTrace)),
      "graphs/vit/model.py:68 forward|x = self.norm(self.blocks(image))\n"
      "torch/nn/modules/container.py:253 forward|input = module(input)\n"
      "graphs/vit/model.py:54 forward|return x + self.mlp(x)\n"
      "/usr/lib/python3/site-packages/torch/nn/modules/linear.py:134 forward|return F.linear(input, self.weight, "
      "self.bias)\n");
}

TEST(PythonTrace, ForwardsGetTheirClasses) {
  const auto frames = ParseStackTrace(kTrace, kModules);
  ASSERT_EQ(frames.size(), 4u);
  EXPECT_EQ(frames[0].function, "ViT.forward");
  EXPECT_EQ(frames[2].function, "Block.forward");
  EXPECT_EQ(frames[3].function, "Linear.forward");
}

TEST(PythonTrace, ForwardsThatDoNotMatchTheModulesStayAsTheyAre) {
  EXPECT_EQ(ParseStackTrace(kTrace, "L__self__,,vit.model.ViT")[0].function, "forward");
}

TEST(PythonTrace, SourcesOfSeveralLines) {
  const auto frames = ParseStackTrace(
      "  File \"a.py\", line 3, in f\n"
      "    y = g(\n"
      "        x,\n"
      "    )\n"
      "    ~~^^^\n"
      "  [Previous line repeated 3 more times]\n"
      "  File \"b.py\", line 4\n");
  EXPECT_EQ(Text(frames), "a.py:3 f|y = g(\n    x,\n)\nb.py:4 |\n");
}

TEST(PythonTrace, OtherTextHasNoFrames) {
  EXPECT_TRUE(ParseStackTrace("").empty());
  EXPECT_TRUE(ParseStackTrace("None").empty());
  EXPECT_TRUE(ParseStackTrace("File \"x.py\", line many, in f\n").empty());
  EXPECT_TRUE(ParseStackTrace("File \"x.py").empty());
}

TEST(PythonTrace, HeadlineIsTheInnermostOutsideOfTorch) {
  const auto frames = ParseStackTrace(kTrace);
  EXPECT_EQ(HeadlineFrame(frames), &frames[2]);
  const auto inside = ParseStackTrace("File \"torch/a.py\", line 1, in f\nFile \"torch/b.py\", line 2, in g\n");
  EXPECT_EQ(HeadlineFrame(inside), &inside[1]);
  EXPECT_EQ(HeadlineFrame({}), nullptr);
  const auto mine = ParseStackTrace("File \"/home/me/torchvision_fork/a.py\", line 1, in f\n");
  EXPECT_FALSE(IsTorchFrame(mine[0]));
}

TEST(PythonTrace, ModuleStack) {
  const auto modules = ParseModuleStack(kModules);
  ASSERT_EQ(modules.size(), 4u);
  EXPECT_EQ(modules[0].path, "");
  EXPECT_EQ(modules[2].path, "blocks.0");
  EXPECT_EQ(modules[2].class_name(), "Block");
  EXPECT_EQ(InnermostModule(kModules), "blocks.0.mlp");
  EXPECT_EQ(InnermostModule(""), "");
  EXPECT_EQ(InnermostModule("key"), "");
  const std::string hook = "_empty_nn_module_stack_from_metadata_hook";
  EXPECT_EQ(InnermostModule(hook + "," + hook + "," + hook), "");
  EXPECT_EQ(InnermostModule("k,fc,torch.nn.Linear;" + hook + "," + hook + "," + hook), "fc");
}

}  // namespace
}  // namespace fakeprop
