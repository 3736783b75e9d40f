// Steps of training that can be counted by hand. tools/dev/memory/check_training.py compares whole models with eager.
#include <gtest/gtest.h>

#include "lib/diag/render_text.h"
#include "lib/inputs/inputs.h"
#include "lib/interpreter/run_graph.h"
#include "lib/interpreter/testing/written_graph.h"
#include "lib/memory/memory_json.h"
#include "lib/readers/read_graph.h"
#include "lib/refine/fixed_symbols.h"
#include "lib/symbolic/shape_env.h"
#include "lib/training/training_step.h"

namespace fakeprop {
namespace {

struct Trained {
  Graph graph;
  std::shared_ptr<ShapeEnv> env;
  Annotations annotations;
  TrainingStep step;
};

Trained Train(
    Graph graph, const std::vector<InputValue>& inputs, std::shared_ptr<ShapeEnv> env, const TrainingOptions& options) {
  RunOptions run;
  run.shape_env = env;
  Trained trained{std::move(graph), std::move(env), {}, {}};
  trained.annotations = RunGraph(trained.graph, inputs, run);
  if (!trained.annotations.diagnostics.empty()) ADD_FAILURE() << RenderText(trained.annotations.diagnostics[0]);
  trained.step = ModelTraining(trained.graph, trained.annotations, options);
  return trained;
}

// Inputs that require grad are parameters.
Trained TrainText(const std::string& text, TrainingOptions options = {}) {
  options.free = FreeWhen::kAfterLastUse;
  testing::WrittenGraph written = testing::ReadWrittenGraph(text);
  for (Input& input : written.graph.inputs) {
    const std::string line = text.substr(text.find(written.graph.nodes[input.node].name + ": "));
    if (line.substr(0, line.find('\n')).ends_with("grad")) input.kind = InputKind::kParameter;
  }
  return Train(std::move(written.graph), written.inputs, std::make_shared<ShapeEnv>(), options);
}

Trained TrainFile(const std::string& path, const TrainingOptions& options = {}) {
  DiagnosticSink sink;
  std::optional<Graph> graph = ReadGraph(path, sink);
  auto env = std::make_shared<ShapeEnv>();
  auto inputs = ResolveInputs(*graph, R"({"format": "fakeprop.inputs/1", "inputs": {}})", "spec", sink, env.get(), {});
  return Train(std::move(*graph), *inputs, env, options);
}

// "128 at backward of sin"
std::string PeakOf(const Trained& trained) {
  const MemoryProfile profile(trained.step.timeline, *trained.env);
  const MemoryPeak peak = profile.PeakAt(FixedSymbols(*trained.env).Point());
  return std::to_string(peak.bytes) + " at " + StepName(profile.timeline(), peak.step);
}

int64_t BytesOf(const Trained& trained, MemoryCategory category) {
  int64_t bytes = 0;
  for (const MemoryBlock& block : trained.step.timeline.blocks)
    if (block.category == category) bytes += block.bytes.Hint().value_or(0);
  return bytes;
}

TEST(Training, SmallSteps) {
  const struct {
    const char* text;
    const char* peak;
  } cases[] = {
      // x 40, z 4, the gradient of z 4, that of x 40, and the cosine 40.
      {"x: f32[10] grad\ny = sin(x)\nz = sum(y)\nreturn z", "128 at backward of y"},
      // relu saves its result: x, y, z, and the gradients of z and x.
      {"x: f32[10] grad\ny = relu(x)\nz = sum(y)\nreturn z", "128 at backward of y"},
      // A view's gradient is a view; the gradient that comes in has 40, x's is in the same bytes.
      {"x: f32[10] grad\ny = view(x, [2, 5])\nreturn y", "80 at backward of output"},
      // Each part of a list gets a gradient; together they are one of the whole.
      {"x: f32[10] grad\ny = split.Tensor(x, 5)\na = _operator.getitem(y, 0)\nreturn a", "100 at backward of y"},
  };
  for (const auto& [text, peak] : cases) EXPECT_EQ(PeakOf(TrainText(text)), peak) << text;
}

TEST(Training, ActivationsAreWhatAutogradSaves) {
  const std::string head = "x: f32[10] grad\nw: f32[10]\na = relu(x)\n";
  const struct {
    const char* text;
    int64_t bytes;
  } cases[] = {
      {"y = sin(w)\nz = add.Tensor(a, y)\nreturn z", 40},            // relu's result alone
      {"y = sin(w)\nz = mul.Tensor(a, y)\nreturn z", 80},            // and the factor
      {"y = mul.Scalar(a, 2)\nz = mul.Tensor(y, w)\nreturn z", 40},  // y is saved only if w requires grad
      {"y = sin(a)\nz = exp(y)\nreturn z", 40},                      // exp saves its result, which is an output
      {"y = detach(a)\nz = sin(y)\nreturn z, a", 0},                 // a is an output
      {"z = dropout(a, 0.5, True)\nreturn z", 80},                   // the noise
      {"z = layer_norm(a, [10])\nreturn z", 48},                     // a mean and a deviation
      {"y = view(a, [2, 5])\nz = softmax.int(y, -1)\ny2 = sin(z)\nreturn y2", 80},
  };
  for (const auto& [text, bytes] : cases)
    EXPECT_EQ(BytesOf(TrainText(head + text), MemoryCategory::kActivation), bytes) << text;
}

TEST(Training, GradientsAddUpInPlace) {
  // The second gradient of a is added to the first.
  EXPECT_EQ(PeakOf(TrainText("x: f32[10] grad\na = relu(x)\nb = sin(a)\nc = exp(a)\nd = add.Tensor(b, c)\nreturn d")),
      "280 at backward of b");
}

TEST(Training, StatesOfOptimisers) {
  Storage storage;
  Tensor matrix, vector, half;
  matrix.meta = ContiguousMeta(Dims{64, 100}, ScalarType::Float, Device(DeviceType::CPU));
  vector.meta = ContiguousMeta(Dims{100}, ScalarType::Float, Device(DeviceType::CPU));
  half.meta = ContiguousMeta(Dims{64, 100}, ScalarType::BFloat16, Device(DeviceType::CPU));
  const struct {
    Optimizer optimizer;
    const Tensor& parameter;
    bool master;
    int64_t bytes;
  } cases[] = {
      {Optimizer::kNone, matrix, false, 0},
      {Optimizer::kNone, half, true, 25600},
      {Optimizer::kSgd, matrix, true, 0},
      {Optimizer::kMomentum, matrix, false, 25600},
      {Optimizer::kAdam, half, false, 25604},
      {Optimizer::kAdamW, half, true, 76804},
      {Optimizer::kAdafactor, matrix, false, 256 + 400 + 4},
      {Optimizer::kAdafactor, vector, false, 404},
      {Optimizer::kAdam8bit, matrix, false, 2 * (6400 + 25 * 4)},
      {Optimizer::kAdam8bit, vector, false, 800},
  };
  for (const auto& [optimizer, parameter, master, bytes] : cases) {
    int64_t sum = 0;
    for (const OptimizerState& state : StatesOf(optimizer, parameter, master)) sum += *state.bytes.TryNumber();
    EXPECT_EQ(sum, bytes) << Name(optimizer) << " of " << ToString(parameter.meta);
  }
}

TEST(Training, OptimisersAndEarlierGradientsAreHeld) {
  const std::string text = "x: f32[10] grad\ny = relu(x)\nz = sum(y)\nreturn z";
  const Trained adam = TrainText(text, {.optimizer = Optimizer::kAdam});
  EXPECT_EQ(BytesOf(adam, MemoryCategory::kOptimizerState), 84);
  EXPECT_EQ(adam.step.timeline.steps.back().role, "optimizer step");
  const Trained accumulated = TrainText(text, {.accumulate = true});
  EXPECT_EQ(BytesOf(accumulated, MemoryCategory::kGradient), 80);
  EXPECT_EQ(PeakOf(accumulated), "168 at backward of y");
}

TEST(Training, JointGraphsHaveTheirOwnBackwardPass) {
  const Trained joint = TrainFile("testdata/joint/tied/graph.json");
  EXPECT_TRUE(joint.step.is_joint);
  EXPECT_EQ(joint.step.gradients, 13);
  EXPECT_GT(BytesOf(joint, MemoryCategory::kActivation), 0);
  EXPECT_EQ(BytesOf(joint, MemoryCategory::kGradient), BytesOf(joint, MemoryCategory::kParameter));
  const Trained forward = TrainFile("graphs/resnet_small/graph.json");
  EXPECT_FALSE(forward.step.is_joint);
  EXPECT_TRUE(forward.step.approximate.empty());
}

TEST(Training, WithoutGradientsThereIsNothingToTrain) {
  EXPECT_EQ(TrainText("x: f32[10]\ny = relu(x)\nreturn y").step.gradients, 0);
}

}  // namespace
}  // namespace fakeprop
