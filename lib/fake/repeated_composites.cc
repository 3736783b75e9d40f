#include "lib/fake/repeated_composites.h"

#include <ATen/core/Tensor.h>
#include <c10/core/GradMode.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include <mutex>
#include <optional>

#include "lib/dispatch/autograd_meta.h"
#include "lib/dispatch/fake_tensor.h"
#include "lib/dispatch/for_each_tensor.h"
#include "lib/dispatch/rule_service.h"
#include "lib/fake/mode_info.h"
#include "lib/fake/repeated_results.h"
#include "lib/fake/serve.h"
#include "lib/fake/sym_nodes.h"
#include "lib/fake/watched_call.h"

namespace fakeprop::fake {
namespace {

void MakeViews(ModeState& mode, const KeptCall& kept, c10::ArrayRef<c10::IValue> results) {
  const BelowMode below(mode);
  for (const KeptCall::View& view : kept.views) {
    const at::Tensor& t = results[view.result].toTensor();
    dispatch::FollowBase(t, dispatch::MakeFakeAlias(view.base, t.storage(), t.key_set()), view.origin);
  }
}

}  // namespace

// The results of calls that autograd follows have a history of their own.
void CallState::Look(const at::Tensor& t) {
  if (!t.defined()) return;
  has_fake_ |= FindRecord(t) != nullptr;
  if (!t.unsafeGetTensorImpl()->autograd_meta()) return;
  is_followed_ |= (t.requires_grad() && c10::GradMode::is_enabled()) || t._fw_grad(/*level=*/0).defined();
}

bool CallState::MayRepeat() const {
  if (!has_fake_ || is_followed_) return false;
  const c10::impl::LocalDispatchKeySet state = c10::impl::tls_local_dispatch_key_set();
  const c10::DispatchKeySet more =
      state.included_ - c10::default_included_set - c10::DispatchKeySet(c10::DispatchKey::Fake);
  return more.empty() && (c10::default_excluded_set - state.excluded_).empty() && !dispatch::Host::Current() &&
         !dispatch::LeavesOutRule();
}

RepeatedComposite::RepeatedComposite(const c10::OperatorHandle& op, torch::jit::Stack& stack)
    : op_(op), stack_(stack) {}

bool RepeatedComposite::Read(c10::ArrayRef<c10::IValue> arguments) {
  const ModeInfo* info = CurrentInfo();
  if (!key_.Read(op_, arguments, info ? info->mode.get() : nullptr)) return false;
  const FakeTensorModeOptions& options = key_.mode()->options();
  return !options.cross_check && !options.unknown_floats_are_nan;  // which says so each time
}

bool RepeatedComposite::ServeAgain() {
  const ModeInfo* info = CurrentInfo();
  std::unique_lock lock(SymbolsMutex(), std::defer_lock);
  if (!info || !info->mode || info->mode->options().shape_env) lock.lock();
  has_key_ = Read(torch::jit::last(stack_, op_.schema().arguments().size()));
  const KeptCall* kept = has_key_ ? key_.mode()->composites().Find(key_) : nullptr;
  if (!kept) return false;
  ModeState& mode = *key_.mode();
  const auto alive = mode.shared_from_this();
  CountVersions(*kept, key_);  // which Replay takes off the stack
  Replay(op_, *kept, key_, stack_);
  if (!kept->views.empty()) MakeViews(mode, *kept, torch::jit::last(stack_, op_.schema().returns().size()));
  CountTransient(mode, *kept);
  return true;
}

void RepeatedComposite::Run(const std::function<void()>& by_parts) {
  if (!has_key_) return by_parts();
  // The key refers to tensors on the stack.
  const torch::jit::Stack arguments = torch::jit::last(stack_, op_.schema().arguments().size()).vec();
  key_ = CallKey();
  {
    const std::lock_guard lock(SymbolsMutex());
    if (!Read(arguments)) return by_parts();
  }
  WatchedCall watched(op_, key_);
  by_parts();
  const std::lock_guard lock(SymbolsMutex());
  // What was learned in this call, an equal one knows before.
  if (KnowledgeOf(key_.mode()->options().shape_env.get()) != key_.knowledge()) return;
  const BelowMode below(*key_.mode());
  auto kept = watched.Describe(torch::jit::last(stack_, op_.schema().returns().size()));
  if (kept) key_.mode()->composites().Keep(key_, *std::move(kept), StandInsFor(key_));
}

void ServeRepeated(const c10::OperatorHandle& op, torch::jit::Stack& stack, const std::function<void()>& by_parts) {
  CallState state;
  for (const c10::IValue& argument : torch::jit::last(stack, op.schema().arguments().size()))
    dispatch::ForEachTensor(argument, [&](const at::Tensor& t) { state.Look(t); });
  if (!state.MayRepeat()) return by_parts();
  RepeatedComposite call(op, stack);
  if (!call.ServeAgain()) call.Run(by_parts);
}

}  // namespace fakeprop::fake
