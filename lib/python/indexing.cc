#include "lib/python/indexing.h"

#include "lib/meta/dtype.h"
#include "lib/meta/lists.h"

namespace fakeprop {
namespace {

bool IsEllipsis(const Value& value) {
  const Opaque* opaque = value.TryGet<Opaque>();
  return opaque && opaque->class_name == "builtins.ellipsis";
}

bool IsMask(const Tensor& t) { return t.meta.dtype == ScalarType::Bool || t.meta.dtype == ScalarType::Byte; }

// A list counts as a tuple where something in it cannot be part of a tensor (treatSequenceAsTuple).
bool IsTupleLike(const List& list) {
  if (list.is_tuple) return true;
  if (list.items.size() >= 32) return false;
  for (const Value& item : list.items)
    if (item.TryTensor() || item.TryList() || item.Is<Slice>() || item.IsNone() || IsEllipsis(item)) return true;
  return false;
}

// The dimensions that an item takes (count_specified_dimensions).
int64_t SpecifiedDims(const Value& item) {
  if (const Tensor* t = item.TryTensor()) return IsMask(*t) ? t->meta.rank() : 1;
  return item.IsNone() || IsEllipsis(item) || item.Is<bool>() ? 0 : 1;
}

// Goes through the items of an index, takes views for those that are no tensors, and gathers the rest.
class Indexer {
 public:
  Indexer(Python& python, Tensor& tensor) : python_(python), result_(&tensor) {}

  void Apply(const std::vector<Value>& items) {
    int64_t specified = 0;
    for (const Value& item : items) specified += SpecifiedDims(item);
    const int64_t rank = AsTensor(result_).meta.rank();
    if (specified > rank)
      Fail(ErrorClass::kIndexOutOfRange,
          "an index for " + std::to_string(specified) + " dimensions, but the tensor has " + std::to_string(rank));
    ellipsis_ = rank - specified;
    for (const Value& item : items) ApplyItem(item);
  }

  const Value& result() const { return result_; }
  bool HasIndices() const { return !indices_.empty(); }
  Value Indices() const { return List{indices_, false}; }

 private:
  void ApplyItem(const Value& item) {
    if (item.Is<Dim>()) return Select(item);
    if (item.Is<Slice>()) return TakeSlice(item.Get<Slice>());
    if (IsEllipsis(item)) return void(dim_ += ellipsis_);
    if (item.IsNone()) {
      result_ = python_.Operator("aten::unsqueeze", {result_, Value(dim_++)});
      return;
    }
    if (item.Is<bool>()) return Flag(item.Get<bool>());
    if (Tensor* t = item.TryTensor()) return TakeTensor(*t);
    if (item.TryList()) return TakeTensor(*TensorFromNumbers(python_, item, std::nullopt, device()).TryTensor());
    Fail(ErrorClass::kTypeError, "a tensor cannot be indexed with " + ToString(item));
  }

  Device device() const { return AsTensor(result_).meta.device; }

  void Select(const Value& index) { result_ = python_.Operator("aten::select.int", {result_, Value(dim_), index}); }

  void TakeSlice(const Slice& slice) {
    std::vector<Value> bounds = slice.bounds;
    bounds.resize(3);
    for (Value& bound : bounds)
      if (Tensor* t = bound.TryTensor()) bound = python_.Item(*t);
    if (bounds[2].IsNone()) bounds[2] = Value(1);
    result_ = python_.Operator("aten::slice.Tensor", {result_, Value(dim_++), bounds[0], bounds[1], bounds[2]});
  }

  // True and False are a new dimension of size 1 or 0.
  void Flag(bool flag) {
    result_ = python_.Operator("aten::unsqueeze", {result_, Value(dim_)});
    List elements;
    if (flag) elements.items.push_back(Value(0));
    Record(TensorFromNumbers(python_, elements, ScalarType::Long, device()));
  }

  void TakeTensor(Tensor& t) {
    const bool is_number = t.meta.rank() == 0 && IsIntegral(t.meta.dtype);
    if (is_number && !IsMask(t)) return Select(python_.Item(t));
    if (is_number) return Flag(python_.Truth(Value(&t)));
    Record(Value(&t));
  }

  // A mask takes as many dimensions as it has, but one place among the indices.
  void Record(Value index) {
    indices_.resize(static_cast<size_t>(dim_ - mask_dims_));
    const Tensor& t = AsTensor(index);
    const int64_t taken = IsMask(t) ? t.meta.rank() : 1;
    dim_ += taken;
    mask_dims_ += taken - 1;
    indices_.push_back(std::move(index));
  }

  Python& python_;
  Value result_;
  int64_t dim_ = 0;
  int64_t mask_dims_ = 0;
  int64_t ellipsis_ = 0;
  std::vector<Value> indices_;
};

std::vector<Value> ItemsOf(const Value& index) {
  const List* list = index.TryList();
  if (list && IsTupleLike(*list)) return list->items;
  return {index};
}

// The shape of nested lists of numbers, and the numbers.
void Flatten(Python& python, const Value& value, size_t depth, Dims& sizes, std::vector<Value>& elements) {
  const List* list = value.TryList();
  if (!list) {
    Tensor* t = value.TryTensor();
    if (!t && !value.IsNumber()) Fail(ErrorClass::kTypeError, "no tensor can be made of " + ToString(value));
    elements.push_back(t ? python.Item(*t) : value);
    return;
  }
  if (sizes.size() == depth) sizes.push_back(static_cast<int64_t>(list->items.size()));
  if (!Known(Eq(sizes[depth], static_cast<int64_t>(list->items.size()))))
    Fail(ErrorClass::kValueError, "lists of different lengths make no tensor: " + ToString(value));
  for (const Value& item : list->items) Flatten(python, item, depth + 1, sizes, elements);
}

// torch::utils::infer_scalar_type
ScalarType InferDtype(const std::vector<Value>& elements, ScalarType default_dtype) {
  std::optional<ScalarType> dtype;
  for (const Value& element : elements) {
    const ScalarType own = element.Is<bool>()                   ? ScalarType::Bool
                           : element.Is<Dim>()                  ? ScalarType::Long
                           : element.Is<std::complex<double>>() ? ToComplexDtype(default_dtype)
                                                                : default_dtype;
    dtype = dtype ? PromoteTypes(*dtype, own) : own;
  }
  return dtype.value_or(default_dtype);
}

// Elements as a tensor of the dtype holds them; nothing where that is not plain.
Constant ConstantOf(std::vector<Value> elements, ScalarType dtype) {
  for (Value& element : elements) {
    const bool fits = dtype == ScalarType::Bool ? element.Is<bool>() : IsIntegral(dtype) && element.Is<Dim>();
    const bool widens = IsFloat(dtype) && dtype == ScalarType::Double && element.Is<double>();
    if (!fits && !widens) return nullptr;
  }
  return std::make_shared<const std::vector<Value>>(std::move(elements));
}

}  // namespace

Value TensorFromNumbers(Python& python, const Value& numbers, std::optional<ScalarType> dtype, Device device) {
  Dims sizes;
  std::vector<Value> elements;
  Flatten(python, numbers, 0, sizes, elements);
  // An empty index is one of integers; any other empty tensor has the default dtype, which callers give.
  if (!dtype) dtype = InferDtype(elements, elements.empty() ? ScalarType::Long : python.host().state().default_dtype);
  TensorMeta meta = ContiguousMeta({sizes.data(), sizes.size()}, *dtype, device);
  ObjectTable& objects = python.host().objects();
  Storage* storage = objects.NewStorage(StorageNbytes(meta), device);
  Tensor* t = objects.NewTensor(std::move(meta), storage);
  t->constant = ConstantOf(std::move(elements), *dtype);
  return t;
}

Value GetTensorItem(Python& python, Tensor& tensor, const Value& index) {
  Indexer indexer(python, tensor);
  indexer.Apply(ItemsOf(index));
  if (indexer.HasIndices()) return python.Operator("aten::index.Tensor", {indexer.result(), indexer.Indices()});
  if (indexer.result().TryTensor() == &tensor) return python.Operator("aten::alias", {Value(&tensor)});
  return indexer.result();
}

void SetTensorItem(Python& python, Tensor& tensor, const Value& index, const Value& value) {
  Indexer indexer(python, tensor);
  indexer.Apply(ItemsOf(index));
  const Value& target = indexer.result();
  if (!indexer.HasIndices()) {
    if (value.IsNumber()) python.Operator("aten::fill_.Scalar", {target, value});
    else python.Operator("aten::copy_", {target, value});
    return;
  }
  Value values = value;
  if (value.IsNumber()) {
    const TensorMeta meta = ContiguousMeta({}, AsTensor(target).meta.dtype, AsTensor(target).meta.device);
    ObjectTable& objects = python.host().objects();
    values = objects.NewTensor(meta, objects.NewStorage(StorageNbytes(meta), meta.device));
  }
  python.Operator("aten::index_put_", {target, indexer.Indices(), values});
}

Value GetContainerItem(const Value& container, const Value& index) {
  if (const Dict* dict = container.TryGet<Dict>()) {
    for (const auto& [key, item] : dict->items)
      if (ToString(key) == ToString(index)) return item;
    Fail(ErrorClass::kIndexOutOfRange, "the dict has no key " + ToString(index));
  }
  const List* list = container.TryList();
  if (!list)
    Fail(ErrorClass::kTypeError, "operator.getitem does not take " + ToString(container) + " and " + ToString(index));
  const int64_t size = static_cast<int64_t>(list->items.size());
  if (const Slice* slice = index.TryGet<Slice>()) {
    auto bound = [&](size_t i, std::optional<int64_t> missing) {
      const Value* v = i < slice->bounds.size() ? &slice->bounds[i] : nullptr;
      return v && v->Is<Dim>() ? std::optional(v->Get<Dim>().Specialize()) : missing;
    };
    const int64_t step = *bound(2, 1);
    if (step == 0) Fail(ErrorClass::kValueError, "a slice's step cannot be zero");
    const PythonRange places = PlacesOfSlice(bound(0, std::nullopt), bound(1, std::nullopt), step, size);
    List out;
    out.is_tuple = list->is_tuple;
    for (uint64_t i = 0; i < places.size(); ++i) out.items.push_back(list->items[static_cast<size_t>(places[i])]);
    return out;
  }
  const Dim* given = index.TryGet<Dim>();
  if (!given)
    Fail(ErrorClass::kTypeError, "operator.getitem does not take " + ToString(container) + " and " + ToString(index));
  const int64_t i = given->Specialize();
  if (i < -size || i >= size)
    Fail(ErrorClass::kIndexOutOfRange,
        "index " + std::to_string(i) + " is out of range for a list of " + std::to_string(size));
  return list->items[i < 0 ? i + size : i];
}

}  // namespace fakeprop
