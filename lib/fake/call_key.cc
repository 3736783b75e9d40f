#include "lib/fake/call_key.h"

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>
#include <c10/core/DefaultDtype.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "lib/dispatch/fake_tensor.h"
#include "lib/dispatch/sym_ints.h"
#include "lib/fake/mode_state.h"
#include "lib/fake/sym_nodes.h"

namespace fakeprop::fake {
namespace {

// Say what the next words are.
enum Tag : int64_t {
  kNone,
  kUndefined,
  kTensor,
  kSame,
  kNumber,
  kInt,
  kFloat,
  kBool,
  kComplex,
  kDevice,
  kText,
  kList,
  kInts,
  kKnown,
  kStorage
};

constexpr size_t kMostTensors = 64;

int64_t WordOf(c10::Device device) {
  return static_cast<int64_t>(device.type()) << 8 | static_cast<uint8_t>(device.index());
}

const c10::StorageImpl* StorageOf(const at::Tensor& t) { return dispatch::StorageOf(t); }

}  // namespace

int64_t KnowledgeOf(const ShapeEnv* env) {
  return env ? static_cast<int64_t>(env->symbols().size() + env->facts().size() + env->guards().size()) : 0;
}

bool CallKey::Read(const c10::OperatorHandle& op, c10::ArrayRef<c10::IValue> arguments, ModeState* mode) {
  Begin(op, mode);
  for (const c10::IValue& argument : arguments)
    if (!Add(argument)) return false;
  return End();
}

void CallKey::Begin(const c10::OperatorHandle& op, ModeState* mode) {
  mode_ = mode;
  Add(reinterpret_cast<int64_t>(&op.operator_name()),
      static_cast<int64_t>(c10::get_default_dtype_as_scalartype()) << 1 | c10::GradMode::is_enabled());
}

bool CallKey::End() {
  if (!mode_ || (has_known_ && !has_unknown_)) return false;
  knowledge_ = KnowledgeOf(mode_->options().shape_env.get());
  words_.push_back(knowledge_);
  Finish();
  return true;
}

void CallKey::Finish() {
  constexpr uint64_t kOdd = 0x9E3779B97F4A7C15;
  std::array<uint64_t, 4> lanes = {words_.size(), 1, 2, 3};
  const auto mix = [](uint64_t lane, int64_t word) {
    lane = (lane ^ static_cast<uint64_t>(word)) * kOdd;
    return lane ^ lane >> 29;
  };
  const size_t fours = words_.size() / 4 * 4;
  for (size_t i = 0; i < fours; i += 4)
    for (size_t lane = 0; lane < 4; ++lane) lanes[lane] = mix(lanes[lane], words_[i + lane]);
  for (size_t i = fours; i < words_.size(); ++i) lanes[i - fours] = mix(lanes[i - fours], words_[i]);
  hash_ = (lanes[0] ^ std::rotl(lanes[1], 16) ^ std::rotl(lanes[2], 32) ^ std::rotl(lanes[3], 48)) * kOdd;
  hash_ ^= hash_ >> 32;
}

bool CallKey::Add(const c10::IValue& value) {
  if (value.isTensor()) return AddTensor(value.toTensor());
  if (value.isNone()) {
    words_.push_back(kNone);
  } else if (value.isInt()) {
    Add(kInt, value.toInt());
  } else if (value.isDouble()) {
    Add(kFloat, std::bit_cast<int64_t>(value.toDouble()));
  } else if (value.isBool()) {
    Add(kBool, value.toBool());
  } else if (value.isComplexDouble()) {
    const c10::complex<double> number = value.toComplexDouble();
    Add(kComplex, std::bit_cast<int64_t>(number.real()));
    words_.push_back(std::bit_cast<int64_t>(number.imag()));
  } else if (value.isDevice()) {
    Add(kDevice, WordOf(dispatch::WithIndex(value.toDevice())));
  } else if (value.isString()) {
    AddString(value.toStringRef());
  } else if (value.isSymInt()) {
    words_.push_back(kInt);
    return AddSize(value.toSymInt());
  } else if (value.isList()) {
    return AddList(value.toListRef());
  } else if (value.isStorage()) {
    return AddStorageItself(value.toStorage());
  } else {
    return false;
  }
  return true;
}

bool CallKey::AddList(c10::ArrayRef<c10::IValue> items) {
  const auto size = static_cast<int64_t>(items.size());
  if (size && std::all_of(items.begin(), items.end(), [](const c10::IValue& item) { return item.isInt(); })) {
    Add(kInts, size);
    for (const c10::IValue& item : items) words_.push_back(item.toInt());
    return true;
  }
  Add(kList, size);
  return std::all_of(items.begin(), items.end(), [this](const c10::IValue& item) { return Add(item); });
}

void CallKey::AddString(std::string_view text) {
  Add(kText, static_cast<int64_t>(text.size()));
  for (size_t i = 0; i < text.size(); i += 8) {
    int64_t word = 0;
    std::memcpy(&word, text.data() + i, std::min<size_t>(8, text.size() - i));
    words_.push_back(word);
  }
}

// ---- arguments that are not boxed: the words are those of their boxes

bool CallKey::AddNone() {
  words_.push_back(kNone);
  return true;
}

bool CallKey::AddArgument(bool value) {
  Add(kBool, value);
  return true;
}

bool CallKey::AddArgument(double value) {
  Add(kFloat, std::bit_cast<int64_t>(value));
  return true;
}

bool CallKey::AddArgument(int64_t value) {
  Add(kInt, value);
  return true;
}

bool CallKey::AddArgument(const c10::SymInt& value) {
  return !value.is_heap_allocated() && AddArgument(value.as_int_unchecked());
}

bool CallKey::AddArgument(std::string_view text) {
  AddString(text);
  return true;
}

bool CallKey::AddArgument(c10::IntArrayRef items) {
  Add(items.empty() ? kList : kInts, static_cast<int64_t>(items.size()));
  for (const int64_t item : items) words_.push_back(item);
  return true;
}

bool CallKey::AddArgument(c10::SymIntArrayRef items) {
  const auto numbers = c10::asIntArrayRefSlowOpt(items);
  return numbers && AddArgument(*numbers);
}

bool CallKey::AddArgument(c10::ArrayRef<double> items) {
  Add(kList, static_cast<int64_t>(items.size()));
  return std::all_of(items.begin(), items.end(), [this](double item) { return AddArgument(item); });
}

bool CallKey::AddArgument(const at::ITensorListRef& items) {
  Add(kList, static_cast<int64_t>(items.size()));
  return std::all_of(items.begin(), items.end(), [this](const at::Tensor& item) { return AddTensor(item); });
}

bool CallKey::AddArgument(const c10::List<std::optional<at::Tensor>>& items) {
  return AddList(c10::IValue(items).toListRef());
}

// ---- tensors

bool CallKey::AddTensor(const at::Tensor& t) {
  if (!t.defined()) {
    words_.push_back(kUndefined);
    return true;
  }
  for (size_t i = 0; i < tensors_.size(); ++i) {
    if (!tensors_[i]->is_same(t)) continue;
    Add(kSame, static_cast<int64_t>(i));
    return true;
  }
  if (tensors_.size() == kMostTensors) return false;
  const StorageRecord* record = FindRecord(t);
  if (!record && !AddNumber(t)) return false;
  if (record) {
    if (!mode_) mode_ = record->mode.get();
    if (record->mode.get() != mode_ || record->draft || !AddMeta(t)) return false;
    if (record->known && !AddKnown(t, *record)) return false;
    AddStorage(t);
    (record->known ? has_known_ : has_unknown_) = true;
  }
  tensors_.push_back(&t);
  return true;
}

// One of another tensor, whose data is not known.
bool CallKey::AddStorageItself(const c10::Storage& storage) {
  const StorageRecord* record = FindRecord(storage.unsafeGetStorageImpl());
  if (!record || holder_ || !mode_ || record->mode.get() != mode_ || record->known || record->draft) return false;
  Add(kStorage, WordOf(record->device));
  holder_ = std::make_unique<at::Tensor>(at::detail::make_tensor<dispatch::FakeTensorImpl>(
      c10::Storage(storage), c10::DispatchKeySet(c10::DispatchKey::Meta), caffe2::TypeMeta::Make<uint8_t>()));
  AddStorage(*holder_);
  tensors_.push_back(holder_.get());
  has_unknown_ = true;
  return true;
}

// A number that LibTorch wrapped in a tensor.
bool CallKey::AddNumber(const at::Tensor& t) {
  const c10::TensorImpl* impl = t.unsafeGetTensorImpl();
  if (!impl->is_wrapped_number() || !t.device().is_cpu() || t.dim() != 0 || t.is_conj() || t.is_neg()) return false;
  int64_t value[2] = {};
  std::memcpy(value, t.const_data_ptr(), std::min(sizeof value, t.itemsize()));
  words_.append({kNumber, static_cast<int64_t>(t.scalar_type()), value[0], value[1]});
  return true;
}

// A few known numbers. More would make long keys.
bool CallKey::AddKnown(const at::Tensor& t, const StorageRecord& record) {
  constexpr size_t kMostBytes = 64;
  if (dispatch::HasSymbols(t) || !t.is_contiguous() || t.is_conj() || t.is_neg()) return false;
  const size_t from = t.itemsize() * static_cast<size_t>(t.storage_offset());
  if (t.nbytes() > kMostBytes || from + t.nbytes() > record.known.nbytes()) return false;
  int64_t value[kMostBytes / sizeof(int64_t)] = {};
  std::memcpy(value, static_cast<const char*>(record.known.data()) + from, t.nbytes());
  words_.push_back(kKnown);
  words_.append(value, value + (t.nbytes() + sizeof(int64_t) - 1) / sizeof(int64_t));
  return true;
}

bool CallKey::AddMeta(const at::Tensor& t) {
  const c10::TensorImpl* impl = t.unsafeGetTensorImpl();
  if (impl->layout() != c10::kStrided) return false;
  const c10::Device device = impl->device();
  // The mark of its device gets lost when LibTorch copies metadata. Serve brings it back.
  if (device.is_meta() && !FindRecord(t)->device.is_meta()) return false;
  const bool symbolic = impl->has_symbolic_sizes_strides();
  const c10::DispatchKeySet keys = impl->key_set();
  const int64_t flags = keys.has(c10::DispatchKey::Conjugate) | keys.has(c10::DispatchKey::Negative) << 1 |
                        impl->is_wrapped_number() << 2 | t.requires_grad() << 3 | symbolic << 4;
  const int64_t dtype = static_cast<int64_t>(t.scalar_type());
  Add(kTensor | impl->dim() << 8 | dtype << 24 | flags << 32, WordOf(device));
  if (!symbolic) {
    const c10::IntArrayRef sizes = impl->sizes(), strides = impl->strides();
    words_.append(sizes.begin(), sizes.end());
    words_.append(strides.begin(), strides.end());
    words_.push_back(impl->storage_offset());
    return true;
  }
  for (const c10::SymInt& size : impl->sym_sizes())
    if (!AddSize(size)) return false;
  for (const c10::SymInt& stride : impl->sym_strides())
    if (!AddSize(stride)) return false;
  return AddSize(impl->sym_storage_offset());
}

bool CallKey::AddSize(const c10::SymInt& size) {
  if (const auto number = size.maybe_as_int()) {
    words_.push_back(*number);
    return true;
  }
  ShapeEnv* env = mode_ ? mode_->options().shape_env.get() : nullptr;
  Sym expression = env ? ExpressionOf(*size.toSymNodeImplUnowned(), *env) : nullptr;
  if (!expression) return false;
  words_.push_back(Dim::Of(expression).raw());
  return true;
}

void CallKey::AddStorage(const at::Tensor& t) {
  const c10::StorageImpl* storage = StorageOf(t);
  for (size_t i = 0; i < tensors_.size(); ++i)
    if (StorageOf(*tensors_[i]) == storage) return words_.push_back(static_cast<int64_t>(i));
  words_.push_back(-1);
  const c10::SymInt& nbytes = storage->sym_nbytes();
  nbytes.is_heap_allocated() ? void(AddSize(nbytes)) : words_.push_back(nbytes.as_int_unchecked());
}

}  // namespace fakeprop::fake
