#include "lib/deferred_init/data_access.h"

#include "lib/deferred_init/materialize.h"
#include "lib/deferred_init/recorder.h"
#include "lib/deferred_init/replay_calls.h"
#include "lib/dispatch/fake_tensor.h"

namespace fakeprop::deferred_init {
namespace {

void MakeReal(const dispatch::FakeTensorImpl& impl) {
  if (!IsRecording()) return;
  if (CurrentNeedsData() == NeedsData::kRaise)
    throw DeferredInitError("",
        "the data of a deferred tensor was asked for (a data pointer, printing); materialise the tensor before, or "
        "record with NeedsData::kMaterialize");
  const at::Tensor tensor(
      c10::intrusive_ptr<c10::TensorImpl>::reclaim_copy(const_cast<dispatch::FakeTensorImpl*>(&impl)));
  // The program may write through the pointer, which nobody sees.
  SpareReaders(tensor, ReplayOptionsFor(tensor, {}));
  MaterializeTensor(tensor);
}

}  // namespace

void WatchDataAccess() { dispatch::FakeTensorImpl::on_data_access = &MakeReal; }

}  // namespace fakeprop::deferred_init
