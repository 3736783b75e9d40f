#include "lib/api/public_value.h"

#include "lib/meta/dtype.h"
#include "lib/meta/text.h"
#include "lib/symbolic/shape_env.h"

namespace fakeprop::api {
namespace {

using Kind = AnnotatedValue::Kind;

std::vector<SizeExpr> ReadSizes(DimSpan dims) {
  std::vector<SizeExpr> sizes;
  for (Dim dim : dims) sizes.push_back(ReadSize(dim));
  return sizes;
}

TensorMetadata ReadTensor(const Tensor& t) {
  const TensorMeta& meta = t.meta;
  return {.shape = ReadSizes(meta.size_span()),
      .stride = ReadSizes(meta.stride_span()),
      .storage_offset = ReadSize(meta.storage_offset),
      .dtype = std::string(DtypeName(meta.dtype)),
      .itemsize = ItemSize(meta.dtype),
      .device = meta.device.str(),
      .layout = Show(Value(meta.layout)),
      .requires_grad = t.own_requires_grad,
      .is_conj = meta.is_conj,
      .is_neg = meta.is_neg,
      .storage = t.storage->id};
}

// Puts in the equalities that the run found.
Value Final(const Value& value) {
  const Symbolic* symbolic = value.TryGet<Symbolic>();
  return symbolic ? Value::Of(symbolic->expression->env->Simplify(symbolic->expression)) : value;
}

void ReadScalar(const Value& value, AnnotatedValue& out) {
  if (value.IsNone()) return;
  if (const Dim* dim = value.TryGet<Dim>()) {
    out.kind = Kind::kInt;
    out.integer = ReadSize(*dim);
  } else if (const double* real = value.TryGet<double>()) {
    out.kind = Kind::kFloat;
    out.real = *real;
  } else if (const bool* truth = value.TryGet<bool>()) {
    out.kind = Kind::kBool;
    out.truth = *truth;
  } else if (const auto* complex = value.TryGet<std::complex<double>>()) {
    out.kind = Kind::kComplex;
    out.complex = *complex;
  } else if (const std::string* text = value.TryGet<std::string>()) {
    out.kind = Kind::kString;
    out.text = *text;
  } else {
    out.kind = Kind::kOther;
    out.text = Show(value);
  }
}

void ReadItems(const Dict& dict, AnnotatedValue& out) {
  out.kind = Kind::kDict;
  for (const auto& [key, item] : dict.items) {
    out.keys.push_back(ReadValue(key));
    out.items.push_back(ReadValue(item));
  }
}

}  // namespace

SizeExpr ReadSize(Dim dim) {
  const std::optional<int64_t> hint = dim.Hint();
  if (dim.IsSymbolic()) dim = Dim::Of(dim.Expression()->env->Simplify(dim.Expression()));
  if (const auto number = dim.TryNumber()) return {number, {}, number};
  return {std::nullopt, dim.ToString(), hint};
}

AnnotatedValue ReadValue(const Value& value) {
  AnnotatedValue out;
  if (const Tensor* t = value.TryTensor()) {
    out.kind = Kind::kTensor;
    out.tensor = ReadTensor(*t);
  } else if (const List* list = value.TryList()) {
    out.kind = list->is_tuple ? Kind::kTuple : Kind::kList;
    for (const Value& item : list->items) out.items.push_back(ReadValue(item));
  } else if (const Dict* dict = value.TryGet<Dict>()) {
    ReadItems(*dict, out);
  } else {
    ReadScalar(Final(value), out);
  }
  return out;
}

}  // namespace fakeprop::api
