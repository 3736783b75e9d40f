#include "lib/fake/constants.h"

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/scalar_tensor.h>
#include <c10/core/CPUAllocator.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "lib/dispatch/fake_tensor.h"
#include "lib/dispatch/for_each_tensor.h"
#include "lib/dispatch/ivalues.h"
#include "lib/dispatch/layout_tensors.h"
#include "lib/dispatch/sym_ints.h"
#include "lib/fake/drafts.h"
#include "lib/fake/serve.h"

namespace fakeprop::fake {
namespace {

c10::ArrayRef<c10::IValue> ArgumentsOf(const c10::OperatorHandle& op, const torch::jit::Stack& stack) {
  return torch::jit::last(stack, op.schema().arguments().size());
}

bool IsWritten(const c10::OperatorHandle& op, size_t argument) {
  const auto* alias = op.schema().arguments()[argument].alias_info();
  return alias && alias->isWrite();
}

bool HasDynamicShape(const c10::OperatorHandle& op) { return op.hasTag(at::Tag::dynamic_output_shape); }

// How many elements a result has that data tells the size of, at most. Its argument is real.
using MostElements = double (*)(const at::Tensor& argument);
double AsMany(const at::Tensor& argument) {
  return static_cast<double>(argument.numel()) * static_cast<double>(std::max<int64_t>(argument.dim(), 1));
}
double Greatest(const at::Tensor& argument) {
  return argument.numel() ? argument.to(at::kDouble).max().item<double>() : 0;
}
double Sum(const at::Tensor& argument) { return argument.to(at::kDouble).sum().item<double>(); }

MostElements MostElementsOf(const c10::OperatorHandle& op) {
  static constexpr std::pair<std::string_view, MostElements> kSized[] = {{"aten::_unique", AsMany},
      {"aten::_unique2", AsMany}, {"aten::bincount", Greatest}, {"aten::masked_select", AsMany},
      {"aten::nonzero", AsMany}, {"aten::repeat_interleave", Sum}, {"aten::unique_consecutive", AsMany},
      {"aten::unique_dim", AsMany}, {"aten::unique_dim_consecutive", AsMany}};
  const auto row = std::find_if(
      std::begin(kSized), std::end(kSized), [&](const auto& r) { return r.first == op.operator_name().name; });
  return row == std::end(kSized) ? nullptr : row->second;
}

// Results of this many elements are computed, although data of so many is not kept.
constexpr double kMostComputed = 1 << 24;

bool HasSmallResult(const c10::OperatorHandle& op, const c10::IValue& known) {
  const MostElements most = MostElementsOf(op);
  const RealScope real;
  return most && known.isTensor() && most(KnownValue(known.toTensor())) <= kMostComputed;
}

// Only deterministic operators that do not resize the real copy.
bool MayRunOnData(const c10::OperatorHandle& op, const torch::jit::Stack& stack, bool follows_data) {
  if (HasDynamicShape(op) && !(follows_data && HasSmallResult(op, ArgumentsOf(op, stack)[0]))) return false;
  for (at::Tag tag : {at::Tag::nondeterministic_seeded, at::Tag::inplace_view})
    if (op.hasTag(tag)) return false;
  const std::string& name = op.operator_name().name;
  return name.starts_with("aten::") && !name.starts_with("aten::resize") && !name.starts_with("aten::set_");
}

bool IsSmall(const at::Tensor& t) {
  return t.layout() == at::kStrided && !dispatch::HasSymbols(t) && t.numel() <= kMostKnownElements;
}

bool FollowsData(const at::Tensor& fake) {
  const ModeState* mode = ModeOf(fake);
  return mode && mode->options().follow_known_data;
}

// Tensors on the device meta have no data in eager mode either.
bool MayBeKnownOn(c10::Device device, bool follows_data) {
  return device.is_cpu() || (follows_data && !device.is_meta());
}

bool HasData(const at::Tensor& fake) {
  return fake.device().is_cpu() || MayBeKnownOn(fake.device(), FollowsData(fake));
}

// Returns true if both have the same number of elements in the same layout.
bool IsAlike(const at::Tensor& fake, const at::Tensor& real) {
  return HasData(fake) && fake.dtype() == real.dtype() && fake.sizes() == real.sizes() &&
         fake.strides() == real.strides() && fake.storage_offset() == real.storage_offset() &&
         fake.storage().nbytes() == real.storage().nbytes();
}

}  // namespace

c10::Storage NewBytes(size_t nbytes) {
  return {c10::Storage::use_byte_size_t(), static_cast<int64_t>(nbytes), c10::GetCPUAllocator(), /*resizable=*/true};
}

void RememberLiteral(const at::Tensor& fake, const at::Tensor& literal) {
  StorageRecord* record = FindRecord(fake);
  if (!record || !literal.device().is_cpu() || !HasData(fake) || !IsSmall(literal)) return;
  const size_t nbytes = literal.storage().nbytes();
  if (nbytes > 16 * kMostKnownElements) return;
  c10::Storage bytes = NewBytes(nbytes);
  if (nbytes) std::memcpy(bytes.mutable_data(), literal.storage().data(), nbytes);
  SetKnown(fake, std::move(bytes));
}

void RememberNumber(const at::Tensor& fake, const c10::Scalar& number) {
  if (!HasData(fake) || number.isSymbolic()) return;
  const auto options = at::device(at::kCPU).dtype(fake.dtype());
  at::Tensor literal;
  {
    const RealScope real;  // in which a fake does not tell its device
    literal = at::scalar_tensor(number, options);
  }
  RememberLiteral(fake, literal);
}

at::Tensor RealOf(const std::vector<Value>& elements, const TensorMeta& meta) {
  const RealScope real;
  std::vector<int64_t> sizes;
  for (Dim size : meta.sizes) sizes.push_back(size.raw());
  at::Tensor value = at::empty(sizes, at::device(at::kCPU).dtype(ToTorch(meta.dtype)));
  const at::Tensor flat = value.view({-1});
  for (int64_t i = 0; i < flat.numel(); ++i) flat.select(0, i).fill_(dispatch::ToScalar(elements[i]));
  return value;
}

at::Tensor KnownValue(const at::Tensor& fake) {
  StorageRecord* record = FindRecord(fake);
  if (record && record->draft) Close(dispatch::DataOf(fake), *record);
  if (!record || !record->known || !IsSmall(fake)) return {};
  const RealScope real;
  at::Tensor value = at::empty({0}, at::device(at::kCPU).dtype(fake.dtype()));
  value.set_(record->known, fake.storage_offset(), fake.sizes(), fake.strides());
  value.unsafeGetTensorImpl()->_set_conj(fake.is_conj());
  value.unsafeGetTensorImpl()->_set_neg(fake.is_neg());
  if (fake.unsafeGetTensorImpl()->is_wrapped_number()) value.unsafeGetTensorImpl()->set_wrapped_number(true);
  return value;
}

namespace {

void PointTo(const at::Tensor& fake, void* data) {
  c10::StorageImpl& storage = *dispatch::StorageOf(fake);
  c10::DataPtr& held = storage._mutable_data_ptr_no_checks();
  storage.set_data_ptr_noswap(c10::DataPtr(data, held.release_context(), held.get_deleter(), held.device()));
}

// Programs may read and write these bytes, for example by an accessor.
void Open(const at::Tensor& fake, const c10::Storage& bytes) {
  PointTo(fake, const_cast<void*>(bytes.data()));
  c10::StorageImpl& storage = *dispatch::StorageOf(fake);
  dispatch::AllowReading(storage);
  // Only a swap takes off the mark that forbids to write.
  auto unmarked = c10::make_intrusive<c10::StorageImpl>(c10::StorageImpl::use_byte_size_t(), storage.sym_nbytes(),
      std::move(storage._mutable_data_ptr_no_checks()), storage.allocator(), storage.resizable());
  storage.swap_data_ptr(*unmarked);
}

}  // namespace

void SetKnown(const at::Tensor& fake, c10::Storage bytes) {
  if (fake.device().is_cpu()) Open(fake, bytes);
  FindRecord(fake)->known = std::move(bytes);
}

void Hide(const at::Tensor& fake) {
  PointTo(fake, nullptr);
  dispatch::ForbidData(*dispatch::StorageOf(fake));
}

void Forget(const at::Tensor& fake) {
  StorageRecord* record = FindRecord(fake);
  if (!record || !record->known) return;
  record->former = std::move(record->known);
  record->known = c10::Storage();
  Hide(fake);
}

namespace {

// A fake on this device that knows the data of a real tensor of the cpu.
at::Tensor FakeOn(c10::Device device, const at::Tensor& real) {
  TensorMeta meta = dispatch::ReadMeta(real);
  meta.device = FromTorch(device);
  const auto nbytes = static_cast<int64_t>(real.storage().nbytes());
  const at::Tensor fake = dispatch::MakeFakeTensor(meta, dispatch::MakeFakeStorage(nbytes, device));
  RememberLiteral(fake, real);
  return fake;
}

}  // namespace

ConstantsCall::ConstantsCall(const c10::OperatorHandle& op, const torch::jit::Stack& stack) : op_(op) {
  const auto arguments = ArgumentsOf(op, stack);
  const bool leaves_drafts = WorksOnDrafts(op, stack);
  bool has_tensor = false, all_known = true;
  for (size_t i = 0; i < arguments.size(); ++i) {
    dispatch::ForEachTensor(arguments[i], [&](const at::Tensor& t) {
      StorageRecord* record = FindRecord(t);
      if (record && record->draft && !leaves_drafts) Close(dispatch::DataOf(t), *record);
      const bool known = record && record->known && IsSmall(t);
      has_tensor = true;
      all_known &= known;
      follows_data_ = follows_data_ || (known && FollowsData(t));
      if (record && record->known && IsWritten(op, i)) written_.push_back(t);
    });
    if (arguments[i].isDevice() && !MayBeKnownOn(arguments[i].toDevice(), follows_data_)) all_known = false;
  }
  if (has_tensor && all_known && MayRunOnData(op, stack, follows_data_)) Run(stack);
}

// Real kernels run on the cpu, whatever device the fakes are on.
void ConstantsCall::Run(const torch::jit::Stack& stack) {
  torch::jit::Stack real;
  for (const c10::IValue& argument : ArgumentsOf(op_, stack))
    real.push_back(
        argument.isDevice() ? c10::IValue(at::Device(at::kCPU)) : dispatch::MapTensors(argument, KnownValue));
  try {
    const RealScope scope;
    op_.callBoxed(real);
    results_ = std::move(real);
  } catch (const c10::Error&) {
    // The fake run reports the error.
  }
}

bool ConstantsCall::AnswerByData(torch::jit::Stack& stack) {
  const bool depends = HasDynamicShape(op_) || op_.hasTag(at::Tag::data_dependent_output);
  if (!follows_data_ || !results_ || !depends || !written_.empty()) return false;
  const auto device = dispatch::TensorsAmong(ArgumentsOf(op_, stack)).front().device();
  torch::jit::drop(stack, op_.schema().arguments().size());
  for (const c10::IValue& result : *results_)
    stack.push_back(dispatch::MapTensors(result, [&](const at::Tensor& real) { return FakeOn(device, real); }));
  return true;
}

void ConstantsCall::Finish(const torch::jit::Stack& stack) {
  if (!results_) {
    for (const at::Tensor& t : written_) Forget(t);
    return;
  }
  const auto fakes = torch::jit::last(stack, op_.schema().returns().size());
  for (size_t i = 0; i < fakes.size(); ++i) {
    std::vector<at::Tensor> reals;
    dispatch::ForEachTensor((*results_)[i], [&](const at::Tensor& t) { reals.push_back(t); });
    size_t next = 0;
    dispatch::ForEachTensor(fakes[i], [&](const at::Tensor& fake) {
      if (next >= reals.size()) return;
      const at::Tensor& real = reals[next++];
      StorageRecord* record = FindRecord(fake);
      if (record && !record->known && IsSmall(fake) && IsAlike(fake, real)) SetKnown(fake, real.storage());
    });
  }
}

}  // namespace fakeprop::fake
