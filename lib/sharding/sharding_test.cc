// Ranks of a chain of three layers, counted by hand. Each layer has a weight of 40 bytes.
#include <gtest/gtest.h>

#include "lib/memory/memory_profile.h"
#include "lib/sharding/fully_sharded.h"
#include "lib/sharding/pipeline.h"
#include "lib/sharding/tensor_parallel.h"
#include "lib/training/testing/layers.h"
#include "lib/training/training_step.h"

namespace fakeprop {
namespace {

ShardedStep StepOf(const testing::Layers& layers) {
  TrainingOptions options;
  options.optimizer = Optimizer::kAdam;
  return {ModelTraining(layers.graph, layers.annotations, options).timeline, {}};
}

int64_t BytesOf(const ShardedStep& step, MemoryCategory category) {
  int64_t bytes = 0;
  for (const MemoryBlock& block : step.timeline.blocks)
    if (block.category == category) bytes += *block.bytes.TryNumber();
  return bytes;
}

int64_t PeakOf(const testing::Layers& layers, const ShardedStep& step) {
  return MemoryProfile(step.timeline, *layers.env).PeakAt({}).bytes;
}

// "all-gather of parameters 90, ..."
std::string SentBy(const ShardedStep& step) {
  std::string text;
  for (const Communication& sent : step.sent)
    text += (text.empty() ? "" : ", ") + std::string(sent.what) + " " + sent.bytes.ToString();
  return text;
}

TEST(Sharding, StagesDivideMoreAndMore) {
  const testing::Layers layers = testing::MakeLayers(3);
  const struct {
    int stage;
    int64_t parameters, gradients, states;
    const char* sent;
  } cases[] = {
      {1, 120, 120, 72, "reduce-scatter of gradients 90, all-gather of parameters 90"},
      {2, 120, 120 + 30, 72, "reduce-scatter of gradients 90, all-gather of parameters 90"},
      {3, 30, 120 + 30, 72, "reduce-scatter of gradients 90, all-gather of parameters 180"},
  };
  for (const auto& [stage, parameters, gradients, states, sent] : cases) {
    const ShardedStep step = DivideStates(layers.graph, StepOf(layers), {4, stage, {}});
    EXPECT_EQ(BytesOf(step, MemoryCategory::kParameter), parameters) << stage;
    EXPECT_EQ(BytesOf(step, MemoryCategory::kGradient), gradients) << stage;
    EXPECT_EQ(BytesOf(step, MemoryCategory::kOptimizerState), states) << stage;
    EXPECT_EQ(SentBy(step), sent) << stage;
  }
}

TEST(Sharding, AUnitIsGatheredWhileTheOneBeforeRuns) {
  const testing::Layers layers = testing::MakeLayers(3);
  const ShardedStep step = DivideStates(layers.graph, StepOf(layers), {4, 3, {"layers.#"}});
  std::vector<std::string> gathered;
  for (const MemoryBlock& block : step.timeline.blocks)
    if (block.role == "all-gather of")
      gathered.push_back(
          step.timeline.steps[block.first].node->name + "-" + step.timeline.steps[block.last].node->name);
  EXPECT_EQ(gathered, (std::vector<std::string>{"a0-a0", "a1-a0", "a0-a1", "a2-a1", "a1-a2", "a2-a2"}));
  // One unit for all is the root. It is gathered once.
  EXPECT_EQ(SentBy(DivideStates(layers.graph, StepOf(layers), {4, 3, {"none"}})),
      "reduce-scatter of gradients 90, all-gather of parameters 90");
}

TEST(Sharding, ColumnsAndRows) {
  const testing::Layers layers = testing::MakeLayers(3);
  const ShardedStep step =
      DivideTensors(layers.graph, layers.annotations, StepOf(layers), {2, {"layers.0"}, {"layers.1"}, {}});
  EXPECT_EQ(BytesOf(step, MemoryCategory::kParameter), 20 + 20 + 40);
  EXPECT_EQ(BytesOf(step, MemoryCategory::kGradient), 20 + 20 + 40);
  EXPECT_EQ(SentBy(step), "all-reduce of activations 80");
  for (const MemoryBlock& block : step.timeline.blocks) {
    if (!block.maker || block.role.empty() == false || block.maker->op != NodeOp::kCallFunction) continue;
    EXPECT_EQ(*block.bytes.TryNumber(), block.maker->name[1] == '0' ? 20 : 40) << block.maker->name;
  }
  const ShardedStep sequence =
      DivideTensors(layers.graph, layers.annotations, StepOf(layers), {2, {"layers.0"}, {"layers.1"}, {"layers.2"}});
  EXPECT_EQ(SentBy(sequence), "all-gather of activations 60, reduce-scatter of activations 40");
}

TEST(Sharding, StagesOfAPipeline) {
  const testing::Layers layers = testing::MakeLayers(3);
  const std::vector<ShardedStep> stages =
      DivideLayers(layers.graph, layers.annotations, StepOf(layers), {{"layers.1", "layers.2"}, 4});
  ASSERT_EQ(stages.size(), 3u);
  for (const ShardedStep& stage : stages) {
    EXPECT_EQ(BytesOf(stage, MemoryCategory::kParameter), 40);
    EXPECT_EQ(BytesOf(stage, MemoryCategory::kGradient), 40);
    EXPECT_EQ(BytesOf(stage, MemoryCategory::kOptimizerState), 84);
  }
  // Four micro-batches: results forward, gradients backward; the stage in the middle sends both.
  EXPECT_EQ(SentBy(stages[0]), "activations and their gradients 160");
  EXPECT_EQ(SentBy(stages[1]), "activations and their gradients 320");
  EXPECT_EQ(SentBy(stages[2]), "activations and their gradients 160");
  // Earlier batches: the first stage holds those of three, the last only its own.
  const auto earlier = [](const ShardedStep& stage) {
    int64_t bytes = 0;
    for (const MemoryBlock& block : stage.timeline.blocks)
      if (block.role == "earlier batches of") bytes += *block.bytes.TryNumber();
    return bytes;
  };
  EXPECT_EQ(earlier(stages[2]), 0);
  EXPECT_GT(earlier(stages[0]), earlier(stages[1]));
  EXPECT_LT(PeakOf(layers, stages[2]), PeakOf(layers, StepOf(layers)));
}

}  // namespace
}  // namespace fakeprop
