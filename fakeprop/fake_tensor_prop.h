// A graph propagated with fake tensors of a mode. Source: torch/fx/passes/fake_tensor_prop.py (torch 2.13).
//
//   fakeprop::FakeTensorProp prop(*graph, mode);
//   c10::IValue output = prop.Propagate({at::rand({8, 16})});
//   at::Tensor hidden = prop.ValueOf("linear").toTensor();
#pragma once

#include <ATen/core/TensorBody.h>
#include <ATen/core/ivalue.h>

#include <memory>
#include <string_view>
#include <vector>

#include "fakeprop/annotated_graph.h"
#include "fakeprop/fake_tensor_mode.h"
#include "fakeprop/graph_inputs.h"
#include "fakeprop/loaded_graph.h"
#include "fakeprop/propagate.h"

namespace fakeprop {

// Use it in one thread at a time. What is looked up in the graph serves every run.
class FakeTensorProp {
 public:
  // Of the options, `keep_going` also decides whether a node's error is thrown or left to annotations(). Symbols are
  // those of the mode's ShapeEnv. Without one, a result that depends on data is an error.
  FakeTensorProp(LoadedGraph graph, FakeTensorMode mode, PropagateOptions options = {});
  FakeTensorProp(FakeTensorProp&&) noexcept;
  ~FakeTensorProp();

  // Fake tensors of the mode, and numbers and texts, for each placeholder: what Propagate takes. Inputs that share
  // storage do so as fakes. c10::ValueError if the inputs are of another graph, if their symbols are not of the mode's
  // ShapeEnv (InputOptions::shape_env), or if one has no form as an IValue.
  std::vector<c10::IValue> MakeInputs(const Inputs& inputs) const;

  // Runs the graph on one input for each placeholder (parameters among them): real tensors are converted by the mode;
  // numbers, texts, None and lists of them are taken as they are. Gives the graph's output. The first node that fails
  // is a FakeTensorError, of the type that fakeprop/fake_tensor_errors.h has for it, that names its target and place.
  // Another number of inputs than placeholders: c10::ValueError. Inputs stay as they are, whatever the graph writes to.
  c10::IValue Propagate(c10::ArrayRef<c10::IValue> inputs);
  // The same, where every tensor must be a fake of the mode: else NotFake.
  c10::IValue PropagateDontConvertInputs(c10::ArrayRef<c10::IValue> inputs);

  // What a node of the outermost graph returned in the last run, as it was at that moment: fakes of the mode, unknown
  // to autograd, on storages that they share with each other and with the inputs. A node without a value (no such node,
  // an error, no run yet): c10::ValueError.
  c10::IValue ValueOf(std::string_view node) const;
  // The last run, with errors and subgraphs. c10::ValueError before the first.
  AnnotatedGraph annotations() const;

 private:
  class Runner;
  std::unique_ptr<Runner> runner_;
};

}  // namespace fakeprop
