// Serves operators under a mode. lib/dispatch calls this server for every call on the key Fake.
#pragma once

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include "lib/dispatch/dispatch_host.h"
#include "lib/fake/mode_state.h"

namespace fakeprop::fake {

// As long as it lives, operators run their real kernels, below autograd.
struct RealScope {
  const c10::impl::ExcludeDispatchKeyGuard no_fake{
      c10::DispatchKeySet(c10::DispatchKey::Fake) | c10::autocast_dispatch_keyset};
  const at::AutoDispatchBelowADInplaceOrView below_autograd;
};

// The symbols of a mode's ShapeEnv.
class ModeSymbols final : public dispatch::HostSymbols {
 public:
  explicit ModeSymbols(const ModeState& mode) : mode_(mode) {}
  c10::SymNode ToSymbol(const SymNode* expression) const override;
  const SymNode* FromSymbol(const c10::SymNodeImpl& symbol) const override;

 private:
  const ModeState& mode_;
};

// The mode as the host of one call.
class ModeHost final : public dispatch::Host {
 public:
  explicit ModeHost(ModeState& mode);

  ModeState& mode() const { return mode_; }

  bool PosesAsPython() const override { return Posed() != nullptr; }
  void NotePosing(const at::Tensor& tensor) const override { Posed()->push_back(tensor); }
  at::Tensor FakeOf(const at::Tensor& real) override;
  void RememberConstant(const at::Tensor& tensor, Constant constant) override;
  Constant FindConstant(const at::Tensor& tensor) const override;
  void NoteWrite(const at::Tensor& tensor) override;
  dispatch::DataHistory HistoryOf(const at::Tensor& tensor) const override;
  const dispatch::HostSymbols* symbols() const override { return &symbols_; }
  bool sizes_give_hints() const override { return mode_.options().sizes_give_hints; }
  c10::DataPtr NewStorageContext(int64_t nbytes, c10::Device device) override;
  void NoteEffects(
      const c10::OperatorHandle& op, const Effects& effects, c10::ArrayRef<dispatch::StandIn> tensors) override;
  // The data that the call writes is known (ConstantsCall).
  void KeepKnown() { keeps_known_ = true; }
  // The effects of the call's rule are kept for calls with the same key.
  void KeepEffects(const CallKey& key) { key_ = &key; }

 private:
  std::shared_ptr<Memos> MemosOf(const at::Tensor& tensor) const;

  ModeState& mode_;
  ModeSymbols symbols_;
  bool keeps_known_ = false;
  const CallKey* key_ = nullptr;
};

// Makes a mode the host of this thread, for fakes that are made outside of operators.
class BelowMode {
 public:
  explicit BelowMode(ModeState& mode) : host_(mode), scope_(&host_) {}
  ModeHost& host() { return host_; }

 private:
  ModeHost host_;
  dispatch::HostScope scope_;
};

// Whether a call of an operator that may depend on data needs none, if a rule answered an equal one. With a ShapeEnv
// the answer may be a symbol that belongs to the tensor.
bool NeedsNoData(const ModeState& mode);

// Whether LibTorch's own code makes the call, below autograd.
inline bool IsBelowAutograd() {
  return c10::impl::tls_is_dispatch_key_excluded(c10::DispatchKey::AutogradFunctionality);
}

void ServeInMode(const c10::OperatorHandle& op, torch::jit::Stack& stack);

}  // namespace fakeprop::fake
