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

bool HasPlainMeta(const TensorMeta& meta) {
  return meta.layout == Layout::Strided && !meta.storage_offset.IsSymbolic() && !IsSymbolic(meta.size_span()) &&
         !IsSymbolic(meta.stride_span());
}

bool HasModel(const Output& output) {
  if (output.constant) return false;
  switch (output.kind) {
    case Output::Kind::kValue: return false;
    case Output::Kind::kNew:
      return output.shares_with < 0 && output.items.empty() && output.nbytes && !output.nbytes->IsSymbolic() &&
             HasPlainMeta(output.meta);
    case Output::Kind::kView:
    case Output::Kind::kAlias: return output.items.empty() && HasPlainMeta(output.meta);
    case Output::Kind::kArgument: return true;
    case Output::Kind::kList: return std::all_of(output.items.begin(), output.items.end(), HasModel);
  }
  return false;
}

// A bare meta tensor. Its storage is no mode's: it is not counted, and keeps no mode alive.
c10::intrusive_ptr<c10::TensorImpl> Example(const TensorMeta& meta) {
  const dispatch::HostScope no_host(nullptr);
  const c10::InferenceMode normal(false);
  const at::Tensor made = at::detail::make_tensor<dispatch::FakeTensorImpl>(dispatch::MakeFakeStorage(0, c10::kMeta),
      c10::DispatchKeySet(c10::DispatchKey::Meta), c10::scalarTypeToTypeMeta(ToTorch(meta.dtype)));
  dispatch::SetGeometry(made, meta);
  return made.getIntrusivePtr();
}

ResultModel ModelOfResult(const Output& output) {
  ResultModel model{output.kind};
  if (output.source) model.argument = PlaceOf(output.source);
  if (output.kind == Output::Kind::kNew) model.nbytes = output.nbytes->raw();
  if (output.kind != Output::Kind::kArgument && output.kind != Output::Kind::kList) {
    model.tensor = Example(output.meta);
    model.device = dispatch::WithIndex(ToTorch(output.meta.device));
    model.is_conj = output.meta.is_conj;
    model.is_neg = output.meta.is_neg;
  }
  for (const Output& item : output.items) model.items.push_back(ModelOfResult(item));
  return model;
}

bool OnlyWrites(const Mutation& mutation) { return mutation.writes && !mutation.meta && !mutation.nbytes; }

// Gives a tensor the model's metadata, as MakeFakeTensor and MakeFakeAlias do, but faster.
at::Tensor Finish(at::Tensor made, const ResultModel& model) {
  auto* impl = static_cast<dispatch::FakeTensorImpl*>(made.unsafeGetTensorImpl());
  impl->CopyMetadata(*model.tensor);
  if (!model.device.is_meta()) impl->SetDevice(model.device);
  if (model.is_conj) impl->_set_conj(true);
  if (model.is_neg) impl->_set_neg(true);
  dispatch::UseAccelerator(model.device.type());
  if (std::vector<at::Tensor>* posed = Posed()) {
    impl->set_python_dispatch(true);
    posed->push_back(made);
  }
  return made;
}

at::Tensor CopyNew(const ResultModel& model, const CallKey& key) {
  c10::Storage storage = dispatch::HoldInStorage(
      NewRecord(key.mode()->shared_from_this(), model.nbytes, model.device), model.nbytes, model.device);
  return Finish(at::detail::make_tensor<dispatch::FakeTensorImpl>(
                    std::move(storage), c10::DispatchKeySet(c10::DispatchKey::Meta), model.tensor->dtype()),
      model);
}

at::Tensor CopyAlias(const ResultModel& model, const CallKey& key) {
  const c10::TensorImpl& source = *key.tensors()[model.argument]->unsafeGetTensorImpl();
  const c10::DispatchKeySet keys =
      source.key_set().remove(c10::DispatchKey::Conjugate).remove(c10::DispatchKey::Negative);
  return Finish(at::detail::make_tensor<dispatch::FakeTensorImpl>(
                    c10::TensorImpl::VIEW, c10::Storage(source.unsafe_storage()), keys, model.tensor->dtype()),
      model);
}

c10::IValue CopyResult(const ResultModel& model, const CallKey& key, const c10::Argument& result) {
  if (model.kind != Output::Kind::kList) return CopyTensor(model, key);
  c10::impl::GenericList list(result.type()->expectRef<c10::ListType>().getElementType());
  list.reserve(model.items.size());
  for (const ResultModel& item : model.items) list.push_back(CopyTensor(item, key));
  return list;
}

void Copy(const c10::OperatorHandle& op, const CallModel& model, const CallKey& key, torch::jit::Stack& stack) {
  CountWrites(model, key);
  c10::SmallVector<c10::IValue, 2> made;
  for (size_t i = 0; i < model.results.size(); ++i)
    made.push_back(CopyResult(model.results[i], key, op.schema().returns()[i]));
  torch::jit::drop(stack, op.schema().arguments().size());
  for (c10::IValue& value : made) stack.push_back(std::move(value));
}

}  // namespace

std::optional<CallModel> ModelOf(const Effects& effects) {
  if (!std::all_of(effects.mutations.begin(), effects.mutations.end(), OnlyWrites) ||
      !std::all_of(effects.outputs.begin(), effects.outputs.end(), HasModel))
    return std::nullopt;
  CallModel model;
  for (const Mutation& mutation : effects.mutations) model.written.push_back(PlaceOf(mutation.target));
  for (const Output& output : effects.outputs) model.results.push_back(ModelOfResult(output));
  return model;
}

// Models are normal tensors.
bool MayCopy(const CallModel& model, const CallKey& key) {
  const auto knows = [&](size_t place) { return bool{FindRecord(*key.tensors()[place])->known}; };
  return !c10::InferenceMode::is_enabled() && std::none_of(model.written.begin(), model.written.end(), knows);
}

void CountWrites(const CallModel& model, const CallKey& key) {
  for (const size_t place : model.written) ++FindRecord(*key.tensors()[place])->writes;
}

at::Tensor CopyTensor(const ResultModel& model, const CallKey& key) {
  if (model.kind == Output::Kind::kArgument) return *key.tensors()[model.argument];
  return model.kind == Output::Kind::kNew ? CopyNew(model, key) : CopyAlias(model, key);
}

void Replay(const c10::OperatorHandle& op, const KeptCall& kept, const CallKey& key, torch::jit::Stack& stack) {
  if (kept.model && MayCopy(*kept.model, key)) return Copy(op, *kept.model, key, stack);
  const BelowMode below(*key.mode());
  dispatch::ApplyEffects(op, kept.effects, StandInsFor(key), stack);
}

}  // namespace fakeprop::fake
