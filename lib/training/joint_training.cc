#include "lib/training/joint_training.h"

#include <algorithm>

#include "lib/cost/counted_call.h"
#include "lib/meta/value_visit.h"
#include "lib/training/optimizer_step.h"
#include "lib/training/saved_tensors.h"

namespace fakeprop {
namespace {

const Tensor* TensorOf(const GraphAnnotations& run, int32_t node) { return run.nodes[node].value.TryTensor(); }

bool IsLike(const Tensor* gradient, const Tensor* parameter) {
  if (!gradient || !parameter || gradient->storage == parameter->storage) return false;
  const TensorMeta &a = gradient->meta, &b = parameter->meta;
  if (a.dtype != b.dtype || a.sizes.size() != b.sizes.size()) return false;
  for (size_t d = 0; d < a.sizes.size(); ++d)
    if (a.sizes[d].Hint() != b.sizes[d].Hint()) return false;
  return true;
}

std::vector<int32_t> OutputsOf(const Graph& graph) {
  std::vector<int32_t> outputs;
  for (const Node& node : graph.nodes)
    if (node.op == NodeOp::kOutput)
      for (const Argument& argument : node.arguments)
        ForEachNode(argument.value, [&](NodeRef ref) { outputs.push_back(ref.index); });
  return outputs;
}

class GradientFinder {
 public:
  GradientFinder(const Graph& graph, const Annotations& annotations)
      : graph_(graph), run_(annotations.graphs[0]), outputs_(OutputsOf(graph)) {}

  std::vector<JointGradient> Find() const {
    const std::vector<int32_t> parameters = Parameters();
    if (!parameters.empty()) return FindAll(parameters);
    return graph_.kind == kFxKind && graph_.attributes.empty() && graph_.modules.empty() ? FindLast()
                                                                                         : std::vector<JointGradient>();
  }

 private:
  // Those that require grad; all if none does, as in graphs whose autograd is done.
  std::vector<int32_t> Parameters() const {
    std::vector<int32_t> all, trained;
    for (const Input& input : graph_.inputs) {
      if (input.kind != InputKind::kParameter) continue;
      all.push_back(input.node);
      if (const Tensor* t = TensorOf(run_, input.node); t && t->RequiresGrad()) trained.push_back(input.node);
    }
    return trained.empty() ? all : trained;
  }

  // The outputs from `first` on, as far as they are like the parameters.
  std::vector<JointGradient> MatchFrom(size_t first, const std::vector<int32_t>& parameters) const {
    std::vector<JointGradient> found;
    for (size_t i = 0; i < parameters.size() && first + i < outputs_.size(); ++i) {
      const int32_t node = outputs_[first + i];
      if (!IsLike(TensorOf(run_, node), TensorOf(run_, parameters[i]))) break;
      found.push_back({static_cast<int32_t>(first + i), node, parameters[i]});
    }
    return found;
  }

  std::vector<JointGradient> FindAll(const std::vector<int32_t>& parameters) const {
    for (size_t first = 1; first + parameters.size() <= outputs_.size(); ++first)
      if (auto found = MatchFrom(first, parameters); found.size() == parameters.size()) return found;
    return {};
  }

  std::vector<JointGradient> FindLast() const {
    std::vector<int32_t> inputs;
    for (const Input& input : graph_.inputs) inputs.push_back(input.node);
    for (size_t first = 1; first + 1 < outputs_.size(); ++first)
      if (auto found = MatchFrom(first, inputs); found.size() == outputs_.size() - first) return found;
    return {};
  }

  const Graph& graph_;
  const GraphAnnotations& run_;
  const std::vector<int32_t> outputs_;
};

class JointTraining {
 public:
  JointTraining(const Graph& graph, const Annotations& annotations, const std::vector<JointGradient>& gradients,
      const TrainingOptions& options)
      : graph_(graph), run_(annotations.graphs[0]), gradients_(gradients), options_(options) {
    result_.timeline = FindLifetimes(graph, annotations, options.free.value_or(FreeWhen::kAfterLastUse));
    result_.is_joint = true;
    result_.gradients = static_cast<int64_t>(gradients.size());
  }

  TrainingStep Model() {
    MarkActivations();
    for (const JointGradient& gradient : gradients_) MarkGradient(gradient);
    AddOptimizer(Trained(), options_, result_.timeline);
    return std::move(result_);
  }

 private:
  // Nodes that an output other than a gradient depends on.
  std::vector<bool> FindForward() const {
    std::vector<bool> is_forward(graph_.nodes.size());
    const std::vector<int32_t> outputs = OutputsOf(graph_);
    for (size_t i = 0; i < outputs.size(); ++i)
      if (static_cast<int32_t>(i) < gradients_.front().output || static_cast<int32_t>(i) > gradients_.back().output)
        is_forward[outputs[i]] = true;
    for (size_t i = graph_.nodes.size(); i-- > 0;) {
      if (!is_forward[i]) continue;
      for (const Argument& argument : graph_.nodes[i].arguments)
        ForEachNode(argument.value, [&](NodeRef ref) { is_forward[ref.index] = true; });
    }
    return is_forward;
  }

  void MarkActivations() {
    const std::vector<bool> is_forward = FindForward();
    const auto mark = [&](const Tensor& t) {
      MemoryBlock& block = result_.timeline.blocks[result_.timeline.block_of[t.storage->id]];
      if (block.category == MemoryCategory::kTemporary && is_forward[block.first])
        block.category = MemoryCategory::kActivation;
    };
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      if (is_forward[i] || graph_.nodes[i].op == NodeOp::kOutput) continue;
      for (const Argument& argument : graph_.nodes[i].arguments)
        ForEachNode(argument.value, [&](NodeRef ref) { ForEachTensor(run_.nodes[ref.index].value, mark); });
    }
  }

  void MarkGradient(const JointGradient& gradient) {
    const Tensor& parameter = *TensorOf(run_, gradient.parameter);
    const int32_t index = result_.timeline.block_of[TensorOf(run_, gradient.node)->storage->id];
    result_.timeline.blocks[index].category = MemoryCategory::kGradient;
    if (!options_.accumulate) return;
    const auto last = static_cast<int32_t>(result_.timeline.steps.size()) - 1;
    result_.timeline.blocks.push_back({WithEqualities(DenseBytes(parameter)), parameter.meta.device, 0, last,
        MemoryCategory::kGradient, &graph_.nodes[gradient.parameter], "accumulated gradient of"});
  }

  std::vector<TrainedParameter> Trained() const {
    std::vector<TrainedParameter> trained;
    for (const JointGradient& gradient : gradients_)
      trained.push_back({&graph_.nodes[gradient.parameter], TensorOf(run_, gradient.parameter)});
    return trained;
  }

  const Graph& graph_;
  const GraphAnnotations& run_;
  const std::vector<JointGradient>& gradients_;
  const TrainingOptions& options_;
  TrainingStep result_;
};

}  // namespace

std::vector<JointGradient> FindJointGradients(const Graph& graph, const Annotations& annotations) {
  return GradientFinder(graph, annotations).Find();
}

TrainingStep ModelJointTraining(const Graph& graph, const Annotations& annotations,
    const std::vector<JointGradient>& gradients, const TrainingOptions& options) {
  return JointTraining(graph, annotations, gradients, options).Model();
}

}  // namespace fakeprop
