#include "lib/fake/converter.h"

#include <ATen/core/Tensor.h>
#include <c10/core/InferenceMode.h>
#include <torch/csrc/autograd/variable.h>

#include "lib/dispatch/autograd_meta.h"
#include "lib/dispatch/fake_tensor.h"
#include "lib/dispatch/layout_tensors.h"
#include "lib/dispatch/sym_ints.h"
#include "lib/fake/constants.h"
#include "lib/fake/layout_conversion.h"
#include "lib/fake/serve.h"
#include "lib/fake/sym_nodes.h"
#include "lib/fake/symbolize.h"
#include "lib/fake/throw_for.h"

namespace fakeprop::fake {
namespace {

bool IsWrapped(const at::Tensor& real) { return dispatch::IsStrided(real) && !real.has_storage(); }

void RefuseUnsupported(const at::Tensor& real) {
  const char* kind = real.is_nested()                                   ? "a nested"
                     : real.is_quantized()                              ? "a quantized"
                     : real.unsafeGetTensorImpl()->is_python_dispatch() ? "a Python subclass's"
                     : IsWrapped(real)                                  ? "a wrapped"
                                                                        : nullptr;
  if (kind) throw UnsupportedFakeTensor("", std::string(kind) + " tensor has no fake");
}

c10::intrusive_ptr<c10::StorageImpl> Pointer(const c10::Storage& storage) {
  return c10::intrusive_ptr<c10::StorageImpl>::reclaim_copy(storage.unsafeGetStorageImpl());
}

class Conversion {
 public:
  Conversion(ModeState& mode, const at::Tensor& real, std::optional<c10::Device> device, const FromRealOptions& options)
      : mode_(mode), real_(real), device_(device.value_or(real.device())), options_(options) {}

  at::Tensor Run() {
    at::Tensor base;
    if (real_.is_view() && !real_.is_inference())
      base = FromReal(mode_, at::Tensor(real_._base()), device_, Unmarked());
    at::Tensor fake = MakeUnknownToAutograd();
    Remember(fake);
    if (real_.is_inference()) return fake;
    SetVersion(fake, base);
    SetAutograd(fake, base);
    return fake;
  }

 private:
  at::Tensor MakeUnknownToAutograd() {
    const c10::InferenceMode as_real(real_.is_inference());
    if (!dispatch::IsStrided(real_)) return ConvertLayout(mode_, real_, device_, options_);
    TensorMeta meta = dispatch::ReadMeta(real_);
    meta.device = FromTorch(device_);
    const Dim nbytes = StorageNbytes(meta);
    const auto& env = mode_.options().shape_env;
    if (env && !options_.static_shapes) Symbolize(meta, env, options_);
    // A storage larger than its tensor needs keeps its size.
    const Dim held = dispatch::ToDim(real_.storage().sym_nbytes());
    return dispatch::MakeFakeTensor(meta, Storage(nbytes.raw() == held.raw() ? StorageNbytes(meta) : held));
  }

  // Options for dimensions apply to the tensor itself, not to its base.
  FromRealOptions Unmarked() const { return {options_.static_shapes, {}, options_.source + "._base"}; }

  c10::Storage Storage(Dim nbytes) {
    c10::StorageImpl* key = real_.storage().unsafeGetStorageImpl();
    if (auto known = mode_.storages().Find(key)) return c10::Storage(std::move(known));
    c10::Storage fake = dispatch::MakeFakeStorage(nbytes, device_);
    auto& held = fake.unsafeGetStorageImpl()->_mutable_data_ptr_no_checks();
    static_cast<StorageRecord*>(held.get_context())->attachment =
        mode_.storages().Remember(Pointer(real_.storage()), Pointer(fake));
    return fake;
  }

  void Remember(const at::Tensor& fake) {
    dispatch::AttachmentOf(fake) = mode_.tensors().Remember(real_.getIntrusivePtr(), fake.getIntrusivePtr());
  }

  void SetVersion(const at::Tensor& fake, const at::Tensor& base) {
    if (base.defined()) return;  // it shares the storage of its base
    fake.unsafeGetTensorImpl()->set_version_counter(c10::VariableVersion(static_cast<uint32_t>(real_._version())));
  }

  void SetAutograd(const at::Tensor& fake, const at::Tensor& base) {
    if (base.defined()) dispatch::FollowBase(fake, base, Origin());
    if (!real_.requires_grad()) return;
    if (real_.is_leaf()) {
      fake.unsafeGetTensorImpl()->set_requires_grad(true);
    } else {
      dispatch::SetHistory(fake,
          "backward has come to a tensor that was converted to a fake: what it was computed from "
          "is real");
    }
    const at::Tensor& grad = real_.unsafeGetTensorImpl()->grad();
    if (grad.defined()) fake.mutable_grad() = FromReal(mode_, grad, device_, Unmarked());
  }

  ViewOrigin Origin() const {
    const auto* view = torch::autograd::impl::get_view_autograd_meta(real_);
    switch (view->get_creation_meta()) {
      case torch::autograd::CreationMeta::NO_GRAD_MODE: return ViewOrigin::kNoGrad;
      case torch::autograd::CreationMeta::MULTI_OUTPUT_NODE: return ViewOrigin::kMultiOutput;
      default: return ViewOrigin::kPlain;
    }
  }

  ModeState& mode_;
  const at::Tensor& real_;
  const c10::Device device_;
  const FromRealOptions& options_;
};

}  // namespace

at::Tensor FromReal(
    ModeState& mode, const at::Tensor& real, std::optional<c10::Device> device, const FromRealOptions& options) {
  if (!real.defined() || ModeOf(real) == &mode) return real;
  RefuseUnsupported(real);
  std::unique_lock symbols(SymbolsMutex(), std::defer_lock);
  if (mode.options().shape_env) symbols.lock();
  const std::lock_guard lock(mode.conversions());
  if (auto known = mode.tensors().Find(real.unsafeGetTensorImpl())) return at::Tensor(std::move(known));
  const BelowMode quiet(mode);
  try {
    return Conversion(mode, real, device, options).Run();
  } catch (const OpError& e) {
    ThrowFor("", e);
  }
}

at::Tensor FromLiteral(ModeState& mode, const at::Tensor& literal) {
  RefuseUnsupported(literal);
  const BelowMode quiet(mode);
  const auto nbytes = static_cast<int64_t>(literal.storage().nbytes());
  at::Tensor fake =
      dispatch::MakeFakeTensor(dispatch::ReadMeta(literal), dispatch::MakeFakeStorage(nbytes, literal.device()));
  if (literal.unsafeGetTensorImpl()->is_wrapped_number()) fake.unsafeGetTensorImpl()->set_wrapped_number(true);
  RememberLiteral(fake, literal);
  return fake;
}

}  // namespace fakeprop::fake
