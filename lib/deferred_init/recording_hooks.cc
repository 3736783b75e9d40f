#include "lib/deferred_init/recording_hooks.h"

#include <ATen/core/Tensor.h>
#include <ATen/core/VariableHooksInterface.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include "lib/deferred_init/recorder.h"
#include "lib/deferred_init/replay_calls.h"
#include "lib/fake/mode_state.h"

namespace fakeprop::deferred_init {
namespace {

using at::Tensor;
using at::TensorBase;

class Hooks final : public at::impl::VariableHooksInterface {
 public:
  explicit Hooks(const at::impl::VariableHooksInterface& autograd) : autograd_(autograd) {}

  TensorBase tensor_data(const TensorBase& self) const override {
    return RecordAlias(CallKind::kTensorData, self, [&] { return autograd_.tensor_data(self); });
  }
  TensorBase variable_data(const TensorBase& self) const override {
    return RecordAlias(CallKind::kVariableData, self, [&] { return autograd_.variable_data(self); });
  }
  void set_data(const TensorBase& self, const TensorBase& data) const override;

  // Autograd's own calls variable_data.
  TensorBase data(const TensorBase& self) const override { return autograd_.data(self); }
  const c10::intrusive_ptr<torch::autograd::Node>& grad_fn(const TensorBase& self) const override {
    return autograd_.grad_fn(self);
  }
  unsigned _register_hook(const TensorBase& self, std::function<TensorBase(const TensorBase&)> hook) const override {
    return autograd_._register_hook(self, std::move(hook));
  }
  void remove_hook(const TensorBase& self, unsigned pos) const override { autograd_.remove_hook(self, pos); }
  bool is_view(const TensorBase& self) const override { return autograd_.is_view(self); }
  const TensorBase& base(const TensorBase& self) const override { return autograd_.base(self); }
  const std::string& name(const TensorBase& self) const override { return autograd_.name(self); }
  bool is_leaf(const TensorBase& self) const override { return autograd_.is_leaf(self); }
  int64_t output_nr(const TensorBase& self) const override { return autograd_.output_nr(self); }
  int64_t _version(const TensorBase& self) const override { return autograd_._version(self); }
  void retain_grad(const TensorBase& self) const override { autograd_.retain_grad(self); }
  bool retains_grad(const TensorBase& self) const override { return autograd_.retains_grad(self); }
  void _backward(const Tensor& self, at::TensorList inputs, const std::optional<Tensor>& gradient,
      std::optional<bool> keep_graph, bool create_graph) const override {
    autograd_._backward(self, inputs, gradient, keep_graph, create_graph);
  }
  void requires_grad_(const TensorBase& self, bool value) const override { autograd_.requires_grad_(self, value); }
  void basic_autograd_not_implemented_fallback(
      const c10::OperatorHandle& op, c10::DispatchKeySet keys, torch::jit::Stack* stack) const override {
    autograd_.basic_autograd_not_implemented_fallback(op, keys, stack);
  }
  std::optional<c10::ScalarType> grad_dtype(const TensorBase& self) const override {
    return autograd_.grad_dtype(self);
  }
  void set_grad_dtype(const TensorBase& self, const std::optional<c10::ScalarType>& dtype) const override {
    autograd_.set_grad_dtype(self, dtype);
  }

 private:
  template <typename Call>
  static TensorBase RecordAlias(CallKind kind, const TensorBase& self, const Call& call) {
    if (!IsRecording() || !IsFakeTensor(Tensor(self))) return call();
    HookCall recorded(kind, {Tensor(self)});
    TensorBase alias = call();
    recorded.Finish(Tensor(alias));
    return alias;
  }

  const at::impl::VariableHooksInterface& autograd_;
};

// The fake that stands for a real tensor, as the argument of a call that is recorded.
Tensor FakeOf(const Tensor& self, const Tensor& data) {
  return IsFakeTensor(data) ? data : FakeTensorMode::Of(self)->FromRealTensor(data, {.static_shapes = true});
}

void Hooks::set_data(const TensorBase& self, const TensorBase& data) const {
  const Tensor tensor(self), value(data);
  if (!IsRecording() || !(IsFakeTensor(tensor) || IsFakeTensor(value))) return autograd_.set_data(self, data);
  const c10::impl::ExcludeDispatchKeyGuard not_its_own_calls(c10::DispatchKey::DeferredInit);
  if (!IsFakeTensor(tensor)) {
    RequireRecorded("Tensor::set_data", "new_data", value);
    return autograd_.set_data(self, RealOf(value, {}));
  }
  HookCall recorded(CallKind::kSetData, {tensor, value});
  autograd_.set_data(self, FakeOf(tensor, value));
  recorded.Finish(tensor);
}

}  // namespace

void InstallRecordingHooks() {
  static auto* const hooks = new Hooks(*at::impl::GetVariableHooks());
  at::impl::SetVariableHooks(hooks);
}

}  // namespace fakeprop::deferred_init
