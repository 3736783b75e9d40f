#include "lib/fake/special_calls.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/randperm.h>
#include <sys/mman.h>

#include <algorithm>
#include <iterator>
#include <optional>

#include "lib/dispatch/fake_tensor.h"
#include "lib/dispatch/fallback.h"
#include "lib/dispatch/sym_ints.h"
#include "lib/dispatch/torch_types.h"
#include "lib/error/error.h"
#include "lib/fake/constants.h"
#include "lib/fake/converter.h"
#include "lib/fake/drafts.h"
#include "lib/fake/serve.h"
#include "lib/meta/dtype.h"

namespace fakeprop::fake {
namespace {

using torch::jit::Stack;

constexpr size_t kMostBytesOfNumber = 16;

c10::IValue& Argument(const c10::OperatorHandle& op, Stack& stack, size_t i) {
  return torch::jit::peek(stack, i, op.schema().arguments().size());
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

bool Empty(ModeState& mode, const c10::OperatorHandle& op, Stack& stack) {
  const c10::IValue& pin = Argument(op, stack, *op.schema().argumentIndexWithName("pin_memory"));
  const bool is_pinned = pin.isBool() && pin.toBool();
  std::optional<BelowMode> unkept;  // a host that keeps no effects, which say nothing of pinned memory
  if (is_pinned) unkept.emplace(mode);
  dispatch::Serve(op, stack);
  unkept.reset();
  const at::Tensor& made = stack.back().toTensor();
  if (StorageRecord* record = FindRecord(made)) record->is_pinned = is_pinned;
  OpenForWriting(made);
  return true;
}

bool ZeroTensor(ModeState&, const c10::OperatorHandle& op, Stack& stack) {
  dispatch::Serve(op, stack);
  stack.back() = AsZeroTensor(stack.back().toTensor());
  return true;
}

// Memory that reads as zeros, however much it is, and takes no pages.
c10::Storage Zeros(size_t nbytes) {
  struct Mapping {
    void* start;
    size_t size;
    ~Mapping() { munmap(start, size); }
  };
  void* start = mmap(
      nullptr, std::max<size_t>(nbytes, 1), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (start == MAP_FAILED)
    Fail(ErrorClass::kUnsupportedOperator, "cannot map " + std::to_string(nbytes) + " bytes of zeros to save");
  c10::DataPtr held(
      start, new Mapping{start, std::max<size_t>(nbytes, 1)},
      [](void* mapping) { delete static_cast<Mapping*>(mapping); }, at::kCPU);
  return {c10::Storage::use_byte_size_t(), nbytes, std::move(held), nullptr, /*resizable=*/false};
}

// torch::save makes an empty tensor, gives it all of a storage, and reads its data on the cpu.
// Source: getWriteableTensorData (torch/csrc/jit/serialization/pickler.cpp).
bool SetToBytes(const c10::OperatorHandle& op, Stack& stack) {
  const at::Tensor self = Argument(op, stack, 0).toTensor();
  const c10::Storage source = Argument(op, stack, 1).toStorage();
  if (dispatch::HasSymbols(self) || self.numel() != 0 || op.schema().arguments().size() == 2) return false;
  const auto nbytes = static_cast<int64_t>(source.nbytes());
  TensorMeta meta = dispatch::ReadMeta(self);
  meta.sizes = {nbytes / ItemSize(meta.dtype)};
  if (Argument(op, stack, 3).toIntVector() != std::vector<int64_t>{meta.sizes[0].raw()}) return false;
  meta.strides = {1};
  meta.device = FromTorch(at::kCPU);
  const at::Tensor bytes = dispatch::MakeFakeTensor(meta, dispatch::MakeFakeStorage(nbytes, at::kCPU));
  const StorageRecord& record = *FindRecord(source.unsafeGetStorageImpl());
  SetKnown(bytes, record.known ? record.known : record.draft ? record.draft : Zeros(source.nbytes()));
  static_cast<dispatch::FakeTensorImpl*>(self.unsafeGetTensorImpl())->Become(*bytes.unsafeGetTensorImpl());
  torch::jit::drop(stack, op.schema().arguments().size());
  stack.push_back(self);
  return true;
}

// torch::load gives a tensor the storage of a file, which is real.
// Source: at::native::set_ (aten/src/ATen/native/TensorShape.cpp).
bool SetToRealStorage(ModeState& mode, const c10::OperatorHandle& op, Stack& stack) {
  const c10::Storage real = Argument(op, stack, 1).toStorage();
  const at::Tensor self = Argument(op, stack, 0).toTensor();
  if (dispatch::FakeDeviceOf(*real.unsafeGetStorageImpl())) return mode.options().save_zeros && SetToBytes(op, stack);
  if (dispatch::HasSymbols(self)) return false;
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
  const at::Tensor fake = FromReal(mode, bytes);
  // Optimisers keep numbers of steps and groups in files, and read them.
  if (bytes.nbytes() <= kMostBytesOfNumber) RememberLiteral(fake, bytes);
  self.unsafeGetTensorImpl()->set_storage_keep_dtype(fake.storage());
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
  if (made.device().is_meta() || n == 0) return true;
  const auto on_cpu = at::device(at::kCPU).dtype(made.dtype());
  at::Tensor drawn;
  {
    const RealScope real;  // in which a fake does not tell its device
    drawn = at::randperm(n, on_cpu);
  }
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

at::Tensor AsZeroTensor(const at::Tensor& made) {
  const TensorMeta meta = dispatch::ReadMeta(made);
  return dispatch::MakeFakeAlias(
      meta, made.unsafeGetTensorImpl()->unsafe_storage(), made.key_set().add(c10::DispatchKey::ZeroTensor));
}

SpecialServer FindSpecialServer(std::string_view full_name) {
  const auto it = std::find_if(
      std::begin(kSpecials), std::end(kSpecials), [&](const Special& special) { return special.op == full_name; });
  return it == std::end(kSpecials) ? nullptr : it->serve;
}

}  // namespace fakeprop::fake
