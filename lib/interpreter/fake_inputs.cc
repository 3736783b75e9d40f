#include "lib/interpreter/fake_inputs.h"

#include "lib/base/check.h"
#include "lib/torchscript/operations/script_values.h"

namespace fakeprop {
namespace {

Dim NumberOf(const RecordedSize& size) {
  if (!size.expression.empty())
    Fail(ErrorClass::kValueError, "the size `" + std::string(size.expression) + "` of an attribute is not a number");
  return Dim(size.number);
}

TensorMeta MetaOf(const RecordedTensor& recorded) {
  TensorMeta meta;
  for (const RecordedSize& size : recorded.sizes) meta.sizes.push_back(NumberOf(size));
  for (const RecordedSize& stride : recorded.strides) meta.strides.push_back(NumberOf(stride));
  meta.storage_offset = NumberOf(recorded.storage_offset);
  meta.dtype = recorded.dtype;
  meta.device = recorded.device;
  meta.layout = recorded.layout;
  return meta;
}

}  // namespace

FakeInputs::FakeInputs(
    const Graph& graph, const std::vector<InputValue>& inputs, ObjectTable& objects, ShapeEnv& shape_env)
    : graph_(graph),
      inputs_(inputs),
      objects_(objects),
      shape_env_(shape_env),
      input_tensors_(inputs.size(), nullptr),
      attribute_tensors_(graph.attributes.size(), nullptr) {
  for (size_t i = 0; i < graph.attributes.size(); ++i)
    attributes_.emplace(graph.attributes[i].name, static_cast<int32_t>(i));
}

Value FakeInputs::InputAt(size_t index) {
  FAKEPROP_CHECK(index < inputs_.size());
  const InputValue& input = inputs_[index];
  if (!input.is_tensor) return MakeHolder(input.value);
  if (!input_tensors_[index]) input_tensors_[index] = MakeInput(input);
  return input_tensors_[index];
}

Tensor* FakeInputs::MakeInput(const InputValue& input) {
  Tensor* base = input.view_of >= 0 ? InputAt(input.view_of).TryTensor() : nullptr;
  Tensor* t = objects_.NewTensor(input.meta, StorageFor(input.meta, base));
  t->own_requires_grad = input.requires_grad;
  t->constant = input.constant;
  return t;
}

Value FakeInputs::MakeHolder(const OpenValue<InputRef>& value) {
  const Value made = Fill(value, [this](InputRef ref) { return InputAt(ref.index); });
  return graph_.kind == kTorchScriptKind ? Shared(made) : made;
}

Storage* FakeInputs::StorageFor(const TensorMeta& meta, Tensor* first) {
  const Dim nbytes = StorageNbytes(meta);
  if (!first) return objects_.NewStorage(nbytes, meta.device);
  first->storage->nbytes = Max(first->storage->nbytes, nbytes);
  return first->storage;
}

Tensor* FakeInputs::AttributeAt(int32_t index) {
  if (!attribute_tensors_[index]) attribute_tensors_[index] = MakeAttribute(graph_.attributes[index]);
  return attribute_tensors_[index];
}

Tensor* FakeInputs::MakeAttribute(const Attribute& attribute) {
  TensorMeta meta = MetaOf(attribute.tensor);
  Tensor* first = attribute.storage_of >= 0 ? AttributeAt(attribute.storage_of) : nullptr;
  Storage* storage = StorageFor(meta, first);
  Tensor* t = objects_.NewTensor(std::move(meta), storage);
  t->own_requires_grad = attribute.tensor.requires_grad;
  t->constant = attribute.elements;
  return t;
}

Tensor* FakeInputs::FindAttribute(std::string_view path) {
  const auto it = attributes_.find(path);
  return it == attributes_.end() ? nullptr : AttributeAt(it->second);
}

bool FakeInputs::HasAttributesBelow(std::string_view path) const {
  const std::string prefix = std::string(path) + ".";
  const auto it = attributes_.lower_bound(prefix);
  return it != attributes_.end() && it->first.starts_with(prefix);
}

Dim FakeInputs::SizeOf(const InlineSize& size) {
  if (!inline_sizes_) inline_sizes_.emplace(graph_, inputs_, shape_env_);
  return inline_sizes_->Of(size.spelling);
}

}  // namespace fakeprop
