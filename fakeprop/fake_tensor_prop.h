// Propagates a graph with the fake tensors of a mode. Source: torch/fx/passes/fake_tensor_prop.py (torch 2.13).
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

// Use it in one thread at a time. Later runs reuse what the first run looked up in the graph.
class FakeTensorProp {
 public:
  // Of the options, `keep_going` also decides whether a node's error is thrown or left to annotations(). Symbols are
  // those of the mode's ShapeEnv. Without one, a result that depends on data is an error.
  FakeTensorProp(LoadedGraph graph, FakeTensorMode mode, PropagateOptions options = {});
  FakeTensorProp(FakeTensorProp&&) noexcept;
  ~FakeTensorProp();

  // Makes the arguments of Propagate: a fake tensor of the mode, a number or a text for each placeholder. Inputs that
  // share storage become fakes that share storage. Throws c10::ValueError if the inputs belong to another graph, if
  // their symbols belong to another ShapeEnv than the mode's (InputOptions::shape_env), or if an input cannot be an
  // IValue.
  std::vector<c10::IValue> MakeInputs(const Inputs& inputs) const;

  // Runs the graph on one input for each placeholder, including parameters, and returns its output. The mode converts
  // real tensors. Numbers, texts, None and lists of them are taken as they are. If a node fails, throws a
  // FakeTensorError of the class in fakeprop/fake_tensor_errors.h; its message names the node's target and place.
  // Throws c10::ValueError if there are more or fewer inputs than placeholders. The inputs do not change, even if the
  // graph writes to them.
  c10::IValue Propagate(c10::ArrayRef<c10::IValue> inputs);
  // The same, but throws NotFake if a tensor is not a fake of the mode.
  c10::IValue PropagateDontConvertInputs(c10::ArrayRef<c10::IValue> inputs);

  // The result of a node of the outermost graph in the last run, as it was when the node returned it. Its tensors are
  // fakes of the mode that autograd does not know. They share storages with each other and with the inputs. Throws
  // c10::ValueError if there is no such node, if it has no value because of an error, or before the first run.
  c10::IValue ValueOf(std::string_view node) const;
  // The last run, with errors and subgraphs. Throws c10::ValueError before the first run.
  AnnotatedGraph annotations() const;

 private:
  class Runner;
  std::unique_ptr<Runner> runner_;
};

}  // namespace fakeprop
