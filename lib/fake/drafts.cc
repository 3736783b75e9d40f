#include "lib/fake/drafts.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include <algorithm>
#include <cstring>

#include "lib/dispatch/fake_tensor.h"
#include "lib/dispatch/for_each_tensor.h"
#include "lib/dispatch/layout_tensors.h"
#include "lib/fake/constants.h"
#include "lib/fake/serve.h"

namespace fakeprop::fake {
namespace {

// What memory holds that nobody has written to.
constexpr unsigned char kUnwritten = 0xDB;

// Gives a new fake memory of a real storage, which may be read and written.
void ShareMemory(const at::Tensor& fake, c10::Storage memory) {
  c10::StorageImpl& storage = *fake.storage().unsafeGetStorageImpl();
  dispatch::AllowReading(storage);
  StorageRecord* record = FindRecord(fake);
  c10::DataPtr& held = storage._mutable_data_ptr_no_checks();
  void* data = memory.unsafeGetStorageImpl()->mutable_data();
  record->draft = std::move(memory);
  c10::DataPtr open(data, held.release_context(), held.get_deleter(), held.device());
  auto impl = c10::make_intrusive<c10::StorageImpl>(
      c10::StorageImpl::use_byte_size_t(), storage.nbytes(), std::move(open), storage.allocator(), /*resizable=*/true);
  fake.unsafeGetTensorImpl()->set_storage_keep_dtype(c10::Storage(std::move(impl)));
}

bool IsWritten(const c10::Storage& memory) {
  const auto* bytes = static_cast<const unsigned char*>(memory.data());
  return std::any_of(bytes, bytes + memory.nbytes(), [](unsigned char byte) { return byte != kUnwritten; });
}

bool AllAre(const c10::Storage& flags, unsigned char value) {
  const auto* bytes = static_cast<const unsigned char*>(flags.data());
  return std::all_of(bytes, bytes + flags.nbytes(), [value](unsigned char byte) { return byte == value; });
}

StorageRecord* DraftOf(const at::Tensor& t) {
  StorageRecord* record = FindRecord(t);
  return record && record->draft ? record : nullptr;
}

bool IsWrite(const c10::Argument& argument) { return argument.alias_info() && argument.alias_info()->isWrite(); }

// Calls of view, select, slice ...
bool MakesViews(const c10::FunctionSchema& schema) {
  const auto& returns = schema.returns();
  const auto& arguments = schema.arguments();
  return !returns.empty() && returns[0].alias_info() && std::none_of(arguments.begin(), arguments.end(), IsWrite);
}

bool IsFill(const c10::OperatorHandle& op) { return op.operator_name().name == "aten::fill_"; }

bool HasDraftInProgress(const torch::jit::Stack& stack, size_t arguments) {
  bool found = false, may_go_on = true;
  for (const c10::IValue& argument : torch::jit::last(stack, arguments))
    dispatch::ForEachTensor(argument, [&](const at::Tensor& t) {
      const StorageRecord* record = DraftOf(t);
      found |= record != nullptr;
      may_go_on &= !record || record->filled || !IsWritten(record->draft);
    });
  return found && may_go_on;
}

// `element[...] = number`. A flag for each byte says that it is written: a view may have another dtype.
bool Fill(const at::Tensor& element, const c10::Scalar& number) {
  StorageRecord* record = DraftOf(element);
  if (!record || element.dim() != 0 || number.isSymbolic()) return false;
  const size_t size = element.itemsize(), first = static_cast<size_t>(element.storage_offset()) * size;
  if (first + size > record->draft.nbytes()) return false;
  if (!record->filled) {
    record->filled = NewBytes(record->draft.nbytes());
    std::memset(record->filled.mutable_data(), 0, record->filled.nbytes());
  }
  const RealScope real;
  const at::Tensor value = at::empty({0}, at::device(at::kCPU).dtype(element.dtype()));
  value.set_(record->draft, element.storage_offset(), {}, {}).fill_(number);
  std::memset(static_cast<unsigned char*>(record->filled.mutable_data()) + first, 1, size);
  return true;
}

}  // namespace

void OpenForWriting(const at::Tensor& empty) {
  StorageRecord* record = FindRecord(empty);
  if (!record || empty.layout() != at::kStrided || !empty.device().is_cpu() || empty.dim() != 1 ||
      empty.unsafeGetTensorImpl()->has_symbolic_sizes_strides())
    return;
  if (empty.numel() == 0 || empty.numel() > kMostKnownElements) return;
  // A recording (lib/deferred_init) sees operators, and no bytes that are written past them.
  if (c10::impl::tls_local_dispatch_key_set().included_.has(c10::DispatchKey::DeferredInit)) return;
  c10::Storage memory = NewBytes(empty.storage().nbytes());
  std::memset(memory.mutable_data(), kUnwritten, memory.nbytes());
  ShareMemory(empty, std::move(memory));
}

bool WorksOnDrafts(const c10::OperatorHandle& op, const torch::jit::Stack& stack) {
  const size_t arguments = op.schema().arguments().size();
  if (!HasDraftInProgress(stack, arguments)) return false;
  if (MakesViews(op.schema())) return true;
  if (!IsFill(op) || !torch::jit::peek(stack, 1, arguments).isScalar()) return false;
  return Fill(torch::jit::peek(stack, 0, arguments).toTensor(), torch::jit::peek(stack, 1, arguments).toScalar());
}

bool CloseDrafts(const c10::OperatorHandle& op, const torch::jit::Stack& stack) {
  if (MakesViews(op.schema()) || IsFill(op)) return false;
  bool found = false;
  for (const c10::IValue& argument : torch::jit::last(stack, op.schema().arguments().size()))
    dispatch::ForEachTensor(argument, [&](const at::Tensor& t) {
      StorageRecord* record = DraftOf(t);
      if (!record) return;
      const BelowMode below(*record->mode);
      Close(dispatch::DataOf(t), *record);
      found = true;
    });
  return found;
}

void Close(const at::Tensor& fake, StorageRecord& record) {
  c10::Storage memory = std::move(record.draft), filled = std::move(record.filled);
  record.draft = record.filled = c10::Storage();
  const bool is_written = filled ? AllAre(filled, 1) : IsWritten(memory);
  Hide(fake);
  if (is_written) SetKnown(fake, std::move(memory));
}

}  // namespace fakeprop::fake
