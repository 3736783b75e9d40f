// What a replay will hold, counted before anything runs.
#pragma once

#include <ATen/core/TensorBody.h>

#include <optional>
#include <set>
#include <vector>

#include "fakeprop/deferred_init.h"
#include "lib/deferred_init/op_graph.h"

namespace fakeprop::deferred_init {

// Tensors that will become real one after the other. Counts the results, and what is made on the way for as long as it
// is needed. What kernels allocate for themselves is not counted.
class MemoryForecast {
 public:
  explicit MemoryForecast(const MaterializeOptions& options) : options_(options) {}

  void Add(const at::Tensor& fake);
  // A part of it, within its bounds.
  void AddSlice(const at::Tensor& fake, const TensorSlice& slice);
  // All of it or a part, from a file.
  void AddLoaded(const at::Tensor& fake, const std::optional<TensorSlice>& slice);
  // The most bytes at one time.
  int64_t Peak() const;
  // Throws DeferredInitError if that is more than the options allow.
  void Check() const;

 private:
  // A call, or a conversion.
  struct Step {
    std::shared_ptr<Node> call;
    int64_t made_bytes = 0;
    int64_t freed_bytes = 0;  // afterwards
  };

  void AddCalls(const at::Tensor& fake);
  // From so many bytes of the fake's kind to what the options ask for.
  void AddConversion(const at::Tensor& fake, int64_t bytes, bool frees_original);
  int64_t Converted(int64_t bytes, c10::ScalarType from) const;
  std::vector<Step> StepsWithReleases() const;

  const MaterializeOptions& options_;
  std::vector<Step> steps_;
  std::set<const Node*> seen_;
};

}  // namespace fakeprop::deferred_init
