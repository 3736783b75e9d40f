#include "lib/fake/variable_hooks.h"

#include <ATen/core/Tensor.h>
#include <ATen/core/VariableHooksInterface.h>

#include "lib/dispatch/fake_tensor.h"
#include "lib/fake/mode_state.h"

namespace fakeprop::fake {
namespace {

using at::TensorBase;

void KeepDevice(const TensorBase& copy) {
  if (copy.defined() && copy.is_meta()) dispatch::RestoreFakeDevice(at::Tensor(copy));
}

TensorBase WithDevice(TensorBase copy) {
  KeepDevice(copy);
  return copy;
}

// Returns true if LibTorch would take the data but for the devices: it has a list of those that may replace each other.
bool MayGetData(const TensorBase& self, const TensorBase& fake) {
  const bool differentiable = isFloatingType(fake.scalar_type()) || isComplexType(fake.scalar_type());
  return self.layout() == at::kStrided && (differentiable || !self.requires_grad()) && !fake.is_meta();
}

// LibTorch's own hooks, except where a fake is copied.
class Hooks final : public at::impl::VariableHooksInterface {
 public:
  explicit Hooks(const at::impl::VariableHooksInterface& hooks) : hooks_(hooks) {}

  TensorBase tensor_data(const TensorBase& t) const override { return WithDevice(hooks_.tensor_data(t)); }
  TensorBase variable_data(const TensorBase& t) const override { return WithDevice(hooks_.variable_data(t)); }
  TensorBase data(const TensorBase& t) const override { return WithDevice(hooks_.data(t)); }
  void set_data(const TensorBase& self, const TensorBase& data) const override {
    const bool is_fake = data.defined() && ModeOf(at::Tensor(data));
    if (is_fake && self.defined() && MayGetData(self, data)) self.unsafeGetTensorImpl()->set_fake_device(data.device());
    hooks_.set_data(self, data);
    if (is_fake) KeepDevice(self);
  }

  const c10::intrusive_ptr<torch::autograd::Node>& grad_fn(const TensorBase& t) const override {
    return hooks_.grad_fn(t);
  }
  unsigned _register_hook(const TensorBase& t, std::function<TensorBase(const TensorBase&)> hook) const override {
    return hooks_._register_hook(t, std::move(hook));
  }
  void remove_hook(const TensorBase& t, unsigned position) const override { hooks_.remove_hook(t, position); }
  bool is_view(const TensorBase& t) const override { return hooks_.is_view(t); }
  const TensorBase& base(const TensorBase& t) const override { return hooks_.base(t); }
  const std::string& name(const TensorBase& t) const override { return hooks_.name(t); }
  bool is_leaf(const TensorBase& t) const override { return hooks_.is_leaf(t); }
  int64_t output_nr(const TensorBase& t) const override { return hooks_.output_nr(t); }
  int64_t _version(const TensorBase& t) const override { return hooks_._version(t); }
  void retain_grad(const TensorBase& t) const override { hooks_.retain_grad(t); }
  bool retains_grad(const TensorBase& t) const override { return hooks_.retains_grad(t); }
  void _backward(const at::Tensor& t, at::TensorList inputs, const std::optional<at::Tensor>& gradient,
      std::optional<bool> retain_graph, bool create_graph) const override {
    hooks_._backward(t, inputs, gradient, retain_graph, create_graph);
  }
  void requires_grad_(const TensorBase& t, bool requires_grad) const override {
    hooks_.requires_grad_(t, requires_grad);
  }
  void basic_autograd_not_implemented_fallback(
      const c10::OperatorHandle& op, c10::DispatchKeySet keys, torch::jit::Stack* stack) const override {
    hooks_.basic_autograd_not_implemented_fallback(op, keys, stack);
  }
  std::optional<c10::ScalarType> grad_dtype(const TensorBase& t) const override { return hooks_.grad_dtype(t); }
  void set_grad_dtype(const TensorBase& t, const std::optional<c10::ScalarType>& dtype) const override {
    hooks_.set_grad_dtype(t, dtype);
  }

 private:
  const at::impl::VariableHooksInterface& hooks_;
};

}  // namespace

void RegisterVariableHooks() {
  // Kept until the process ends, as LibTorch's own.
  static const auto* const hooks = new Hooks(*at::impl::GetVariableHooks());
  at::impl::SetVariableHooks(const_cast<Hooks*>(hooks));
}

}  // namespace fakeprop::fake
