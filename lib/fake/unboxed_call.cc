#include "lib/fake/unboxed_call.h"

#include <ATen/core/Tensor.h>

#include "lib/dispatch/dispatch_host.h"
#include "lib/dispatch/operator_info.h"
#include "lib/dispatch/rule_service.h"
#include "lib/fake/drafts.h"
#include "lib/fake/mode_info.h"
#include "lib/fake/serve.h"
#include "lib/fake/sym_nodes.h"

namespace fakeprop::fake {

UnboxedOperator::UnboxedOperator(const c10::OperatorHandle& op) : writes(!dispatch::InfoOf(op)->written.empty()) {
  const ModeOperatorOf facts(op);
  opens = facts->opens;
  is_number = facts->is_number;
  may_repeat =
      facts->is_repeatable && (!facts->special || opens) && !facts->is_composite_view && !facts->counts_versions;
  depends_on_data = facts->depends_on_data;
}

UnboxedCall::UnboxedCall(const c10::OperatorHandle& op, const UnboxedOperator& facts)
    : facts_(facts), symbols_(SymbolsMutex(), std::defer_lock) {
  if (!facts.may_repeat || dispatch::Host::Current() || dispatch::LeavesOutRule()) return;
  if (facts.is_number && IsBelowAutograd()) return;  // torch::tensor asks, and the number is known
  const ModeInfo* info = CurrentInfo();
  ModeState* mode = info ? info->mode.get() : nullptr;
  if (!mode || mode->options().shape_env) symbols_.lock();
  key_.Begin(op, mode);
  may_repeat_ = true;
}

at::Tensor UnboxedCall::Result(size_t i) const {
  at::Tensor made = CopyTensor(model_->results[i], key_);
  if (facts_.opens) OpenForWriting(made);
  return made;
}

std::vector<at::Tensor> UnboxedCall::List(size_t result) const {
  const std::vector<ResultModel>& items = model_->results[result].items;
  std::vector<at::Tensor> list;
  list.reserve(items.size());
  for (const ResultModel& item : items) list.push_back(CopyTensor(item, key_));
  return list;
}

bool UnboxedCall::FindModel() {
  if (!key_.End() || key_.mode()->options().cross_check || (facts_.writes && key_.has_known())) return false;
  if (facts_.depends_on_data && !NeedsNoData(*key_.mode())) return false;
  const KeptCall* kept = key_.mode()->calls().Find(key_);
  if (!kept || !kept->model || !MayCopy(*kept->model, key_)) return false;
  model_ = &*kept->model;
  RepeatMutations(*model_, key_);
  return true;
}

}  // namespace fakeprop::fake
