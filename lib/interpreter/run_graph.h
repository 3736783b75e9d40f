// The interpreter: what every node of a graph produces. Source: torch/fx/passes/fake_tensor_prop.py (torch 2.13).
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace fakeprop {

class LibTorchFallback;
class OpRules;
class ResolvedGraphs;
class ShapeEnv;
struct Annotations;  // lib/interpreter/annotations.h
struct Graph;
struct InputValue;

// What was looked up in a graph and its subgraphs (lib/interpreter/resolve.h). Runs in several threads can share it.
std::shared_ptr<ResolvedGraphs> NewResolvedGraphs();

struct RunOptions {
  bool keep_going = false;  // after an error, go on with what does not depend on it
  bool grad_enabled = true;
  bool crossref = false;                // run what rules serve through LibTorch as well, and compare
  bool allow_fallback_kernels = false;  // LibTorch's CPU kernels may run on zeros for operators of its own
  const OpRules* op_rules = nullptr;    // for custom operators; they outlive the run
  // The symbols that inputs have; a run without any makes its own.
  std::shared_ptr<ShapeEnv> shape_env;
  // What earlier runs of the same graph looked up, and this one adds to; null for a run of its own.
  std::shared_ptr<ResolvedGraphs> resolved;
  // Called at most once, when a node needs it. Gives null and a reason where there is none.
  std::function<LibTorchFallback*(std::string& reason)> open_libtorch;
  // Called now and then with the number of nodes done.
  std::function<void(size_t done, size_t total)> progress;
};

// Runs the whole graph; `inputs` has one entry for each placeholder (ResolveInputs). Errors of nodes are in the
// result, never thrown.
Annotations RunGraph(const Graph& graph, const std::vector<InputValue>& inputs, const RunOptions& options);

}  // namespace fakeprop
