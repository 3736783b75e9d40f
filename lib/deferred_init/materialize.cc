#include "lib/deferred_init/materialize.h"

#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_strided.h>
#include <torch/csrc/autograd/cpp_hook.h>
#include <torch/csrc/autograd/functions/accumulate_grad.h>
#include <torch/csrc/autograd/variable.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <sstream>

#include "lib/deferred_init/chunks.h"
#include "lib/deferred_init/memory_forecast.h"
#include "lib/deferred_init/recorder.h"
#include "lib/dispatch/fake_tensor.h"
#include "lib/dispatch/fallback.h"
#include "lib/fake/mode_state.h"

namespace fakeprop {
namespace deferred_init {
namespace {

namespace autograd = torch::autograd;
using dispatch::FakeTensorImpl;

FakeTensorImpl& ImplOf(const at::Tensor& fake) { return *static_cast<FakeTensorImpl*>(fake.unsafeGetTensorImpl()); }

std::string TextOf(c10::Device device) {
  std::ostringstream text;
  text << device;
  return text.str();
}

// Returns true if this LibTorch has kernels for the device.
bool Exists(c10::Device device) {
  if (device.is_cpu() || device.is_meta()) return true;
  static const auto op = c10::Dispatcher::singleton().findSchemaOrThrow("aten::empty", "memory_format");
  return op.hasKernelForDispatchKey(c10::computeDispatchKey(c10::ScalarType::Float, c10::Layout::Strided, device));
}

// Calls the hooks of a tensor on its gradient. LibTorch's own class for this cannot be linked.
class TensorHooks final : public autograd::FunctionPreHook {
 public:
  TensorHooks(std::shared_ptr<autograd::hooks_list> hooks, size_t index) : hooks_(std::move(hooks)), index_(index) {}

  autograd::variable_list operator()(const autograd::variable_list& grads) override {
    autograd::variable_list changed = grads;
    for (const auto& hook : *hooks_) {
      if (!hook) continue;  // removed
      if (const at::Tensor result(hook(changed[index_])); result.defined()) changed[index_] = result;
    }
    return changed;
  }

 private:
  const std::shared_ptr<autograd::hooks_list> hooks_;
  const size_t index_;
};

// Hands the hooks of a non-leaf to the graph of the replay.
void KeepHooks(const at::Tensor& fake) {
  auto* meta = autograd::impl::get_autograd_meta(fake);
  if (meta && meta->cpp_hooks_list_ && meta->grad_fn_)
    meta->grad_fn_->add_tensor_pre_hook(std::make_unique<TensorHooks>(meta->cpp_hooks_list_, meta->output_nr_));
  if (meta && std::exchange(meta->retains_grad_, false)) fake.retain_grad();
}

// The fake keeps what autograd knows of it, but graphs that were recorded on fakes give way to those of the replay.
void TakeHistory(const at::Tensor& fake, const at::Tensor& real) {
  if (fake.is_inference() || real.is_inference()) return;
  if (!real.is_leaf() && !fake.is_view()) {
    autograd::impl::set_gradient_edge(fake, {real.grad_fn(), static_cast<uint32_t>(real.output_nr())});
    return KeepHooks(fake);
  }
  if (!real.is_leaf()) return;
  if (real.grad().defined()) fake.mutable_grad() = real.grad();  // of a backward pass before
  const auto accumulator = autograd::impl::try_get_grad_accumulator(real);
  if (!accumulator) return;
  static_cast<autograd::AccumulateGrad&>(*accumulator).variable = fake;
  autograd::impl::set_grad_accumulator(fake, c10::weak_intrusive_ptr<autograd::Node>(accumulator));
}

void DropFakeGrad(const at::Tensor& fake) {
  if (fake.is_inference() || !fake.unsafeGetTensorImpl()->autograd_meta()) return;
  if (IsFakeTensor(fake.unsafeGetTensorImpl()->grad())) fake.mutable_grad() = at::Tensor();
}

bool Converts(const at::Tensor& real, const MaterializeOptions& options) {
  const bool other_dtype =
      options.dtype && c10::isFloatingType(real.scalar_type()) && real.scalar_type() != *options.dtype;
  return other_dtype || (options.device && dispatch::WithIndex(*options.device) != real.device());
}

// Converts tensors that share storages so that the results share storages as well.
class StorageConversion {
 public:
  explicit StorageConversion(const MaterializeOptions& options) : options_(options) {}

  at::Tensor Convert(const at::Tensor& real) {
    if (!Converts(real, options_)) return real;
    const ThreadStateScope plain(PlainState());
    auto [it, is_new] = flat_.try_emplace(real.storage().unsafeGetStorageImpl());
    if (is_new) it->second = {real.scalar_type(), ConvertAll(real)};
    if (it->second.from != real.scalar_type())
      throw DeferredInitError("",
          "a tensor that is also viewed as another dtype cannot be converted; leave out `dtype` "
          "and `device`");
    return ViewOn(it->second.flat.storage(), Shaped(real, it->second.flat));
  }

 private:
  struct Flat {
    c10::ScalarType from;
    at::Tensor flat;
  };

  at::Tensor ConvertAll(const at::Tensor& real) const {
    const auto width = static_cast<int64_t>(real.element_size());
    const int64_t count = static_cast<int64_t>(real.storage().nbytes()) / width;
    at::Tensor all = at::empty({0}, real.options().requires_grad(false));
    all.set_(real.storage(), 0, {count}, {1});
    const c10::ScalarType dtype =
        options_.dtype && c10::isFloatingType(real.scalar_type()) ? *options_.dtype : real.scalar_type();
    return all.to(options_.device.value_or(real.device()), dtype);
  }

  // A tensor of the converted kind with the old sizes, for ViewOn.
  static at::Tensor Shaped(const at::Tensor& real, const at::Tensor& flat) {
    return flat.as_strided(real.sizes(), real.strides(), real.storage_offset());
  }

  const MaterializeOptions& options_;
  std::map<c10::StorageImpl*, Flat> flat_;
};

void Give(const at::Tensor& fake, const at::Tensor& real, const MaterializeOptions& options, bool converted) {
  const auto recording = std::static_pointer_cast<Recording>(ImplOf(fake).recording);
  const auto as_fake = options.keep_recording ? ImplOf(fake).shallow_copy_and_detach(c10::VariableVersion(0), true)
                                              : c10::intrusive_ptr<c10::TensorImpl>();
  BecomeReal(fake, real);
  if (options.keep_recording) {
    recording->as_fake = as_fake;
    ImplOf(fake).recording = recording;
  }
  const uint32_t version = fake.is_inference() ? 0 : static_cast<uint32_t>(fake._version());
  recording->real_version = version;
  if (converted) return;
  recording->slot->given = c10::weak_intrusive_ptr<c10::TensorImpl>(fake.getIntrusivePtr());
  recording->slot->given_version = version;
}

// All aliases become real together: autograd counts their changes together.
void GiveAll(const at::Tensor& fake, const MaterializeOptions& options) {
  StorageConversion conversion(options);
  std::vector<std::pair<at::Tensor, at::Tensor>> pairs;
  for (const at::Tensor& alias : FindGroup(fake)->Live()) {
    const Recording* recording = FindRecording(alias);
    if (recording) pairs.emplace_back(alias, conversion.Convert(recording->slot->Real()));
  }
  for (const auto& [alias, real] : pairs)
    Give(alias, real, options, !SharesStorage(real, FindRecording(alias)->slot->Real()));
}

at::Tensor CopyOfSlice(const at::Tensor& real, const TensorSlice& slice) {
  const ThreadStateScope plain(PlainState());
  return real.narrow(slice.dim, slice.start, slice.length).clone(at::MemoryFormat::Contiguous);
}

void MaterializeNow(const at::Tensor& fake, const MaterializeOptions& options) {
  const ReplayOptions replay = ReplayOptionsFor(fake, options);
  Plan plan;
  plan.AddFake(fake);
  plan.Run(replay);
}

}  // namespace

void BecomeReal(const at::Tensor& fake, const at::Tensor& real) {
  FakeTensorImpl& impl = ImplOf(fake);
  impl.recording.reset();
  impl.attachment.reset();
  impl.Become(*real.unsafeGetTensorImpl());
  DropFakeGrad(fake);
  TakeHistory(fake, real);
}

namespace {

// A new real tensor like the fake, but on the device and of the dtype that the options ask for.
at::Tensor EmptyLike(const at::Tensor& fake, const MaterializeOptions& options) {
  auto target = fake.options().requires_grad(false);
  if (options.dtype && c10::isFloatingType(fake.scalar_type())) target = target.dtype(*options.dtype);
  if (options.device) target = target.device(*options.device);
  return at::empty_strided(fake.sizes(), fake.strides(), target);
}

bool CoversStorage(const at::Tensor& fake) {
  return fake.is_non_overlapping_and_dense() &&
         static_cast<size_t>(fake.numel()) * fake.element_size() == fake.storage().nbytes();
}

// The aliases of a tensor that covers their storage, on its new storage.
void LoadAll(const at::Tensor& fake, const at::Tensor& real) {
  for (const at::Tensor& alias : FindGroup(fake)->Live()) {
    if (alias.is_same(fake)) continue;
    if (alias.scalar_type() != fake.scalar_type() && real.scalar_type() != fake.scalar_type())
      throw DeferredInitError(
          "", "a tensor that is also viewed as another dtype cannot be converted; leave out `dtype`");
    const c10::ScalarType dtype = alias.scalar_type() == fake.scalar_type() ? real.scalar_type() : alias.scalar_type();
    at::Tensor view = at::empty({0}, real.options().dtype(dtype));
    view.set_(real.storage(), alias.storage_offset(), alias.sizes(), alias.strides());
    BecomeReal(alias, view);
  }
  BecomeReal(fake, real);
}

}  // namespace

void LoadInto(const at::Tensor& fake, const at::Tensor& elements, const std::optional<TensorSlice>& slice,
    const MaterializeOptions& options) {
  const std::lock_guard lock(GraphMutex());
  const bool is_fake = FindRecording(fake);
  if (is_fake && !slice && !CoversStorage(fake)) MaterializeTensor(fake, options);
  const ThreadStateScope plain(PlainState());
  if (!FindRecording(fake)) {
    fake.detach().copy_(elements);
  } else if (slice) {
    const TensorSlice part = CheckSlice(fake, *slice);
    const at::Tensor from = elements.narrow(part.dim, part.start, part.length);
    BecomeReal(fake, EmptyLike(fake.narrow(part.dim, part.start, part.length), options).copy_(from));
  } else {
    LoadAll(fake, EmptyLike(fake, options).copy_(elements));
  }
}

TensorSlice CheckSlice(const at::Tensor& tensor, TensorSlice slice) {
  const int64_t rank = tensor.dim();
  if (slice.dim < -rank || slice.dim >= rank)
    throw c10::IndexError("the slice is along dimension " + std::to_string(slice.dim) + " of a tensor with " +
                          std::to_string(rank) + " dimensions");
  if (slice.dim < 0) slice.dim += rank;
  const int64_t size = tensor.size(slice.dim);
  if (slice.start < 0 || slice.length < 0 || slice.start > size || slice.length > size - slice.start)
    throw c10::IndexError("the slice has " + std::to_string(slice.length) + " indices from " +
                          std::to_string(slice.start) + " on, but dimension " + std::to_string(slice.dim) +
                          " of the tensor has size " + std::to_string(size));
  return slice;
}

ReplayOptions ReplayOptionsFor(const at::Tensor& fake, const MaterializeOptions& options) {
  ReplayOptions replay{.device = std::nullopt, .keep = options.keep_recording};
  if (Exists(fake.device())) return replay;
  if (!options.device || !Exists(*options.device))
    throw DeferredInitError("", "the tensor was recorded on " + TextOf(fake.device()) +
                                    ", which this LibTorch cannot use; set `device` in the options to one that it can");
  replay.device = options.device;
  return replay;
}

at::Tensor Converted(const at::Tensor& real, const MaterializeOptions& options) {
  return StorageConversion(options).Convert(real);
}

}  // namespace deferred_init

using namespace deferred_init;  // NOLINT: this file implements the public functions

bool IsDeferred(const at::Tensor& tensor) { return FindRecording(tensor); }
bool CanMaterialize(const at::Tensor& tensor) { return FindRecording(tensor); }

at::Tensor MaterializeTensor(const at::Tensor& tensor, const MaterializeOptions& options) {
  if (!IsFakeTensor(tensor)) return tensor;
  RequireRecorded("MaterializeTensor", "tensor", tensor);
  const std::lock_guard lock(GraphMutex());
  if (options.max_bytes) {
    MemoryForecast forecast(options);
    forecast.Add(tensor);
    forecast.Check();
  }
  MaterializeNow(tensor, options);
  if (!options.in_place) return Converted(FindRecording(tensor)->slot->Real(), options);
  GiveAll(tensor, options);
  return tensor;
}

at::Tensor MaterializeSlice(const at::Tensor& tensor, const TensorSlice& slice, const MaterializeOptions& options) {
  const TensorSlice checked = CheckSlice(tensor, slice);
  if (IsFakeTensor(tensor)) RequireRecorded("MaterializeSlice", "tensor", tensor);
  const std::lock_guard lock(GraphMutex());
  if (!FindRecording(tensor)) return Converted(CopyOfSlice(tensor, checked), options);
  const ReplayOptions replay = ReplayOptionsFor(tensor, options);
  if (options.max_bytes) {
    MemoryForecast forecast(options);
    forecast.AddSlice(tensor, checked);
    forecast.Check();
  }
  if (const auto part = TrySlice(tensor, checked, replay.device)) return Converted(*part, options);
  return Converted(CopyOfSlice(RealOf(tensor, replay), checked), options);
}

at::Tensor MetaLike(const at::Tensor& fake) {
  if (!IsFakeTensor(fake)) throw c10::ValueError("MetaLike takes a fake tensor, and this one is real");
  const ThreadStateScope plain(PlainState());
  at::Tensor meta = at::empty({0}, fake.options().device(at::kMeta).requires_grad(false));
  return meta.as_strided(fake.sizes(), fake.strides(), 0);
}

}  // namespace fakeprop
