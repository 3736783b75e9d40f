#include <c10/core/SymbolicShapeMeta.h>
#include <c10/core/TensorImpl.h>

#include <array>
#include <mutex>

#include "lib/dispatch/dispatch_host.h"
#include "lib/dispatch/fake_tensor.h"

namespace fakeprop::dispatch {

c10::intrusive_ptr<c10::TensorImpl> FakeTensorImpl::shallow_copy_and_detach(
    const c10::VariableVersion& version, bool allow_metadata_change) const {
  return shallow_copy_and_detach(c10::VariableVersion(version), allow_metadata_change);
}

c10::intrusive_ptr<c10::TensorImpl> FakeTensorImpl::shallow_copy_and_detach(
    c10::VariableVersion&& version, bool allow_metadata_change) const {
  auto copy = c10::make_intrusive<FakeTensorImpl>(c10::Storage(storage_), key_set_, data_type_);
  copy_tensor_metadata(this, copy.get(), std::move(version), allow_metadata_change);
  if (is_fake() && !device().is_meta()) copy->set_fake_device(device());
  // Saved for a backward pass, it outlives the pose.
  if (Host* host = Host::Current(); !host || !host->PosesAsPython()) copy->set_python_dispatch(false);
  return copy;
}

void FakeTensorImpl::shallow_copy_from(const c10::intrusive_ptr<c10::TensorImpl>& from) {
  const c10::Device device = from->device();
  TensorImpl::shallow_copy_from(from);
  if (is_fake() && !device.is_meta()) set_fake_device(device);
}

namespace {

// Extra fields of tensors that died, with a device in them and nothing else. New tensors get them, which saves memory
// from being allocated.
class Spares {
 public:
  using Extra = std::unique_ptr<c10::ExtraMeta>;

  // May be null.
  static Extra Take() {
    Spares* spares = OfThread();
    return spares && spares->count_ ? std::move(spares->kept_[--spares->count_]) : nullptr;
  }
  static void Keep(Extra extra) {
    Spares* spares = OfThread();
    if (spares && spares->count_ < kMost) spares->kept_[spares->count_++] = std::move(extra);
  }

  ~Spares() { AreGone() = true; }

 private:
  static constexpr size_t kMost = 64;

  // Null while the thread ends, when tensors may outlive this.
  static Spares* OfThread() {
    thread_local Spares spares;
    return AreGone() ? nullptr : &spares;
  }
  static bool& AreGone() {
    thread_local bool are_gone = false;
    return are_gone;
  }

  std::array<Extra, kMost> kept_;
  size_t count_ = 0;
};

bool HoldsDeviceAlone(const c10::ExtraMeta& extra) {
  return !extra.symbolic_shape_meta_ && !extra.backend_meta_ && !extra.custom_data_ptr_error_msg_ &&
         !extra.custom_storage_error_msg_ && !extra.fake_tensor_mode_;
}

}  // namespace

FakeTensorImpl::~FakeTensorImpl() {
  if (extra_meta_ && HoldsDeviceAlone(*extra_meta_)) Spares::Keep(std::move(extra_meta_));
}

void FakeTensorImpl::SetDevice(c10::Device device) {
  if (!extra_meta_) extra_meta_ = Spares::Take();
  set_fake_device(device);
}

void FakeTensorImpl::CopyMetadata(const c10::TensorImpl& model) { copy_generic_tensor_metadata(&model, this); }

void FakeTensorImpl::release_resources() {
  attachment.reset();
  recording.reset();
  TensorImpl::release_resources();
}

void FakeTensorImpl::Become(const c10::TensorImpl& other) {
  extra_meta_ = nullptr;  // holds the device of a fake, and LibTorch does not clear it
  copy_tensor_metadata(&other, this, version_counter(), allow_tensor_metadata_change());
  if (other.is_fake()) set_fake_device(other.device());
}

void FakeTensorImpl::MakeRoomForSymbols() {
  if (extra_meta_ && !extra_meta_->symbolic_shape_meta_)
    extra_meta_->symbolic_shape_meta_ = std::make_unique<c10::SymbolicShapeMeta>();
}

void FailSymbolic(const char* asked) {
  const std::string what = asked;
  C10_THROW_ERROR(NotImplementedError, what + "() of a fake tensor with symbolic sizes was asked for: sym_" + what +
                                           "() answers, and LibTorch's kernels take no symbolic sizes");
}

int64_t FakeTensorImpl::NumberFor(const c10::SymInt& symbol, const char* asked) const {
  if (const auto number = symbol.maybe_as_int()) return *number;
  const auto convert = to_number.load(std::memory_order_relaxed);
  return convert ? convert(*this, symbol, asked) : (FailSymbolic(asked), 0);
}

c10::IntArrayRef FakeTensorImpl::NumbersFor(c10::SymIntArrayRef symbols, Numbers& numbers, const char* asked) const {
  Numbers asked_for;
  for (const c10::SymInt& symbol : symbols) asked_for.push_back(NumberFor(symbol, asked));
  // Readers in other threads have a view of these numbers, which change only if the sizes do.
  static auto* const mutex = new std::mutex;
  const std::lock_guard lock(*mutex);
  if (numbers != asked_for) numbers = std::move(asked_for);
  return numbers;
}

c10::IntArrayRef FakeTensorImpl::sizes_custom() const {
  return has_symbolic_sizes_strides() ? NumbersFor(sym_sizes(), sizes_as_numbers_, "sizes")
                                      : TensorImpl::sizes_custom();
}

int64_t FakeTensorImpl::size_custom(int64_t d) const {
  return has_symbolic_sizes_strides() ? NumberFor(sym_size(d), "size") : TensorImpl::size_custom(d);
}

c10::IntArrayRef FakeTensorImpl::strides_custom() const {
  return has_symbolic_sizes_strides() ? NumbersFor(sym_strides(), strides_as_numbers_, "strides")
                                      : TensorImpl::strides_custom();
}

int64_t FakeTensorImpl::numel_custom() const {
  return has_symbolic_sizes_strides() ? NumberFor(sym_numel(), "numel") : TensorImpl::numel_custom();
}

int64_t FakeTensorImpl::storage_offset_custom() const {
  return has_symbolic_sizes_strides() ? NumberFor(sym_storage_offset(), "storage_offset")
                                      : TensorImpl::storage_offset_custom();
}

}  // namespace fakeprop::dispatch
