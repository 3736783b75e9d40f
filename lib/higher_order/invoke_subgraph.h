// What is the same about two calls of a subgraph, and what its results were. Source: invoke_subgraph in
// torch/_higher_order_ops/invoke_subgraph.py and the cache of FakeTensorMode (torch 2.13).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "lib/meta/value.h"
#include "lib/rules/core/call.h"

namespace fakeprop {

enum class Seen {
  kMetadata,    // what shows in the values of nodes: sizes, strides, dtypes, devices, what autograd follows
  kEverything,  // what two runs can differ by: also which arguments share storage, leaves and views, known elements
};

// What a subgraph sees of its arguments and the interpreter's state, as a text to compare.
std::string Fingerprint(std::span<const Value> arguments, const ExecutionState& state, bool below_autograd, Seen seen);

// The results of one run, for later calls with arguments of equal fingerprint.
class RememberedRun {
 public:
  // Before the run.
  explicit RememberedRun(std::span<const Value> arguments);
  // After it, before anybody changes the results. A run that wrote to its arguments or changed them cannot be repeated.
  void Finish(const Value& results, ObjectTable& objects);
  bool can_repeat() const { return can_repeat_; }
  // The results for other arguments: new tensors on new storages, or the arguments' own.
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
