// A graph propagated with fakes of a mode. Source: torch/fx/passes/fake_tensor_prop.py (torch 2.13).
//
//   fakeprop::FakeTensorProp prop(*graph, mode);
//   c10::IValue output = prop.Propagate({at::rand({8, 16})});
//   at::Tensor hidden = prop.ValueOf("linear").toTensor();
#pragma once

#include <map>
#include <string_view>
#include <vector>

#include "lib/fake/fake_tensor_mode.h"
#include "lib/interpreter/propagate.h"

namespace fakeprop {

// What is looked up in the graph serves every run. The graph outlives it.
class FakeTensorProp {
 public:
  // Of the options, `keep_going` decides whether a node's error is thrown or left to annotations(). Symbols are those
  // of the mode's ShapeEnv; without one, what data decides is an error.
  FakeTensorProp(const Graph& graph, FakeTensorMode mode, PropagateOptions options = {});

  // Runs the graph on one input for each placeholder (parameters among them): real tensors are converted by the mode;
  // numbers, texts, None and lists of them are taken as they are. Gives the graph's output. The first node that fails
  // is a FakeTensorError, of the type that errors.h has for it, that names its target and place. Inputs stay as they
  // are, whatever the graph writes to.
  c10::IValue Propagate(c10::ArrayRef<c10::IValue> inputs);
  // The same, where every tensor must be a fake of the mode: else NotFake.
  c10::IValue PropagateDontConvertInputs(c10::ArrayRef<c10::IValue> inputs);

  // What a node of the outermost graph returned in the last run, as it was at that moment: fakes of the mode, unknown
  // to autograd, on storages that they share with each other and with the inputs. A node without a value (no such node,
  // or an error): c10::ValueError.
  c10::IValue ValueOf(std::string_view node) const;
  // The last run in the annotations' own structure, subgraphs and errors included.
  const Annotations& annotations() const { return annotations_; }

 private:
  class Values;
  using Storages = std::map<const Storage*, c10::Storage>;

  std::vector<InputValue> ReadInputs(c10::ArrayRef<c10::IValue> inputs);
  void KeepInputStorages();

  const Graph& graph_;
  const FakeTensorMode mode_;
  PropagateOptions options_;
  std::vector<at::Tensor> inputs_;  // undefined where an input is no tensor
  Annotations annotations_;
  mutable Storages storages_;  // of the last run's values, as they are asked for
};

}  // namespace fakeprop
