// Which composite operators autocast changes inside.
#include <algorithm>

#include "lib/autocast/autocast.h"

namespace fakeprop {

// What only rearranges its input casts nothing either.
bool MayHaveListedParts(const Schema& schema, AutocastParts parts, const ExecutionState& state) {
  if (!schema.Has(kHasCompositeImplicit) || schema.returns.empty()) return false;
  if (std::ranges::any_of(schema.returns, [](const SchemaReturn& r) { return !r.alias_set.empty(); })) return false;
  if (parts == AutocastParts::kNone) return false;
  return state.cuda_autocast.enabled || parts != AutocastParts::kOnCuda;
}

}  // namespace fakeprop
