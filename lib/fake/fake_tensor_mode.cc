#include "fakeprop/fake_tensor_mode.h"

#include <ATen/core/Formatting.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include <sstream>

#include "lib/dispatch/dispatch_host.h"
#include "lib/dispatch/fake_tensor.h"
#include "lib/dispatch/layout_tensors.h"
#include "lib/fake/constants.h"
#include "lib/fake/converter.h"
#include "lib/fake/mode_info.h"
#include "lib/fake/mode_state.h"
#include "lib/meta/value.h"

namespace fakeprop {

using fake::StateOf;

namespace {

constexpr auto kKey = c10::DispatchKey::Fake;

// The dimensions of a compressed tensor before its matrices; its values have them too.
int64_t BatchDims(const at::Tensor& sparse) {
  return sparse.layout() == at::kSparse ? 0 : dispatch::PartsOf(sparse).indices->dim() - 1;
}

// The key for factories is on if a mode is.
void SetKey() {
  const fake::ModeInfo* info = fake::CurrentInfo();
  c10::impl::tls_set_dispatch_key_included(kKey, info && info->mode);
}

void Detect(const at::Tensor& tensor, std::optional<FakeTensorMode>& found) {
  auto mode = FakeTensorMode::Of(tensor);
  if (mode && found && !(*mode == *found))
    throw NotFake("", "Mixing fake modes: the values hold fakes of two FakeTensorModes");
  if (mode) found = std::move(mode);
}

void Detect(const c10::IValue& value, std::optional<FakeTensorMode>& found) {
  c10::IValue::HashAliasedIValues parts;
  value.getSubValues(parts);
  for (const c10::IValue& part : parts)
    if (part.isTensor() && part.toTensor().defined()) Detect(part.toTensor(), found);
}

}  // namespace

FakeTensorMode::FakeTensorMode(FakeTensorModeOptions options) : state_(std::make_shared<fake::ModeState>(options)) {
  fake::Prepare();
}

at::Tensor FakeTensorMode::FromRealTensor(const at::Tensor& real, const FromRealOptions& options) const {
  FromRealOptions effective = options;
  effective.static_shapes |= state_->options().static_shapes;
  return fake::FromReal(*state_, real, std::nullopt, effective);
}

at::Tensor FakeTensorMode::FromMetaAndDevice(const at::Tensor& meta, c10::Device device) const {
  if (!meta.is_meta()) throw UnsupportedFakeTensor("", "FromMetaAndDevice takes a tensor on the device meta");
  return fake::FromReal(*state_, meta, device);
}

at::Tensor FakeTensorMode::FromLiteral(const at::Tensor& literal) const { return fake::FromLiteral(*state_, literal); }

size_t FakeTensorMode::memo_size() const { return state_->tensors().size(); }

std::optional<FakeTensorMode> FakeTensorMode::Current() {
  auto mode = fake::CurrentMode();
  return mode ? std::optional<FakeTensorMode>(FakeTensorMode(std::move(mode))) : std::nullopt;
}

std::optional<FakeTensorMode> FakeTensorMode::Of(const at::Tensor& tensor) {
  fake::ModeState* mode = tensor.defined() ? fake::ModeOf(tensor) : nullptr;
  return mode ? std::optional<FakeTensorMode>(FakeTensorMode(mode->shared_from_this())) : std::nullopt;
}

fake::ThreadMode::ThreadMode(std::shared_ptr<ModeState> mode) {
  auto* outer = static_cast<ModeInfo*>(c10::ThreadLocalDebugInfo::get(kModeInfo));
  info_ = std::make_shared<ModeInfo>(std::move(mode), outer ? outer->shared_from_this() : nullptr);
  c10::ThreadLocalDebugInfo::_push(kModeInfo, info_);
  SetKey();
}

fake::ThreadMode::~ThreadMode() {
  info_->has_ended.store(true, std::memory_order_relaxed);
  // Those that have ended leave the thread's list once they are innermost.
  const auto innermost = [] { return static_cast<const ModeInfo*>(c10::ThreadLocalDebugInfo::get(kModeInfo)); };
  while (innermost() && innermost()->has_ended.load(std::memory_order_relaxed)) {
    try {
      c10::ThreadLocalDebugInfo::_pop(kModeInfo);
    } catch (const c10::Error&) {
      break;  // information of another kind lies above it
    }
  }
  SetKey();
}

FakeModeGuard::FakeModeGuard(const FakeTensorMode& mode) : mode_(StateOf(mode)) {}
UnsetFakeTemporarily::UnsetFakeTemporarily() : mode_(nullptr) {}

FakeCopyMode::FakeCopyMode(const FakeTensorMode& mode) : on_(mode), was_copying_(fake::IsCopying()) {
  fake::IsCopying() = true;
}
FakeCopyMode::~FakeCopyMode() { fake::IsCopying() = was_copying_; }

bool IsFakeTensor(const at::Tensor& tensor) { return tensor.defined() && fake::ModeOf(tensor); }

bool SharesStorage(const at::Tensor& a, const at::Tensor& b) {
  const c10::StorageImpl* storage = dispatch::StorageOf(a);
  return storage && storage == dispatch::StorageOf(b);
}

std::optional<FakeTensorMode> DetectFakeMode(c10::ArrayRef<c10::IValue> values) {
  std::optional<FakeTensorMode> found;
  for (const c10::IValue& value : values) Detect(value, found);
  return found ? found : FakeTensorMode::Current();
}

std::string Repr(const at::Tensor& fake) {
  if (!fake.defined()) return "an undefined tensor";
  std::ostringstream text;
  if (!IsFakeTensor(fake)) {
    const UnsetFakeTemporarily real;
    text << fake;
    return text.str();
  }
  text << "FakeTensor(";
  if (!fake.is_cpu()) text << "device='" << fake.device() << "', ";
  text << "size=(";
  for (int64_t d = 0; d < fake.dim(); ++d) text << (d ? ", " : "") << fake.sym_size(d);
  text << "), dtype=" << fake.scalar_type();
  if (!dispatch::IsStrided(fake)) text << ", layout=" << ToString(Value(FromTorch(fake.layout())));
  if (const at::Tensor* values = dispatch::PartsOf(fake).values) text << ", nnz=" << values->sym_size(BatchDims(fake));
  text << (fake.requires_grad() ? ", requires_grad=True)" : ")");
  return text.str();
}

at::Tensor DetachSnapshot(const at::Tensor& fake) {
  return at::Tensor(fake.unsafeGetTensorImpl()->shallow_copy_and_detach(fake.unsafeGetTensorImpl()->version_counter(),
      /*allow_tensor_metadata_change=*/true));
}

namespace {

// A real cpu tensor of these values, 0-dim or a list.
template <typename T>
at::Tensor MakeReal(const std::vector<T>& values, bool is_list, c10::ScalarType dtype) {
  const UnsetFakeTemporarily real;
  const auto count = static_cast<int64_t>(values.size());
  at::Tensor made =
      at::empty(is_list ? std::vector<int64_t>{count} : std::vector<int64_t>{}, at::device(at::kCPU).dtype(dtype));
  for (int64_t i = 0; i < count; ++i) (is_list ? made[i] : made).fill_(values[i]);
  return made;
}

}  // namespace

at::Tensor FakeTensorMode::LiteralOf(const std::vector<int64_t>& values, bool is_list) const {
  return FromLiteral(MakeReal(values, is_list, at::kLong));
}
at::Tensor FakeTensorMode::LiteralOf(const std::vector<double>& values, bool is_list) const {
  return FromLiteral(MakeReal(values, is_list, c10::get_default_dtype_as_scalartype()));
}

}  // namespace fakeprop
