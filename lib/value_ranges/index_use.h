// A place where elements of a tensor are used as indices, and what the ranges say about it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lib/value_ranges/range_call.h"

namespace fakeprop {

struct IndexUse {
  enum class Verdict {
    kSafe,          // no element is out of range
    kFails,         // an element is, in every run
    kFailsForSome,  // an element is, for some sizes or some elements that the caller may pass
    kRestsOnInput,  // the elements come from an input, and nobody stated a range for it
    kUnknown,       // the ranges do not tell
  };
  enum class Limit {
    kRows,         // of a table
    kElements,     // along a dimension
    kClasses,      // of a loss
    kNotNegative,  // no other limit
    kBetween,      // the two ends
    kSum,          // the elements add up to it
  };

  Verdict verdict = Verdict::kUnknown;
  Limit limit = Limit::kElements;
  int32_t node = -1;                        // that uses the indices
  int32_t index = -1;                       // that returned them
  int32_t table = -1;                       // that returned what is indexed; -1 if that is not one node
  int64_t dim = 0;                          // of the table, that is indexed
  ValueRange range;                         // of the indices
  Sym least = nullptr, greatest = nullptr;  // the indices that are allowed; null: no limit
  std::optional<int64_t> ignored;           // an index beside these that is allowed too
  // kFailsForSome by sizes: no element is out of range exactly if this holds. Null: some elements that the caller may
  // pass are out of range.
  Sym holds = nullptr;
  bool is_too_large = true;  // of an element out of range; else too small
};

// Adds the uses of indices in the call of an operator.
using FindUses = void (*)(const RangeCall& call, std::vector<IndexUse>& uses);

// The least and greatest element that the input of kRestsOnInput may have, as far as there are limits.
ValueRange DemandOf(const IndexUse& use);

}  // namespace fakeprop
