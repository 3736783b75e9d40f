#include "lib/fake/repeated_results.h"

#include <ATen/core/Tensor.h>
#include <c10/core/InferenceMode.h>

#include <algorithm>

#include "lib/dispatch/accelerator_hooks.h"
#include "lib/dispatch/dispatch_host.h"
#include "lib/dispatch/fake_tensor.h"
#include "lib/dispatch/held_storage.h"
#include "lib/dispatch/torch_types.h"
#include "lib/fake/mode_state.h"
#include "lib/fake/serve.h"

namespace fakeprop::fake {
namespace {

bool IsSymbolic(DimSpan dims) {
  return std::any_of(dims.begin(), dims.end(), [](Dim d) { return d.IsSymbolic(); });
}

bool HasModel(const Output& output) {
  const TensorMeta& meta = output.meta;
  return output.kind == Output::Kind::kNew && output.shares_with < 0 && !output.constant &&
         meta.layout == Layout::Strided && output.nbytes && !output.nbytes->IsSymbolic() &&
         !meta.storage_offset.IsSymbolic() && !IsSymbolic(meta.size_span()) && !IsSymbolic(meta.stride_span());
}

ResultModel ModelOf(const Output& output) {
  // Its storage is no mode's: it is not counted, and keeps no mode alive.
  const dispatch::HostScope no_host(nullptr);
  const c10::InferenceMode normal(false);
  const c10::Device device = ToTorch(output.meta.device);
  const at::Tensor model = dispatch::MakeFakeTensor(output.meta, dispatch::MakeFakeStorage(0, device));
  return {model.getIntrusivePtr(), output.nbytes->raw(), model.device()};
}

// Gives access to what LibTorch's classes of tensors share.
struct TensorClass : c10::TensorImpl {
  static void CopyMetadata(const c10::TensorImpl& from, c10::TensorImpl& to) {
    copy_generic_tensor_metadata(&from, &to);
  }
};

// As MakeFakeTensor makes one of the model's metadata, but faster.
at::Tensor MakeOne(ModeState& mode, const ResultModel& model) {
  const c10::TensorImpl& like = *model.tensor;
  at::Tensor made = at::detail::make_tensor<dispatch::FakeTensorImpl>(
      dispatch::HoldInStorage(
          NewRecord(mode.shared_from_this(), model.nbytes, model.device), model.nbytes, model.device),
      c10::DispatchKeySet(c10::DispatchKey::Meta), like.dtype());
  TensorClass::CopyMetadata(like, *made.unsafeGetTensorImpl());
  if (!model.device.is_meta()) made.unsafeGetTensorImpl()->set_fake_device(like.device());
  dispatch::UseAccelerator(model.device.type());
  return made;
}

// Models are normal tensors that do not pose.
bool MayUseModels() { return !c10::InferenceMode::is_enabled() && !Posed(); }

}  // namespace

std::vector<ResultModel> ModelsOf(const Effects& effects) {
  if (!effects.mutations.empty() || !std::all_of(effects.outputs.begin(), effects.outputs.end(), HasModel)) return {};
  std::vector<ResultModel> models;
  for (const Output& output : effects.outputs) models.push_back(ModelOf(output));
  return models;
}

bool ReplayNew(const c10::OperatorHandle& op, const KeptCall& kept, ModeState& mode, torch::jit::Stack& stack) {
  if (kept.models.empty() || !MayUseModels()) return false;
  c10::SmallVector<at::Tensor, 2> made;
  for (const ResultModel& model : kept.models) made.push_back(MakeOne(mode, model));
  torch::jit::drop(stack, op.schema().arguments().size());
  for (at::Tensor& t : made) stack.emplace_back(std::move(t));
  return true;
}

void Replay(const c10::OperatorHandle& op, const KeptCall& kept, const CallKey& key, torch::jit::Stack& stack) {
  if (ReplayNew(op, kept, *key.mode(), stack)) return;
  const BelowMode below(*key.mode());
  dispatch::ApplyEffects(op, kept.effects, StandInsFor(key), stack);
}

}  // namespace fakeprop::fake
