#include "lib/interpreter/fake_inputs.h"

#include "lib/base/check.h"
#include "lib/rules/rule_table.h"
#include "lib/rules/support/data_dependent_results.h"
#include "lib/rules/support/sparse_results.h"
#include "lib/torchscript/operations/script_values.h"

namespace fakeprop {
namespace {

Dim NumberOf(const RecordedSize& size) {
  if (!size.expression.empty())
    Fail(ErrorClass::kValueError, "the size `" + std::string(size.expression) + "` of an attribute is not a number");
  return Dim(size.number);
}

// At most as many as there are places, or blocks of places.
Dim NnzOf(const SparseInput& sparse, DimSpan places) {
  if (sparse.nnz) return *sparse.nnz;
  if (!rules::MakesUnbacked())
    Fail(ErrorClass::kDynamicOutputShape,
        "how many elements of the sparse input are specified is not known: `nnz` in the input spec says it");
  Dim most = Numel(places);
  for (Dim size : sparse.block) most = FloorDiv(most, size);
  return rules::UnbackedInteger(0, rules::MostElements(most).value_or(INT64_MAX));
}

std::vector<Output> PartsOfInput(const TensorMeta& meta, const SparseInput& sparse) {
  const int64_t addressed = meta.rank() - sparse.dense_dim;
  if (rules::IsCoo(meta)) {
    const Dim nnz = NnzOf(sparse, meta.size_span().first(static_cast<size_t>(addressed)));
    return rules::NewParts(rules::CooResult{meta.sizes, meta.dtype, addressed, nnz}, meta.device);
  }
  if (addressed < 2) Fail(ErrorClass::kValueError, "a sparse compressed input has at least two dimensions");
  if (rules::IsInBlocks(meta.layout) != !sparse.block.empty())
    Fail(ErrorClass::kValueError,
        "the block of the sparse input is not known: `blocksize` in the input spec says it, such as [2, 2]");
  const Dim nnz = NnzOf(sparse, meta.size_span().subspan(static_cast<size_t>(addressed) - 2, 2));
  return rules::NewParts(rules::CompressedResult{meta.sizes, meta.dtype, meta.layout, nnz, sparse.dense_dim,
                             sparse.block, sparse.index_dtype},
      meta.device);
}

TensorMeta MetaOf(const RecordedTensor& recorded) {
  TensorMeta meta;
  for (const RecordedSize& size : recorded.sizes) meta.sizes.push_back(NumberOf(size));
  if (recorded.layout == Layout::Strided)
    for (const RecordedSize& stride : recorded.strides) meta.strides.push_back(NumberOf(stride));
  meta.storage_offset = NumberOf(recorded.storage_offset);
  meta.dtype = recorded.dtype;
  meta.device = recorded.device;
  meta.layout = recorded.layout;
  meta.is_conj = recorded.is_conj;
  meta.is_neg = recorded.is_neg;
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
  Tensor* t = Make(input.meta, input.sparse, base);
  t->own_requires_grad = input.requires_grad;
  if (base) t->versioned_with = base->versioned_with ? base->versioned_with : base;
  t->constant = input.constant;
  return t;
}

Tensor* FakeInputs::Make(const TensorMeta& meta, const SparseInput& sparse, Tensor* first) {
  const auto layout = OtherLayoutOf(meta.layout);
  const bool has_parts = layout == OtherLayout::kCoo || layout == OtherLayout::kCompressed;
  return has_parts ? MakeSparse(meta, sparse) : objects_.NewTensor(meta, StorageFor(meta, first));
}

Tensor* FakeInputs::MakeSparse(const TensorMeta& meta, const SparseInput& sparse) {
  std::vector<Tensor*> made;
  for (Output& part : PartsOfInput(meta, sparse))
    made.push_back(objects_.NewTensor(part.meta, objects_.NewStorage(StorageNbytes(part.meta), meta.device)));
  return objects_.NewSparse(meta, {.values = made[0],
                                      .indices = made[1],
                                      .plain = made.size() > 2 ? made[2] : nullptr,
                                      .is_coalesced = sparse.is_coalesced});
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
  const TensorMeta meta = MetaOf(attribute.tensor);
  Tensor* first = attribute.storage_of >= 0 ? AttributeAt(attribute.storage_of) : nullptr;
  Tensor* t = Make(meta, {}, first);
  if (attribute.nbytes > 0) t->storage->nbytes = Max(t->storage->nbytes, attribute.nbytes);
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
