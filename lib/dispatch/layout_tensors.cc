#include "lib/dispatch/layout_tensors.h"

#include <ATen/SparseCsrTensorImpl.h>
#include <ATen/SparseTensorImpl.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include <algorithm>
#include <type_traits>

#include "lib/base/check.h"
#include "lib/dispatch/fake_tensor.h"
#include "lib/dispatch/sym_ints.h"
#include "lib/error/error.h"

namespace fakeprop::dispatch {
namespace {

// What LibTorch's classes add to c10::TensorImpl. One of oneDNN's layout adds nothing.
void CopyOwn(const at::SparseTensorImpl& from, at::SparseTensorImpl& to) {
  to.sparse_dim_ = from.sparse_dim_;
  to.dense_dim_ = from.dense_dim_;
  to.indices_ = from.indices_;
  to.values_ = from.values_;
  to.coalesced_ = from.coalesced_;
}
void CopyOwn(const at::SparseCsrTensorImpl& from, at::SparseCsrTensorImpl& to) {
  to.crow_indices_ = from.crow_indices_;
  to.col_indices_ = from.col_indices_;
  to.values_ = from.values_;
  to.layout_ = from.layout_;
}
void CopyOwn(const c10::TensorImpl&, c10::TensorImpl&) {}

void SetOwn(at::SparseTensorImpl& to, const TensorParts& parts) {
  to.indices_ = parts.indices;
  to.values_ = parts.values;
  to.dense_dim_ = parts.values.dim() - 1;
  to.sparse_dim_ = to.dim() - to.dense_dim_;
  to.coalesced_ = parts.is_coalesced;
}
void SetOwn(at::SparseCsrTensorImpl& to, const TensorParts& parts) {
  to.crow_indices_ = parts.indices;
  to.col_indices_ = parts.plain;
  to.values_ = parts.values;
}

std::vector<c10::SymInt> Symbols(DimSpan dims) {
  std::vector<c10::SymInt> symbols;
  for (const Dim d : dims) symbols.push_back(ToSymInt(d));
  return symbols;
}

bool IsSymbolic(const std::vector<c10::SymInt>& sizes) {
  return std::any_of(sizes.begin(), sizes.end(), [](const c10::SymInt& size) { return !size.maybe_as_int(); });
}

// LibTorch's classes begin with empty parts, which they make by operators.
template <typename Impl, typename... Args>
c10::intrusive_ptr<Impl> NewImpl(Args&&... args) {
  const c10::impl::ExcludeDispatchKeyGuard below_fake(c10::DispatchKey::Fake);
  return c10::make_intrusive<Impl>(std::forward<Args>(args)...);
}

// By their keys, LibTorch's classes choose the device of the parts with which they begin.
constexpr c10::DispatchKeySet kCooKeys(c10::DispatchKey::SparseMeta);
constexpr c10::DispatchKeySet kCompressedKeys(c10::DispatchKey::SparseCsrMeta);

struct Owner {
  std::shared_ptr<void> attachment;
};

// A class of LibTorch's whose tensors are fake. They keep their device when LibTorch copies metadata, and hold the
// storage of their data, in which the host's context is.
template <typename Base>
class FakeOfLayout final : public Base, public Owner {
 public:
  using Base::Base;

  c10::intrusive_ptr<c10::TensorImpl> shallow_copy_and_detach(
      const c10::VariableVersion& version, bool allow_change) const override {
    return shallow_copy_and_detach(c10::VariableVersion(version), allow_change);
  }
  c10::intrusive_ptr<c10::TensorImpl> shallow_copy_and_detach(
      c10::VariableVersion&& version, bool allow_change) const override {
    auto copy = NewLike();
    copy->TakeOver(*this, std::move(version), allow_change);
    return copy;
  }
  void shallow_copy_from(const c10::intrusive_ptr<c10::TensorImpl>& from) override {
    const auto* fake = dynamic_cast<const FakeOfLayout*>(from.get());
    if (!fake) return Base::shallow_copy_from(from);
    TakeOver(*fake, c10::VariableVersion(this->version_counter()), this->allow_tensor_metadata_change());
  }
  void release_resources() override {
    attachment.reset();
    Base::release_resources();
  }
  // LibTorch must not ask for it.
  bool has_storage() const override { return false; }

  void SetSizes(const TensorMeta& meta) {
    const std::vector<c10::SymInt> sizes = Symbols(meta.size_span());
    std::vector<c10::SymInt> strides(sizes.size(), 0);
    // LibTorch takes a tensor of oneDNN's layout for a contiguous one.
    if constexpr (std::is_same_v<Base, c10::TensorImpl>) strides = Symbols(ContiguousStrides(meta.size_span()));
    // LibTorch adds room for symbols only to tensors without other extra fields, such as the device of a fake.
    if (this->extra_meta_ && !this->extra_meta_->symbolic_shape_meta_ && IsSymbolic(sizes))
      this->extra_meta_->symbolic_shape_meta_ = std::make_unique<c10::SymbolicShapeMeta>();
    this->set_sizes_and_strides(sizes, strides);
  }
  void SetStorage(c10::Storage storage) { this->storage_ = std::move(storage); }

 private:
  void TakeOver(const FakeOfLayout& from, c10::VariableVersion&& version, bool allow_change) {
    const c10::Device device = from.device();
    c10::TensorImpl::copy_tensor_metadata(&from, this, std::move(version), allow_change);
    CopyOwn(from, *this);
    if (!device.is_meta()) this->set_fake_device(device);
  }

  c10::intrusive_ptr<FakeOfLayout> NewLike() const {
    if constexpr (std::is_same_v<Base, at::SparseCsrTensorImpl>)
      return NewImpl<FakeOfLayout>(kCompressedKeys, c10::Device(c10::kMeta), this->layout_, this->dtype());
    else if constexpr (std::is_same_v<Base, at::SparseTensorImpl>)
      return NewImpl<FakeOfLayout>(kCooKeys, this->dtype());
    else return NewImpl<FakeOfLayout>(this->key_set(), this->dtype(), c10::Device(c10::kMeta));
  }
};

using FakeCoo = FakeOfLayout<at::SparseTensorImpl>;
using FakeCompressed = FakeOfLayout<at::SparseCsrTensorImpl>;
using FakeOpaque = FakeOfLayout<c10::TensorImpl>;

template <typename Impl>
at::Tensor Finish(c10::intrusive_ptr<Impl> impl, const TensorMeta& meta, const c10::Storage& storage) {
  impl->SetSizes(meta);
  impl->SetStorage(storage);
  at::Tensor fake(std::move(impl));
  StampFakeDevice(fake, ToTorch(meta.device));
  return fake;
}

// Gives it its sizes first: LibTorch's classes count the dimensions of their parts by them.
template <typename Impl>
at::Tensor FinishSparse(c10::intrusive_ptr<Impl> impl, const TensorMeta& meta, const TensorParts& parts) {
  Impl& made = *impl;
  at::Tensor fake = Finish(std::move(impl), meta, parts.values.storage());
  SetOwn(made, parts);
  return fake;
}

template <typename Impl>
void Replace(Impl& impl, const std::optional<TensorMeta>& meta, const TensorParts& parts) {
  if (meta) impl.SetSizes(*meta);
  impl.SetStorage(parts.values.storage());
  SetOwn(impl, parts);
}

template <typename Impl>
Impl* As(const at::Tensor& t) {
  return dynamic_cast<Impl*>(t.unsafeGetTensorImpl());
}

}  // namespace

PartsInside PartsOf(const at::Tensor& t) {
  if (IsStrided(t)) return {};
  if (const auto* coo = As<at::SparseTensorImpl>(t)) return {&coo->values_, &coo->indices_, nullptr, coo->coalesced_};
  if (const auto* compressed = As<at::SparseCsrTensorImpl>(t))
    return {&compressed->values_, &compressed->crow_indices_, &compressed->col_indices_};
  return {};
}

const at::Tensor& DataOf(const at::Tensor& t) {
  const at::Tensor* values = PartsOf(t).values;
  return values ? *values : t;
}

at::Tensor MakeFakeSparse(const TensorMeta& meta, const TensorParts& parts) {
  const auto dtype = c10::scalarTypeToTypeMeta(ToTorch(meta.dtype));
  if (meta.layout == Layout::Sparse) return FinishSparse(NewImpl<FakeCoo>(kCooKeys, dtype), meta, parts);
  return FinishSparse(
      NewImpl<FakeCompressed>(kCompressedKeys, c10::Device(c10::kMeta), ToTorch(meta.layout), dtype), meta, parts);
}

at::Tensor MakeFakeOpaque(const TensorMeta& meta, c10::Storage storage) {
  if (meta.layout == Layout::Jagged)
    Fail(ErrorClass::kUnsupportedOperator, "nested tensors cannot be fakes of LibTorch's tensors");
  const c10::DispatchKeySet keys(c10::DispatchKey::MkldnnCPU);
  const auto dtype = c10::scalarTypeToTypeMeta(ToTorch(meta.dtype));
  return Finish(NewImpl<FakeOpaque>(keys, dtype, c10::Device(c10::kMeta)), meta, storage);
}

void ReplaceParts(const at::Tensor& fake, const std::optional<TensorMeta>& meta, const TensorParts& parts) {
  if (auto* coo = As<FakeCoo>(fake)) return Replace(*coo, meta, parts);
  auto* compressed = As<FakeCompressed>(fake);
  FAKEPROP_CHECK(compressed);
  Replace(*compressed, meta, parts);
}

std::shared_ptr<void>& AttachmentOf(const at::Tensor& fake) {
  if (auto* strided = As<FakeTensorImpl>(fake)) return strided->attachment;
  auto* owner = As<Owner>(fake);
  FAKEPROP_CHECK(owner);
  return owner->attachment;
}

TensorMeta ReadLayoutMeta(const at::Tensor& t) {
  TensorMeta meta;
  for (const c10::SymInt& size : t.sym_sizes()) meta.sizes.push_back(ToDim(size));
  meta.dtype = FromTorch(t.scalar_type());
  meta.device = FromTorch(t.device());
  meta.layout = FromTorch(t.layout());
  return meta;
}
}  // namespace fakeprop::dispatch
