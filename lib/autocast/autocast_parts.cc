// What autocast does inside of composite operators.
#include <algorithm>

#include "lib/autocast/cast_tensors.h"
#include "lib/meta/dtype.h"
#include "lib/meta/value_visit.h"

namespace fakeprop {
namespace {

// The cast beforehand that has the same results.
enum class Parts : uint8_t {
  kListed,   // not known
  kNone,     // none
  kFloat32,  // to float32
  kRegion,   // to the region's dtype
  kState,    // to the widest of the region's dtype and the recurrent state's
};

struct PartsOfOperator {
  std::string_view op;
  Parts on_cpu, on_cuda;
};

constexpr PartsOfOperator kParts[] = {
#include "lib/autocast/autocast_parts.inc"
};

// Some operators choose others by their `mode`: "aten::pad reflect".
std::string NameInTable(const Schema& schema, const CallArguments& arguments) {
  const int mode = schema.FindArgument("mode");
  const std::string* name = mode >= 0 ? arguments[mode].TryGet<std::string>() : nullptr;
  return std::string(schema.full_name) + (name ? " " + *name : "");
}

Parts PartsOn(DeviceType device, std::string_view op) {
  const auto it = std::ranges::lower_bound(kParts, op, {}, &PartsOfOperator::op);
  if (it == std::end(kParts) || it->op != op) return Parts::kListed;
  return device == DeviceType::CPU ? it->on_cpu : it->on_cuda;
}

// The states of a recurrent layer are `hx`; the last one is added to what the gates give.
ScalarType WidestOfState(const Schema& schema, const CallArguments& arguments, ScalarType region) {
  const int hx = schema.FindArgument("hx");
  ScalarType widest = region;
  if (hx < 0) return widest;
  AnyTensor(arguments[hx], [&](const Tensor& t) {
    widest = PromoteTypes(t.meta.dtype, region);
    return false;
  });
  return widest;
}

}  // namespace

// What only rearranges its input casts nothing either.
bool MayHaveListedParts(const Schema& schema) {
  if (!schema.Has(kHasCompositeImplicit) || schema.returns.empty()) return false;
  return std::ranges::all_of(schema.returns, [](const SchemaReturn& r) { return r.alias_set.empty(); });
}

bool CastForParts(const Schema& schema, const ExecutionState& state, CallArguments& arguments, ObjectTable& objects) {
  const auto region = FindCastRegion(state, arguments);
  if (!region) return true;
  ScalarType to = region->dtype;
  switch (PartsOn(region->device, NameInTable(schema, arguments))) {
    case Parts::kListed: return false;
    case Parts::kNone: return true;
    case Parts::kFloat32: to = ScalarType::Float; break;
    case Parts::kRegion: break;
    case Parts::kState: to = WidestOfState(schema, arguments, region->dtype); break;
  }
  CastTensors(*region, to, state, arguments, objects);
  return true;
}

}  // namespace fakeprop
