// Compares two calls of a subgraph, and remembers the results of a call. Source: invoke_subgraph in
// torch/_higher_order_ops/invoke_subgraph.py and the cache of FakeTensorMode (torch 2.13).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "lib/meta/value.h"
#include "lib/rules/core/call.h"

namespace fakeprop {

enum class Seen {
  kMetadata,    // everything that the values of nodes show: sizes, strides, dtypes, devices, requires_grad
  kEverything,  // everything that can make two runs differ: also shared storages, leaves and views, known elements
};

// Describes the arguments of a subgraph and the interpreter's state in a text that can be compared.
std::string Fingerprint(std::span<const Value> arguments, const ExecutionState& state, bool below_autograd, Seen seen);

// The results of one run, for later calls whose arguments have the same fingerprint.
class RememberedRun {
 public:
  // Construct it before the run.
  explicit RememberedRun(std::span<const Value> arguments);
  // Call it after the run, before the results change. A run that wrote to its arguments or changed them cannot be
  // repeated.
  void Finish(const Value& results, ObjectTable& objects);
  bool can_repeat() const { return can_repeat_; }
  // The results for other arguments: new tensors on new storages, or the arguments themselves.
  Value Repeat(std::span<const Value> arguments, ObjectTable& objects) const;

 private:
  struct Before {
    const Tensor* tensor;
    const Storage* storage;
    uint32_t version;
    std::string meta;
  };
  std::vector<Before> arguments_;
  std::vector<Value> given_;
  Value results_;
  bool can_repeat_ = false;
};

}  // namespace fakeprop
