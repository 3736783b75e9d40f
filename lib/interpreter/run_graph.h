// Runs the interpreter, which computes the result of every node of a graph. Source: torch/fx/passes/fake_tensor_prop.py
// (torch 2.13).
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

// The resolved nodes of a graph and its subgraphs (lib/interpreter/resolve.h). Runs in several threads can share it.
std::shared_ptr<ResolvedGraphs> NewResolvedGraphs();

struct RunOptions {
  bool keep_going = false;  // after an error, go on with what does not depend on it
  bool grad_enabled = true;
  bool crossref = false;                // run calls that rules serve through LibTorch as well, and compare
  bool allow_fallback_kernels = false;  // LibTorch's CPU kernels may run on zeros for operators of its own
  const OpRules* op_rules = nullptr;    // for custom operators; must outlive the run
  // The environment of the inputs' symbols. Null: the run makes its own.
  std::shared_ptr<ShapeEnv> shape_env;
  // Shared with other runs of the same graph; this run adds to it. Null: the run looks up everything itself.
  std::shared_ptr<ResolvedGraphs> resolved;
  // Called at most once, when a node needs LibTorch. Returns null and a reason if it is not there.
  std::function<LibTorchFallback*(std::string& reason)> open_libtorch;
  // Annotate the operators that Python functions, methods and modules call, as far as they take or return integers or
  // bools, or write.
  bool keeps_calls = false;
  // Called after a node of the outermost graph has made unbacked symbols, with the annotations so far. It may teach the
  // environment what is known of them (ShapeEnv::Learn), and must not throw.
  std::function<void(const Annotations& so_far)> on_unbacked;
  // Called now and then with the number of nodes done.
  std::function<void(size_t done, size_t total)> progress;
};

// Runs the whole graph. `inputs` has one entry for each placeholder (ResolveInputs). Errors of nodes are in the result
// and never thrown.
Annotations RunGraph(const Graph& graph, const std::vector<InputValue>& inputs, const RunOptions& options);

}  // namespace fakeprop
