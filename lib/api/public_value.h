// Values of a run as the public headers describe them.
#pragma once

#include <string>

#include "fakeprop/annotated_graph.h"
#include "lib/meta/value.h"

namespace fakeprop::api {

// Sizes have the equalities put in that the run found, as annotations are written.
SizeExpr ReadSize(Dim dim);
// Of a snapshot (lib/interpreter/snapshot.h), which holds nothing shared.
AnnotatedValue ReadValue(const Value& value);

// "a, b" of the texts that `text` gives.
template <typename Items, typename Text>
std::string Join(const Items& items, const Text& text) {
  std::string joined;
  for (const auto& item : items) joined += (joined.empty() ? "" : ", ") + text(item);
  return joined;
}

}  // namespace fakeprop::api
