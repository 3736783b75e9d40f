// Runs recorded calls for real, in the order in which they were recorded.
#pragma once

#include <ATen/core/TensorBody.h>

#include <memory>
#include <optional>
#include <vector>

#include "lib/deferred_init/op_graph.h"

namespace fakeprop::deferred_init {

struct ReplayOptions {
  // Takes the place of the recorded devices.
  std::optional<c10::Device> device;
  // Nodes keep what they need to run again.
  bool keep = false;
};

// The calls that tensors depend on and that have not run.
class Plan {
 public:
  // Adds what gives the fake's tensor, with all its aliases, their present value.
  void AddFake(const at::Tensor& fake);
  void AddNode(const std::shared_ptr<Node>& node);
  // With the calls that run before others because autograd follows them.
  const std::vector<std::shared_ptr<Node>>& InOrder();
  void Run(const ReplayOptions& options);

 private:
  void AddEarlyReaders();

  const uint64_t walk_ = NextWalk();
  static uint64_t NextWalk();
  std::vector<std::shared_ptr<Node>> nodes_;
};

// Throw DeferredInitError if the program has changed what the call takes: a real tensor since the call was recorded, a
// deferred one since it became real.
void CheckReals(const Node& node);
void CheckGiven(const Node& node, const Input& input);

// The real tensor of a deferred fake. Runs what is missing.
at::Tensor RealOf(const at::Tensor& fake, const ReplayOptions& options);

// Makes the tensor's bytes what they are after all calls so far, and gives those that are still to read them a copy, so
// that everybody may write to them.
void SpareReaders(const at::Tensor& fake, const ReplayOptions& options);

// Builds an empty tensor on the storage of another one.
at::Tensor ViewOn(const c10::Storage& storage, const at::Tensor& like);

}  // namespace fakeprop::deferred_init
