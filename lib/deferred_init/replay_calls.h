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
  bool empty() const { return nodes_.empty(); }
  // The bytes of the storages that the calls make.
  int64_t bytes() const;
  // Real tensors among the arguments must not have changed. Throws DeferredInitError.
  void CheckArguments() const;
  void Run(const ReplayOptions& options);

 private:
  void AddEarlyReaders();

  const uint64_t walk_ = NextWalk();
  static uint64_t NextWalk();
  std::vector<std::shared_ptr<Node>> nodes_;
};

// The real tensor of a deferred fake. Runs what is missing.
at::Tensor RealOf(const at::Tensor& fake, const ReplayOptions& options);

// Builds an empty tensor on the storage of another one.
at::Tensor ViewOn(const c10::Storage& storage, const at::Tensor& like);

}  // namespace fakeprop::deferred_init
