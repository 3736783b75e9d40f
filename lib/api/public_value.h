// Values of a run as the public headers describe them.
#pragma once

#include <string>

#include "fakeprop/annotated_graph.h"
#include "lib/meta/value.h"

namespace fakeprop::api {

// The size with the equalities put in that the run found, as annotations are written.
SizeExpr ReadSize(Dim dim);
// `value` is part of a snapshot (lib/interpreter/snapshot.h), so it holds nothing that is shared.
AnnotatedValue ReadValue(const Value& value);

// Joins the texts that `text` returns: "a, b".
template <typename Items, typename Text>
std::string Join(const Items& items, const Text& text) {
  std::string joined;
  for (const auto& item : items) joined += (joined.empty() ? "" : ", ") + text(item);
  return joined;
}

}  // namespace fakeprop::api
