#include "lib/interpreter/known_elements.h"

#include <cmath>

#include "lib/meta/dtype.h"

namespace fakeprop {
namespace {

// The element in the dtype. Nothing if that would need the rounding of hardware.
std::optional<Value> Cast(const Value& element, ScalarType dtype) {
  if (dtype == ScalarType::Bool) {
    if (auto i = element.TryGet<Dim>()) return Value(Guard(Ne(*i, 0)));
    if (auto d = element.TryGet<double>()) return Value(*d != 0);
    if (element.Is<bool>()) return element;
  } else if (dtype == ScalarType::Long) {
    if (element.Is<Dim>()) return element;
    if (auto b = element.TryGet<bool>()) return Value(int64_t{*b});
    if (auto d = element.TryGet<double>(); d && std::abs(*d) < 9e18) return Value(static_cast<int64_t>(*d));
  } else if (dtype == ScalarType::Double) {
    if (element.Is<double>()) return element;
    if (auto i = element.TryGet<Dim>()) return Value(static_cast<double>(i->Specialize()));
    if (auto b = element.TryGet<bool>()) return Value(*b ? 1.0 : 0.0);
  }
  return std::nullopt;
}

Constant CastAll(const std::vector<Value>& elements, ScalarType dtype) {
  std::vector<Value> cast;
  for (const Value& element : elements) {
    auto c = Cast(element, dtype);
    if (!c) return nullptr;
    cast.push_back(std::move(*c));
  }
  return std::make_shared<const std::vector<Value>>(std::move(cast));
}

}  // namespace

void PassConstant(std::span<const Value* const> arguments, const Value& result) {
  const Tensor* from = arguments.empty() ? nullptr : arguments[0]->TryTensor();
  Tensor* to = result.TryTensor();
  if (!from || !from->KnownValue() || !to || to == from || to->constant) return;
  to->constant = from->meta.dtype == to->meta.dtype ? from->constant : CastAll(*from->KnownValue(), to->meta.dtype);
  to->constant_version = to->storage->version;
}

}  // namespace fakeprop
