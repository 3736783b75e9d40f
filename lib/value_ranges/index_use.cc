#include "lib/value_ranges/index_use.h"

namespace fakeprop {

ValueRange DemandOf(const IndexUse& use) {
  ValueRange demand;
  const auto shifted = [&](Sym end) { return end ? Subtract(end, end->arena->Integer(use.range.shift)) : nullptr; };
  demand.low.at = shifted(use.least);
  demand.high.at = shifted(use.greatest);
  return demand;
}

}  // namespace fakeprop
