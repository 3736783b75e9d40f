// What is recomputed, and which modules are chosen.
#include <gtest/gtest.h>

#include "lib/memory/memory_json.h"
#include "lib/training/checkpoint_choice.h"
#include "lib/training/module_pattern.h"
#include "lib/training/testing/layers.h"

namespace fakeprop {
namespace {

TrainingOptions Recomputing(std::vector<std::string> modules) {
  TrainingOptions options;
  options.checkpoint = std::move(modules);
  options.free = FreeWhen::kAfterLastUse;
  return options;
}

int64_t PeakOf(const testing::Layers& layers, TrainingStep step) {
  return MemoryProfile(std::move(step.timeline), *layers.env).PeakAt({}).bytes;
}

TEST(Checkpoint, Patterns) {
  const struct {
    const char *path, *pattern;
    bool fits;
  } cases[] = {
      {"layers.0", "layers.0", true},
      {"layers.0", "layers.*", true},
      {"layers.0.fc", "layers.*", false},
      {"layers.0.fc", "layers.**", true},
      {"layers.12", "layers.#", true},
      {"layers.x", "layers.#", false},
      {"net.layers.3", "**.#", true},
      {"3", "#", true},
      {"layers", "layers.*", false},
      {"head", "h*d", true},
      {"", "*", true},
  };
  for (const auto& [path, pattern, fits] : cases) EXPECT_EQ(FitsModulePattern(path, pattern), fits) << path << pattern;
}

TEST(Checkpoint, ForwardRunsAgainBeforeItsBackwardPass) {
  const testing::Layers layers = testing::MakeLayers(2);
  const TrainingStep step = ModelTraining(layers.graph, layers.annotations, Recomputing({"layers.1"}));
  std::string names;
  for (size_t i = layers.graph.nodes.size(); i < step.timeline.steps.size(); ++i)
    names += StepName(step.timeline, static_cast<int32_t>(i)) + "\n";
  EXPECT_EQ(names,
      "backward of output\nrecompute of a1\nrecompute of b1\nrecompute of c1\nbackward of c1\nbackward of b1\n"
      "backward of a1\nbackward of c0\nbackward of b0\nbackward of a0\n");
  EXPECT_EQ(step.checkpoints, std::vector<std::string>{"layers.1"});
  EXPECT_EQ(step.recomputed.size(), 3u);
}

TEST(Checkpoint, ActivationsInsideAreDropped) {
  const testing::Layers layers = testing::MakeLayers(4);
  const int64_t whole = PeakOf(layers, ModelTraining(layers.graph, layers.annotations, Recomputing({})));
  const int64_t less = PeakOf(layers, ModelTraining(layers.graph, layers.annotations, Recomputing({"layers.#"})));
  // Of the four results of sigmoid one is there at a time; c is computed again beside the first one.
  EXPECT_LT(less, whole);
  EXPECT_GE(less, whole - 3 * 40);
}

TEST(Checkpoint, TheChoiceIsThatOfBruteForce) {
  const testing::Layers layers = testing::MakeLayers(4);
  const FixedSymbols fixed(*layers.env);
  const GraphCost cost = CountCost(layers.graph, layers.annotations, fixed);
  std::vector<std::pair<int64_t, int64_t>> all;  // peak, FLOPs
  for (int set = 0; set < 16; ++set) {
    std::vector<std::string> modules;
    for (int i = 0; i < 4; ++i)
      if (set >> i & 1) modules.push_back("layers." + std::to_string(i));
    TrainingStep step = ModelTraining(layers.graph, layers.annotations, Recomputing(modules));
    const int64_t flops = FlopsOf(step.recomputed, cost, {});
    all.emplace_back(PeakOf(layers, std::move(step)), flops);
  }
  for (const auto& [budget, ignored] : all) {
    int64_t least = INT64_MAX;
    for (const auto& [peak, flops] : all)
      if (peak <= budget) least = std::min(least, flops);
    const CheckpointChoice choice =
        ChooseCheckpoints(layers.graph, layers.annotations, fixed, Recomputing({}), budget, {});
    EXPECT_TRUE(choice.fits && choice.is_exact) << budget;
    EXPECT_EQ(choice.flops, least) << budget;
    EXPECT_LE(choice.peak, budget);
  }
  EXPECT_FALSE(ChooseCheckpoints(layers.graph, layers.annotations, fixed, Recomputing({}), 100, {}).fits);
}

}  // namespace
}  // namespace fakeprop
