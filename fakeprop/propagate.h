// Computes the result of every node of a graph, on metadata alone. Source: torch/fx/passes/fake_tensor_prop.py (torch
// 2.13).
//
//   const fakeprop::AnnotatedGraph annotated = fakeprop::Propagate(*graph, *inputs, {.keep_going = true});
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "fakeprop/annotated_graph.h"
#include "fakeprop/diagnostic.h"
#include "fakeprop/graph_inputs.h"
#include "fakeprop/loaded_graph.h"

namespace fakeprop {

class OpRules;

// Reads rules for custom operators (fakeprop.op_rules/1, docs/custom_operators.md). `file` is their name in
// diagnostics. Adds a diagnostic and returns null if the text is malformed. The schemas in it stay known to the
// process.
std::shared_ptr<const OpRules> ReadOpRules(const std::string& text, const std::string& file, DiagnosticSink& sink);

struct PropagateOptions {
  // After an error, go on with the nodes that do not depend on it. Else the nodes after it are skipped.
  bool keep_going = false;
  // Grad mode at the start, as torch.is_grad_enabled(). Nothing: false for TorchScript, true for all others.
  std::optional<bool> grad_enabled = std::nullopt;
  // Operators that no rule serves go to LibTorch, in a library that is opened when the first one is met
  // (libfakeprop_libtorch.so, docs/libtorch_fallback.md). Its calls are tried in a child process first. Without this
  // option such operators are errors.
  bool use_libtorch = false;
  // LibTorch's CPU kernels may run on zeros for custom operators that nothing else serves.
  bool allow_fallback_kernels = false;
  // Rules for custom operators.
  std::shared_ptr<const OpRules> op_rules = nullptr;
  // Called now and then with the number of nodes that are done.
  std::function<void(size_t done, size_t total)> progress = nullptr;
};

// Runs the whole graph. A node's error is part of the result and is not thrown. Inputs that are not of this graph are a
// std::invalid_argument. Further runs of one graph reuse what the first one looked up.
AnnotatedGraph Propagate(const LoadedGraph& graph, const Inputs& inputs, const PropagateOptions& options = {});

}  // namespace fakeprop
