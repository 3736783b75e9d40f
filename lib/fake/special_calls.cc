#include "lib/fake/special_calls.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/randperm.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include <algorithm>
#include <cstring>
#include <iterator>

#include "lib/dispatch/fake_tensor.h"
#include "lib/dispatch/fallback.h"
#include "lib/dispatch/sym_ints.h"
#include "lib/error/error.h"
#include "lib/fake/constants.h"
#include "lib/fake/converter.h"
#include "lib/fake/serve.h"
#include "lib/meta/dtype.h"

namespace fakeprop::fake {
namespace {

using torch::jit::Stack;

// What memory holds that nobody has written to.
constexpr unsigned char kUnwritten = 0xDB;

c10::IValue& Argument(const c10::OperatorHandle& op, Stack& stack, size_t i) {
  return torch::jit::peek(stack, i, op.schema().arguments().size());
}

// Gives a new fake memory of a real storage, which may be read and written.
void ShareMemory(const at::Tensor& fake, c10::Storage memory) {
  c10::StorageImpl& storage = *fake.storage().unsafeGetStorageImpl();
  StorageRecord* record = FindRecord(fake);
  c10::DataPtr& held = storage._mutable_data_ptr_no_checks();
  void* data = memory.unsafeGetStorageImpl()->mutable_data();
  record->draft = std::move(memory);
  c10::DataPtr open(data, held.release_context(), held.get_deleter(), held.device());
  auto impl = c10::make_intrusive<c10::StorageImpl>(
      c10::StorageImpl::use_byte_size_t(), storage.nbytes(), std::move(open), storage.allocator(), /*resizable=*/true);
  fake.unsafeGetTensorImpl()->set_storage_keep_dtype(c10::Storage(std::move(impl)));
}

// ---- the operators

// Source: at::native::_pin_memory (aten/src/ATen/native/Memory.cpp).
bool PinMemory(ModeState&, const c10::OperatorHandle& op, Stack& stack) {
  const at::Tensor self = Argument(op, stack, 0).toTensor();
  if (!self.device().is_cpu())
    Fail(ErrorClass::kDeviceMismatch,
        "cannot pin a tensor on " + self.device().str() + ": only dense CPU tensors can be pinned");
  TensorMeta meta = dispatch::ReadMeta(self);
  meta.storage_offset = 0;
  const at::Tensor pinned =
      dispatch::MakeFakeTensor(meta, dispatch::MakeFakeStorage(StorageNbytes(meta), self.device()));
  FindRecord(pinned)->is_pinned = true;
  torch::jit::drop(stack, op.schema().arguments().size());
  stack.push_back(pinned);
  return true;
}

bool IsPinned(ModeState&, const c10::OperatorHandle& op, Stack& stack) {
  const StorageRecord* record = FindRecord(Argument(op, stack, 0).toTensor());
  torch::jit::drop(stack, op.schema().arguments().size());
  stack.push_back(record && record->is_pinned);
  return true;
}

bool Empty(ModeState&, const c10::OperatorHandle& op, Stack& stack) {
  const c10::IValue& pin = Argument(op, stack, *op.schema().argumentIndexWithName("pin_memory"));
  const bool is_pinned = pin.isBool() && pin.toBool();
  dispatch::Serve(op, stack);
  const at::Tensor& made = stack.back().toTensor();
  if (StorageRecord* record = FindRecord(made)) record->is_pinned = is_pinned;
  OpenForWriting(made);
  return true;
}

// A tensor without elements that are not zero. LibTorch's kernels for such tensors see it by its key.
bool ZeroTensor(ModeState&, const c10::OperatorHandle& op, Stack& stack) {
  dispatch::Serve(op, stack);
  const at::Tensor made = stack.back().toTensor();
  const TensorMeta meta = dispatch::ReadMeta(made);
  stack.back() = dispatch::MakeFakeAlias(meta, made.storage(), made.key_set().add(c10::DispatchKey::ZeroTensor));
  return true;
}

// torch::load gives a tensor the storage of a file, which is real.
// Source: at::native::set_ (aten/src/ATen/native/TensorShape.cpp).
bool SetToRealStorage(ModeState& mode, const c10::OperatorHandle& op, Stack& stack) {
  const c10::Storage real = Argument(op, stack, 1).toStorage();
  const at::Tensor self = Argument(op, stack, 0).toTensor();
  if (dispatch::FakeDeviceOf(*real.unsafeGetStorageImpl()) || dispatch::HasSymbols(self)) return false;
  at::Tensor bytes;
  {
    const RealScope scope;
    bytes = at::empty({0}, at::device(real.device()).dtype(at::kByte)).set_(real);
  }
  TensorMeta meta = dispatch::ReadMeta(self);
  const bool is_part = op.schema().arguments().size() > 2;
  if (is_part) {
    meta.storage_offset = Argument(op, stack, 2).toInt();
    const std::vector<int64_t> sizes = Argument(op, stack, 3).toIntVector(),
                               strides = Argument(op, stack, 4).toIntVector();
    meta.sizes.assign(sizes.begin(), sizes.end());
    meta.strides.assign(strides.begin(), strides.end());
    if (meta.strides.size() != meta.sizes.size()) meta.strides = ContiguousStrides(meta.size_span());
  } else {
    meta.storage_offset = 0;
    meta.sizes = {static_cast<int64_t>(real.nbytes()) / ItemSize(meta.dtype)};
    meta.strides = {1};
  }
  self.unsafeGetTensorImpl()->set_storage_keep_dtype(FromReal(mode, bytes).storage());
  dispatch::SetGeometry(self, meta);
  torch::jit::drop(stack, op.schema().arguments().size());
  stack.push_back(self);
  return true;
}

// Source: at::native::randperm_cpu (aten/src/ATen/native/TensorFactories.cpp).
bool DrawPermutation(ModeState& mode, const c10::OperatorHandle& op, Stack& stack) {
  if (!mode.options().draw_permutations || !Argument(op, stack, 0).isInt()) return false;
  const int64_t n = Argument(op, stack, 0).toInt();
  dispatch::Serve(op, stack);
  const at::Tensor& made = stack.back().toTensor();
  if (!made.device().is_cpu() || n == 0) return true;
  const RealScope real;
  at::Tensor drawn = at::randperm(n, at::device(at::kCPU).dtype(made.dtype()));
  SetKnown(made, drawn.storage());
  return true;
}

struct Special {
  std::string_view op;
  SpecialServer serve;
};
constexpr Special kSpecials[] = {
    {"aten::_efficientzerotensor", ZeroTensor},
    {"aten::_pin_memory", PinMemory},
    {"aten::empty.memory_format", Empty},
    {"aten::is_pinned", IsPinned},
    {"aten::randperm", DrawPermutation},
    {"aten::set_.source_Storage", SetToRealStorage},
    {"aten::set_.source_Storage_storage_offset", SetToRealStorage},
};

}  // namespace

SpecialServer FindSpecialServer(std::string_view full_name) {
  const auto it = std::find_if(
      std::begin(kSpecials), std::end(kSpecials), [&](const Special& special) { return special.op == full_name; });
  return it == std::end(kSpecials) ? nullptr : it->serve;
}

void OpenForWriting(const at::Tensor& empty) {
  StorageRecord* record = FindRecord(empty);
  if (!record || !empty.device().is_cpu() || empty.dim() != 1 ||
      empty.unsafeGetTensorImpl()->has_symbolic_sizes_strides())
    return;
  if (empty.numel() == 0 || empty.numel() > kMostKnownElements) return;
  // A recording (lib/deferred_init) sees operators, and no bytes that are written past them.
  if (c10::impl::tls_local_dispatch_key_set().included_.has(c10::DispatchKey::DeferredInit)) return;
  c10::Storage memory = NewBytes(empty.storage().nbytes());
  std::memset(memory.mutable_data(), kUnwritten, memory.nbytes());
  ShareMemory(empty, std::move(memory));
}

void Close(const at::Tensor& fake, StorageRecord& record) {
  c10::Storage memory = std::move(record.draft);
  record.draft = c10::Storage();
  const auto* bytes = static_cast<const unsigned char*>(memory.data());
  const bool is_written =
      std::any_of(bytes, bytes + memory.nbytes(), [](unsigned char byte) { return byte != kUnwritten; });
  Hide(fake);
  if (is_written) SetKnown(fake, std::move(memory));
}

}  // namespace fakeprop::fake
