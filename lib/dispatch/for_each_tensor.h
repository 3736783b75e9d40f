#pragma once

#include <ATen/core/ivalue.h>

#include <vector>

namespace fakeprop::dispatch {

// Visits the defined tensors in a boxed value, in order.
template <typename Visit>
void ForEachTensor(const c10::IValue& value, const Visit& visit) {
  if (value.isTensor()) {
    if (value.toTensor().defined()) visit(value.toTensor());
  } else if (value.isTensorList() || value.isOptionalTensorList()) {
    for (const c10::IValue& item : value.toListRef()) ForEachTensor(item, visit);
  }
}

// The defined tensors in boxed values, in order.
inline std::vector<at::Tensor> TensorsAmong(c10::ArrayRef<c10::IValue> values) {
  std::vector<at::Tensor> tensors;
  for (const c10::IValue& value : values) ForEachTensor(value, [&](const at::Tensor& t) { tensors.push_back(t); });
  return tensors;
}

// The value with each of its defined tensors replaced. Lists are copied, never changed.
template <typename Replace>
c10::IValue MapTensors(const c10::IValue& value, const Replace& replace) {
  if (value.isTensor()) return value.toTensor().defined() ? c10::IValue(replace(value.toTensor())) : value;
  if (!value.isTensorList() && !value.isOptionalTensorList()) return value;
  c10::impl::GenericList list(value.type()->expectRef<c10::ListType>().getElementType());
  for (const c10::IValue& item : value.toListRef()) list.push_back(MapTensors(item, replace));
  return list;
}

}  // namespace fakeprop::dispatch
