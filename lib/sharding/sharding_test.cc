// Ranks of a chain of three layers, counted by hand. Each layer has a weight of 40 bytes.
#include <algorithm>
#include <chrono>

#include <gtest/gtest.h>

#include "lib/memory/memory_json.h"
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

// "all-gather of parameters 108, ..."
std::string SentBy(const ShardedStep& step) {
  std::string text;
  for (const Communication& sent : step.sent)
    text += (text.empty() ? "" : ", ") + std::string(sent.what) + " " + sent.bytes.ToString();
  return text;
}

// The names of the steps that are about modules.
std::vector<std::string> ModuleSteps(const ShardedStep& step) {
  std::vector<std::string> names;
  for (size_t i = 0; i < step.timeline.steps.size(); ++i)
    if (!step.timeline.steps[i].module.empty()) names.push_back(StepName(step.timeline, static_cast<int32_t>(i)));
  return names;
}

int64_t BytesWithRole(const ShardedStep& step, std::string_view role) {
  int64_t bytes = 0;
  for (const MemoryBlock& block : step.timeline.blocks)
    if (block.role == role) bytes += *block.bytes.TryNumber();
  return bytes;
}

// A part has 3 of 10 elements: FSDP2 divides the first dimension, and all parts are as large as the first. In stage 1
// each of three ranks has the states of one parameter.
TEST(Sharding, StagesDivideMoreAndMore) {
  const testing::Layers layers = testing::MakeLayers(3);
  const struct {
    int stage;
    int64_t parameters, gradients, states;
    const char* sent;
  } cases[] = {
      {1, 120, 120 + 120, 84, "all-reduce of gradients 180, broadcast of parameters 90"},
      {2, 36, 120 + 36, 84, "all-gather of parameters 108, reduce-scatter of gradients 108"},
      {3, 36, 120 + 36, 84, "all-gather of parameters 216, reduce-scatter of gradients 108"},
  };
  for (const auto& [stage, parameters, gradients, states, sent] : cases) {
    const ShardedStep step = DivideStates(layers.graph, layers.annotations, StepOf(layers), {4, stage, {}});
    EXPECT_EQ(BytesOf(step, MemoryCategory::kParameter), parameters) << stage;
    EXPECT_EQ(BytesOf(step, MemoryCategory::kGradient), gradients) << stage;
    EXPECT_EQ(BytesOf(step, MemoryCategory::kOptimizerState), states) << stage;
    EXPECT_EQ(SentBy(step), sent) << stage;
  }
}

TEST(Sharding, AUnitIsGatheredWhileTheOneBeforeRuns) {
  const testing::Layers layers = testing::MakeLayers(3);
  const ShardedStep step = DivideStates(layers.graph, layers.annotations, StepOf(layers), {4, 3, {"layers.#"}});
  EXPECT_EQ(ModuleSteps(step),
      (std::vector<std::string>{"all-gather of layers.0", "copy-out of layers.0", "all-gather of layers.1",
          "copy-out of layers.1", "all-gather of layers.2", "copy-out of layers.2", "all-gather of layers.2",
          "copy-out of layers.2", "all-gather of layers.1", "copy-in of layers.2", "reduce-scatter of layers.2",
          "copy-out of layers.1", "all-gather of layers.0", "copy-in of layers.1", "reduce-scatter of layers.1",
          "copy-out of layers.0", "copy-in of layers.0", "reduce-scatter of layers.0"}));
  // One unit for all is the root. It is gathered once.
  const ShardedStep root = DivideStates(layers.graph, layers.annotations, StepOf(layers), {4, 3, {"none"}});
  EXPECT_EQ(SentBy(root), "all-gather of parameters 108, reduce-scatter of gradients 108");
  EXPECT_EQ(ModuleSteps(root), (std::vector<std::string>{"all-gather of the root", "copy-out of the root",
                                   "copy-in of the root", "reduce-scatter of the root"}));
}

// Nothing may grow as the square of the graph: that would take 1024 times as long for 32 times as many units. Larger
// tables miss caches, so that 32 times as long is not to be had.
TEST(Sharding, ManyUnitsTakeTheirTime) {
  const auto seconds = [](int count) {
    const testing::Layers layers = testing::MakeLayers(count);
    const ShardedStep step = StepOf(layers);
    double best = 1e9;
    for (int i = 0; i < 5; ++i) {
      const auto start = std::chrono::steady_clock::now();
      const ShardedStep divided = DivideStates(layers.graph, layers.annotations, step, {8, 3, {"layers.#"}});
      const auto stages = DivideLayers(layers.graph, layers.annotations, step, {{"layers.7"}, 4});
      best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
      EXPECT_EQ(ModuleSteps(divided).size(), static_cast<size_t>(6 * count));
      EXPECT_EQ(stages.size(), 2u);
    }
    return best;
  };
  EXPECT_LT(seconds(6400), 512 * seconds(200));
}

TEST(Sharding, ColumnsAndRows) {
  const testing::Layers layers = testing::MakeLayers(3);
  const ShardedStep step =
      DivideTensors(layers.graph, layers.annotations, StepOf(layers), {2, {"layers.0"}, {"layers.1"}, {}});
  EXPECT_EQ(BytesOf(step, MemoryCategory::kParameter), 20 + 20 + 40);
  EXPECT_EQ(BytesOf(step, MemoryCategory::kGradient), 20 + 20 + 40);
  // The results of layers.1. The input of layers.0 gets no gradient.
  EXPECT_EQ(SentBy(step), "all-reduce of activations 40");
  for (const MemoryBlock& block : step.timeline.blocks) {
    if (!block.maker || block.role.empty() == false || block.maker->op != NodeOp::kCallFunction) continue;
    EXPECT_EQ(*block.bytes.TryNumber(), block.maker->name[1] == '0' ? 20 : 40) << block.maker->name;
  }
  const ShardedStep sequence =
      DivideTensors(layers.graph, layers.annotations, StepOf(layers), {2, {"layers.1"}, {"layers.2"}, {"layers.0"}});
  EXPECT_EQ(SentBy(sequence), "all-gather of activations 40, reduce-scatter of activations 40");
  // The input of layers.1, and the gradient of the results of layers.2.
  EXPECT_EQ(BytesWithRole(sequence, "gathered"), 80);
}

TEST(Sharding, StagesOfAPipeline) {
  const testing::Layers layers = testing::MakeLayers(3);
  const std::vector<ShardedStep> stages =
      DivideLayers(layers.graph, layers.annotations, StepOf(layers), {{"layers.1", "layers.2"}, 4});
  ASSERT_EQ(stages.size(), 3u);
  for (const ShardedStep& stage : stages) {
    EXPECT_EQ(BytesOf(stage, MemoryCategory::kParameter), 40);
    EXPECT_EQ(BytesOf(stage, MemoryCategory::kGradient), 40 + 40);  // of earlier micro-batches, and of this one
    EXPECT_EQ(BytesOf(stage, MemoryCategory::kOptimizerState), 84);
  }
  // Four micro-batches: results forward, gradients backward; the stage in the middle sends both.
  EXPECT_EQ(SentBy(stages[0]), "activations and their gradients 160");
  EXPECT_EQ(SentBy(stages[1]), "activations and their gradients 320");
  EXPECT_EQ(SentBy(stages[2]), "activations and their gradients 160");
  // A buffer for each micro-batch.
  EXPECT_EQ(BytesWithRole(stages[0], "received"), 0);
  EXPECT_EQ(BytesWithRole(stages[1], "received"), 160);
  EXPECT_EQ(BytesWithRole(stages[1], "received gradient of"), 160);
  EXPECT_EQ(BytesWithRole(stages[2], "received gradient of"), 0);
  // The first stage holds two more micro-batches, the last only its own.
  EXPECT_EQ(BytesWithRole(stages[2], "other micro-batches of"), 0);
  EXPECT_GT(BytesWithRole(stages[0], "other micro-batches of"), BytesWithRole(stages[1], "other micro-batches of"));
}

}  // namespace
}  // namespace fakeprop
