// Compares two values as annotations have them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lib/diff/diff_symbols.h"
#include "lib/json/json_tree.h"

namespace fakeprop {

// One side of a difference: JSON of the annotations, or a text of ours.
struct DiffDetail {
  std::optional<JsonValue> json;
  std::string text;  // for people; of JSON its text, "[2, 3]"
};

// A field that has two values.
struct FieldChange {
  std::string field;  // "shape", "[0].dtype", "aliasing" ...
  DiffDetail from, to;
};

DiffDetail DetailOf(JsonValue json);

// The fields in which two values differ, up to the names of symbols. Strides of dimensions of size 1 and of empty
// tensors do not count, nor do storages, hints and names of subgraphs.
std::vector<FieldChange> CompareAnnotated(JsonValue from, JsonValue to, SymbolPairs& symbols);

// Returns true if a value is an object of this type: "tensor", "symint", "graph".
bool HasType(JsonValue value, std::string_view type);

// A value in a few words: "float32[2, 3]", "list of 3", "4".
std::string BriefValue(JsonValue value);

// Calls visit(a, b) for each pair of objects of this type at the same place of two values.
template <typename Visit>
void VisitPairs(JsonValue a, JsonValue b, std::string_view type, const Visit& visit) {
  if (HasType(a, type) && HasType(b, type)) return visit(a, b);
  if (a.kind() != JsonKind::kArray || b.kind() != JsonKind::kArray) return;
  auto other = b.begin();
  for (auto item = a.begin(); item != a.end() && other != b.end(); ++item, ++other)
    VisitPairs(*item, *other, type, visit);
}

}  // namespace fakeprop
