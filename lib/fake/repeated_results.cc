#include "lib/fake/repeated_results.h"

#include <ATen/core/Tensor.h>
#include <c10/core/InferenceMode.h>

#include <algorithm>

#include "lib/base/check.h"
#include "lib/dispatch/accelerator_hooks.h"
#include "lib/dispatch/dispatch_host.h"
#include "lib/dispatch/fake_tensor.h"
#include "lib/dispatch/held_storage.h"
#include "lib/dispatch/ivalues.h"
#include "lib/dispatch/torch_types.h"
#include "lib/fake/constants.h"
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

bool IsPlainNumber(const Value& value) {
  const Dim* dim = value.TryGet<Dim>();
  return dim ? !dim->IsSymbolic() : value.Is<bool>() || value.Is<double>();
}

// Known data that a copy gets as well (Host::RememberConstant).
bool HasPlainData(const Output& output) {
  return output.constant->size() <= kMostKnownElements && output.meta.storage_offset.raw() == 0 &&
         IsContiguous(output.meta) && std::all_of(output.constant->begin(), output.constant->end(), IsPlainNumber);
}

bool HasModel(const Output& output) {
  if (output.constant && (output.kind != Output::Kind::kNew || !HasPlainMeta(output.meta) || !HasPlainData(output)))
    return false;
  const auto is_tensor = [](const Output& item) { return item.kind != Output::Kind::kValue || item.value.IsNone(); };
  switch (output.kind) {
    case Output::Kind::kValue: return output.value.IsNone() || IsPlainNumber(output.value);
    case Output::Kind::kNew:
      return output.shares_with < 0 && output.items.empty() && output.nbytes && !output.nbytes->IsSymbolic() &&
             HasPlainMeta(output.meta);
    case Output::Kind::kView:
    case Output::Kind::kAlias: return output.items.empty() && HasPlainMeta(output.meta);
    case Output::Kind::kArgument: return true;
    case Output::Kind::kList:
      return std::all_of(output.items.begin(), output.items.end(), HasModel) &&
             std::all_of(output.items.begin(), output.items.end(), is_tensor);
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
  model.value = output.value;
  if (output.source) model.argument = PlaceOf(output.source);
  if (output.kind == Output::Kind::kNew) model.nbytes = output.nbytes->raw();
  if (output.constant) model.known = RealOf(*output.constant, output.meta);
  if (output.kind == Output::Kind::kNew || output.kind == Output::Kind::kView || output.kind == Output::Kind::kAlias) {
    model.tensor = Example(output.meta);
    model.device = dispatch::WithIndex(ToTorch(output.meta.device));
    model.is_conj = output.meta.is_conj;
    model.is_neg = output.meta.is_neg;
  }
  for (const Output& item : output.items) model.items.push_back(ModelOfResult(item));
  return model;
}

bool HasModel(const Mutation& m) {
  return (!m.meta || HasPlainMeta(*m.meta)) && (!m.nbytes || !m.nbytes->IsSymbolic());
}

MutationModel ModelOfMutation(const Mutation& m) {
  MutationModel model{.argument = PlaceOf(m.target), .writes = m.writes, .has_fresh_storage = m.fresh_storage};
  if (m.meta) model.geometry = Example(*m.meta);
  if (m.nbytes) model.nbytes = m.nbytes->raw();
  if (m.storage_of) model.storage_of = PlaceOf(m.storage_of);
  return model;
}

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

c10::Storage NewStorage(const CallKey& key, int64_t nbytes, c10::Device device) {
  return dispatch::HoldInStorage(NewRecord(key.mode()->shared_from_this(), nbytes, device), nbytes, device);
}

at::Tensor CopyNew(const ResultModel& model, const CallKey& key) {
  at::Tensor made =
      Finish(at::detail::make_tensor<dispatch::FakeTensorImpl>(NewStorage(key, model.nbytes, model.device),
                 c10::DispatchKeySet(c10::DispatchKey::Meta), model.tensor->dtype()),
          model);
  if (model.known.defined()) RememberLiteral(made, model.known);
  return made;
}

at::Tensor CopyAlias(const ResultModel& model, const CallKey& key) {
  const c10::TensorImpl& source = *key.tensors()[model.argument]->unsafeGetTensorImpl();
  const c10::DispatchKeySet keys =
      source.key_set().remove(c10::DispatchKey::Conjugate).remove(c10::DispatchKey::Negative);
  return Finish(at::detail::make_tensor<dispatch::FakeTensorImpl>(
                    c10::TensorImpl::VIEW, c10::Storage(source.unsafe_storage()), keys, model.tensor->dtype()),
      model);
}

[[noreturn]] at::Tensor NoTensor(Tensor&) { throw InternalError("a number that has a tensor"); }

c10::IValue CopyResult(const ResultModel& model, const CallKey& key, const c10::Argument& result) {
  if (model.kind == Output::Kind::kValue) return dispatch::ToIValue(model.value, result, NoTensor);
  if (model.kind != Output::Kind::kList) return CopyTensor(model, key);
  c10::impl::GenericList list(result.type()->expectRef<c10::ListType>().getElementType());
  list.reserve(model.items.size());
  for (const ResultModel& item : model.items) list.push_back(CopyTensor(item, key));
  return list;
}

void Copy(const c10::OperatorHandle& op, const CallModel& model, const CallKey& key, torch::jit::Stack& stack) {
  RepeatMutations(model, key);
  c10::SmallVector<c10::IValue, 2> made;
  for (size_t i = 0; i < model.results.size(); ++i)
    made.push_back(CopyResult(model.results[i], key, op.schema().returns()[i]));
  torch::jit::drop(stack, op.schema().arguments().size());
  for (c10::IValue& value : made) stack.push_back(std::move(value));
}

// As ApplyEffects does, but faster.
void ChangeMetadata(const MutationModel& m, const at::Tensor& t, const CallKey& key) {
  c10::TensorImpl* impl = t.unsafeGetTensorImpl();
  if (m.has_fresh_storage) impl->set_storage_keep_dtype(NewStorage(key, 0, dispatch::WithIndex(t.device())));
  if (m.storage_of) impl->set_storage_keep_dtype(key.tensors()[*m.storage_of]->unsafeGetTensorImpl()->unsafe_storage());
  c10::StorageImpl* storage = dispatch::StorageOf(t);
  if (m.nbytes > static_cast<int64_t>(storage->nbytes())) storage->set_nbytes(static_cast<size_t>(m.nbytes));
  if (m.geometry) impl->set_sizes_and_strides(m.geometry->sizes(), m.geometry->strides(), m.geometry->storage_offset());
  Recount(t);
}

// As ModeHost::NoteWrite does.
void NoteWrite(const at::Tensor& t) {
  StorageRecord* record = FindRecord(t);
  ++record->writes;
  if (!record->known) return;
  const BelowMode below(*record->mode);
  Forget(t);
}

bool HasPlainMetadata(const at::Tensor& t) {
  return !t.unsafeGetTensorImpl()->has_symbolic_sizes_strides() &&
         !dispatch::StorageOf(t)->sym_nbytes().is_heap_allocated();
}

}  // namespace

std::optional<CallModel> ModelOf(const Effects& effects) {
  const auto has_model = [](const auto& effect) { return HasModel(effect); };
  if (!std::all_of(effects.mutations.begin(), effects.mutations.end(), has_model) ||
      !std::all_of(effects.outputs.begin(), effects.outputs.end(), has_model))
    return std::nullopt;
  CallModel model;
  for (const Mutation& mutation : effects.mutations) model.mutations.push_back(ModelOfMutation(mutation));
  for (const Output& output : effects.outputs) model.results.push_back(ModelOfResult(output));
  return model;
}

// Models are normal tensors.
bool MayCopy(const CallModel& model, const CallKey& key) {
  const auto may_repeat = [&](const MutationModel& m) {
    const at::Tensor& t = *key.tensors()[m.argument];
    return (!FindRecord(t)->known || m.writes) && (!m.changes_metadata() || HasPlainMetadata(t)) &&
           (!m.storage_of || HasPlainMetadata(*key.tensors()[*m.storage_of]));
  };
  return !c10::InferenceMode::is_enabled() && std::all_of(model.mutations.begin(), model.mutations.end(), may_repeat);
}

void RepeatMutations(const CallModel& model, const CallKey& key) {
  for (const MutationModel& m : model.mutations) {
    const at::Tensor& t = *key.tensors()[m.argument];
    if (m.changes_metadata()) ChangeMetadata(m, t, key);
    if (m.writes) NoteWrite(t);
  }
}

at::Tensor CopyTensor(const ResultModel& model, const CallKey& key) {
  if (model.kind == Output::Kind::kValue) return {};
  if (model.kind == Output::Kind::kArgument) return *key.tensors()[model.argument];
  return model.kind == Output::Kind::kNew ? CopyNew(model, key) : CopyAlias(model, key);
}

void Replay(const c10::OperatorHandle& op, const KeptCall& kept, const CallKey& key, torch::jit::Stack& stack) {
  if (kept.model && MayCopy(*kept.model, key)) return Copy(op, *kept.model, key, stack);
  const BelowMode below(*key.mode());
  dispatch::ApplyEffects(op, kept.effects, StandInsFor(key), stack);
}

}  // namespace fakeprop::fake
