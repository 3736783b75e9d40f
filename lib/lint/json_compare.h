// Compares two values in the form that annotations have.
#pragma once

#include <string>
#include <vector>

#include "lib/json/json_copy.h"
#include "lib/json/json_tree.h"
#include "lib/lint/finding.h"

namespace fakeprop {

// The fields in which two values differ. Strides of dimensions of size 1 and of empty tensors do not count, nor do
// storages. Fields of a list's items are called "[0].shape".
std::vector<FieldDifference> CompareValues(JsonValue want, JsonValue got);

bool IsTensor(JsonValue json);

// Calls visit(want, got) for each pair of tensors at the same place of two values.
template <typename Visit>
void VisitTensorPairs(JsonValue want, JsonValue got, const Visit& visit) {
  if (IsTensor(want) && IsTensor(got)) return visit(want, got);
  if (want.kind() != JsonKind::kArray || got.kind() != JsonKind::kArray) return;
  auto b = got.begin();
  for (auto a = want.begin(); a != want.end() && b != got.end(); ++a, ++b) VisitTensorPairs(*a, *b, visit);
}

}  // namespace fakeprop
