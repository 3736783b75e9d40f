#include "lib/rules/other_layouts/copies.h"

#include "lib/rules/core/results.h"

namespace fakeprop::rules {

void RequireOwnLayout(const Call& call) {
  if (!call.Has("layout") || call.OptionalLayout("layout") == call.In("self")->layout) return;
  FailAs(call, ErrorClass::kUnsupportedOperator,
      {"to the layout {}: `to_dense` and `to_sparse` convert", Value(*call.OptionalLayout("layout"))});
}

void PutOnDevice(const Call& call, Output& out) {
  if (!call.Has("device")) return;
  out.meta.device = *call.OptionalDevice("device");
  for (Output& part : out.items) part.meta.device = out.meta.device;
}

}  // namespace fakeprop::rules
