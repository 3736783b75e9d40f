// Deferred initialisation: builds modules on fake tensors, records how, and makes them real later, all or a part, with
// the numbers that eager construction would have given. docs/deferred_init.md has the design and the limits.
#pragma once

#include <ATen/core/TensorBody.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fakeprop/fake_tensor_errors.h"
#include "fakeprop/fake_tensor_mode.h"

namespace torch::nn {
class Module;
}

namespace fakeprop {

// What recording or materialising cannot do. The message names the operator and the argument, or the tensor.
class DeferredInitError : public FakeTensorError {
  using FakeTensorError::FakeTensorError;
};

// Calls whose result needs the data of a deferred tensor: item(), nonzero(), a write to a real tensor.
enum class NeedsData {
  kMaterialize,  // what they need is made real, and they run at once; their results are real
  kRaise,        // they throw DeferredInitError
};

struct DeferredInitOptions {
  NeedsData needs_data = NeedsData::kMaterialize;
};

// As long as it lives, this thread records. Factories make deferred tensors: fakes on the device that is asked for.
// Scopes nest, and the innermost options count. A FakeModeGuard around the scope or within it says whose fakes they
// are.
class DeferredInitGuard {
 public:
  explicit DeferredInitGuard(const DeferredInitOptions& options = {});
  ~DeferredInitGuard();
  DeferredInitGuard(const DeferredInitGuard&) = delete;

 private:
  const FakeModeGuard fakes_;
  const bool was_on_;
  const NeedsData outer_;
};

// Calls `make(arguments...)` under a DeferredInitGuard.
template <typename Make, typename... Arguments>
auto DeferredInit(Make&& make, Arguments&&... arguments) {
  const DeferredInitGuard recording;
  return std::forward<Make>(make)(std::forward<Arguments>(arguments)...);
}

// Returns true if the tensor was recorded and is not real yet.
bool IsDeferred(const at::Tensor& tensor);
// Returns true if a parameter or buffer of the module or of its children is deferred.
bool IsDeferred(const torch::nn::Module& module);
// The same as IsDeferred: each deferred tensor can be materialised, unless its real arguments have changed.
bool CanMaterialize(const at::Tensor& tensor);

// A part of a tensor: `length` indices of dimension `dim` from `start` on. `dim` may be negative.
struct TensorSlice {
  int64_t dim = 0;
  int64_t start = 0;
  int64_t length = 0;
};

struct MaterializeOptions {
  // Puts the tensor there once it has its numbers. If the recorded device is not in this machine, the calls themselves
  // run on this one.
  std::optional<c10::Device> device;
  // Converts floating-point tensors once they have their numbers.
  std::optional<c10::ScalarType> dtype;
  // If false, MaterializeTensor returns another tensor than the one it was given, which stays deferred.
  bool in_place = true;
  // Keeps the recorded calls, so that Dematerialize can drop the tensor again.
  bool keep_recording = false;
  // The most bytes that may be held at once, counted before anything runs: results, and what is made on the way.
  std::optional<int64_t> max_bytes;
};

// Makes a deferred tensor real, in place: everyone who holds it holds the real tensor afterwards. Its aliases become
// real with it. Returns the tensor. Real tensors are returned as they are. Throws DeferredInitError if real arguments
// of recorded calls have changed, c10::ValueError for a fake that was not recorded.
at::Tensor MaterializeTensor(const at::Tensor& tensor, const MaterializeOptions& options = {});

// The real part of a deferred tensor, which stays deferred. Where the recorded calls allow it (factories, fills, random
// fills, elementwise changes), never holds the whole. Options `in_place` and `keep_recording` do not apply.
at::Tensor MaterializeSlice(const at::Tensor& tensor, const TensorSlice& slice, const MaterializeOptions& options = {});

struct MaterializeModuleOptions : MaterializeOptions {
  bool buffers_only = false;
  // Modules for which it returns false keep their own tensors deferred; their children are asked in turn.
  std::function<bool(const torch::nn::Module& module)> modules;
  // Tensors for which it returns false stay deferred. Names are those of named_parameters() and named_buffers().
  std::function<bool(const std::string& name, const at::Tensor& tensor)> tensors;
  // If it returns a slice, the tensor becomes this part of itself.
  std::function<std::optional<TensorSlice>(const std::string& name, const at::Tensor& tensor)> slices;
};

// Makes parameters and buffers of the module and its children real, in place.
void MaterializeModule(torch::nn::Module& module, const MaterializeModuleOptions& options = {});

// Makes a tensor that was materialised with `keep_recording` deferred again, and frees its memory. Throws
// DeferredInitError if something was written to it since.
void Dematerialize(const at::Tensor& tensor);
void Dematerialize(torch::nn::Module& module);

// A real tensor on the device meta with the dtype, sizes and strides of a fake. Throws c10::ValueError for a real
// tensor.
at::Tensor MetaLike(const at::Tensor& fake);

// Weights in a file: .safetensors, the index of a sharded one (model.safetensors.index.json) or its folder, a .pt state
// dict of torch.save, or a .pt2 of torch.export.save. Only the tables are read when it is opened; files stay mapped
// while the object or a copy lives. Throws DeferredInitError that names the file and the place in it.
class Checkpoint {
 public:
  explicit Checkpoint(const std::string& path);

  struct Entry {
    std::string name;
    c10::ScalarType dtype;
    std::vector<int64_t> sizes;
  };
  // Sorted by name.
  std::vector<Entry> Entries() const;

  struct State;
  const std::shared_ptr<const State>& state() const { return state_; }

 private:
  std::shared_ptr<const State> state_;
};

struct MaterializeFromOptions : MaterializeModuleOptions {
  // Every parameter must be in the source, and every name of the source in the module.
  bool strict = true;
  // Names of the source start with it, as in "model.layers.3.". Others are not looked at.
  std::string prefix;
};

struct MaterializedFrom {
  std::vector<std::string> loaded;    // names of the module, sorted
  std::vector<std::string> replayed;  // not in the source
  std::vector<std::string> unused;    // names of the source
};

// Fills parameters and buffers by name from a file. Those that are not in it are replayed. Sizes of all tensors are
// compared before the first one changes. Dtypes are converted to those of the module (or to `dtype`).
MaterializedFrom MaterializeFrom(
    torch::nn::Module& module, const Checkpoint& source, const MaterializeFromOptions& options = {});

}  // namespace fakeprop
