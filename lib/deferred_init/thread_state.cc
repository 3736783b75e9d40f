#include "lib/deferred_init/thread_state.h"

#include <ATen/Context.h>
#include <ATen/autocast_mode.h>
#include <c10/core/AutogradState.h>
#include <c10/core/DefaultDtype.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

namespace fakeprop::deferred_init {
namespace {

using c10::DispatchKey;
using c10::DispatchKeySet;

constexpr DispatchKeySet kOurKeys = DispatchKeySet(DispatchKey::DeferredInit) | DispatchKeySet(DispatchKey::Fake);

ThreadState Read() {
  ThreadState state;
  const auto keys = c10::impl::tls_local_dispatch_key_set();
  state.included = keys.included_.raw_repr();
  state.excluded = keys.excluded_.raw_repr();
  const auto& autograd = c10::AutogradState::get_tls_state();
  state.grad_mode = autograd.get_grad_mode();
  state.inference_mode = autograd.get_inference_mode();
  state.forward_grad_mode = autograd.get_fw_grad_mode();
  const at::Context& context = at::globalContext();
  state.deterministic = context.deterministicAlgorithms();
  state.deterministic_warn_only = context.deterministicAlgorithmsWarnOnly();
  state.fill_uninitialized = context.deterministicFillUninitializedMemory();
  state.default_dtype = c10::get_default_dtype_as_scalartype();
  state.autocast_cpu = at::autocast::get_autocast_dtype(at::kCPU);
  state.autocast_cuda = at::autocast::get_autocast_dtype(at::kCUDA);
  return state;
}

void SetAutograd(const ThreadState& state) {
  c10::AutogradState autograd = c10::AutogradState::get_tls_state();
  autograd.set_grad_mode(state.grad_mode);
  autograd.set_inference_mode(state.inference_mode);
  autograd.set_fw_grad_mode(state.forward_grad_mode);
  c10::AutogradState::set_tls_state(std::move(autograd));
}

// What is shared by all threads is written only if it differs.
void SetGlobals(const ThreadState& state) {
  at::Context& context = at::globalContext();
  if (context.deterministicAlgorithms() != state.deterministic ||
      context.deterministicAlgorithmsWarnOnly() != state.deterministic_warn_only)
    context.setDeterministicAlgorithms(state.deterministic, state.deterministic_warn_only);
  if (context.deterministicFillUninitializedMemory() != state.fill_uninitialized)
    context.setDeterministicFillUninitializedMemory(state.fill_uninitialized);
  if (c10::get_default_dtype_as_scalartype() != state.default_dtype)
    c10::set_default_dtype(c10::scalarTypeToTypeMeta(state.default_dtype));
}

void Set(const ThreadState& state) {
  c10::impl::PODLocalDispatchKeySet keys{};
  keys.set_included(DispatchKeySet(DispatchKeySet::RAW, state.included));
  keys.set_excluded(DispatchKeySet(DispatchKeySet::RAW, state.excluded));
  c10::impl::_force_tls_local_dispatch_key_set(keys);
  SetAutograd(state);
  SetGlobals(state);
  at::autocast::set_autocast_dtype(at::kCPU, state.autocast_cpu);
  at::autocast::set_autocast_dtype(at::kCUDA, state.autocast_cuda);
}

ThreadState WithoutOurKeys(ThreadState state) {
  state.included = (DispatchKeySet(DispatchKeySet::RAW, state.included) - kOurKeys).raw_repr();
  state.excluded =
      (DispatchKeySet(DispatchKeySet::RAW, state.excluded) | DispatchKeySet(DispatchKey::DeferredInit)).raw_repr();
  return state;
}

}  // namespace

std::shared_ptr<const ThreadState> ReadThreadState() {
  thread_local std::shared_ptr<const ThreadState> last;
  const ThreadState now = Read();
  if (!last || !(*last == now)) last = std::make_shared<const ThreadState>(now);
  return last;
}

ThreadStateScope::ThreadStateScope(const ThreadState& state)
    : saved_(Read()), saved_cache_(at::autocast::is_autocast_cache_enabled()) {
  Set(WithoutOurKeys(state));
  at::autocast::set_autocast_cache_enabled(false);  // its entries would outlive the replay
}

ThreadStateScope::~ThreadStateScope() {
  Set(saved_);
  at::autocast::set_autocast_cache_enabled(saved_cache_);
}

ThreadState PlainState() {
  ThreadState state = Read();
  state.included = c10::default_included_set.raw_repr();
  state.excluded = c10::default_excluded_set.raw_repr();
  state.grad_mode = false;
  state.inference_mode = false;
  return state;
}

}  // namespace fakeprop::deferred_init
