#include "lib/autocast/autocast.h"

#include <optional>

#include "lib/autocast/cast_tensors.h"
#include "lib/meta/dtype.h"
#include "lib/meta/value_visit.h"

namespace fakeprop {
namespace {

// The device type whose autocast state counts: that of the first tensor for which it is on.
struct Region {
  DeviceType device;
  ScalarType dtype;
  AutocastPolicy policy;
};

bool IsOn(DeviceType device, const ExecutionState& state) {
  if (device == DeviceType::CPU) return state.cpu_autocast.enabled;
  return device == DeviceType::CUDA && state.cuda_autocast.enabled;
}

ScalarType DtypeOn(DeviceType device, const ExecutionState& state) {
  return device == DeviceType::CPU ? state.cpu_autocast.dtype : state.cuda_autocast.dtype;
}

const Tensor* FirstTensor(const Value& value, const ExecutionState& state) {
  const Value* first = FindValue(value, [&](const Value& inner) {
    const Tensor* t = inner.TryTensor();
    return t && IsOn(t->meta.device.type(), state);
  });
  return first ? first->TryTensor() : nullptr;
}

std::optional<Region> FindRegion(const Schema& schema, const ExecutionState& state, const CallArguments& arguments) {
  for (const Value* argument : arguments.span()) {
    const Tensor* t = FirstTensor(*argument, state);
    if (!t) continue;
    const bool cpu = t->meta.device.is_cpu();
    const AutocastPolicy policy = AutocastPolicyOf(schema.flags, cpu ? kAutocastCpuShift : kAutocastCudaShift);
    if (policy == AutocastPolicy::kNone) return std::nullopt;
    return Region{t->meta.device.type(), DtypeOn(t->meta.device.type(), state), policy};
  }
  return std::nullopt;
}

bool IsEligible(const Tensor& t, DeviceType device) {
  return t.meta.device.type() == device && IsFloat(t.meta.dtype) && t.meta.dtype != ScalarType::Double;
}

class Caster {
 public:
  Caster(DeviceType device, ScalarType dtype, const ExecutionState& state, ObjectTable& objects)
      : device_(device), dtype_(dtype), state_(state), objects_(objects) {}

  // Whether something in the value is cast.
  bool Changes(const Value& value) const {
    return AnyTensor(value, [&](const Tensor& t) { return ChangesTensor(t); });
  }

  Value Cast(const Value& value) const {
    return MapTensors(value, [&](Tensor& t) { return ChangesTensor(t) ? CastTensor(t) : &t; });
  }

 private:
  bool ChangesTensor(const Tensor& t) const { return IsEligible(t, device_) && t.meta.dtype != dtype_; }

  // As Tensor.to(dtype): the layout is preserved, autograd follows.
  Tensor* CastTensor(const Tensor& t) const {
    TensorMeta meta = t.meta;
    meta.strides = PreservedStrides(t.meta);
    meta.storage_offset = 0;
    meta.dtype = dtype_;
    Tensor* cast = objects_.NewTensor(meta, objects_.NewStorage(StorageNbytes(meta), meta.device));
    cast->own_requires_grad = state_.grad_enabled && t.RequiresGrad();
    cast->is_leaf = !cast->own_requires_grad;
    return cast;
  }

  DeviceType device_;
  ScalarType dtype_;
  const ExecutionState& state_;
  ObjectTable& objects_;
};

void CastWith(const Caster& caster, CallArguments& arguments) {
  for (size_t i = 0; i < arguments.size(); ++i)
    if (caster.Changes(arguments[i])) arguments.Replace(i, caster.Cast(arguments[i]));
}

// The widest of the region's dtype and the eligible tensors'.
ScalarType WidestDtype(const Value& value, const Region& region, ScalarType widest) {
  const bool has_float = AnyTensor(
      value, [&](const Tensor& t) { return IsEligible(t, region.device) && t.meta.dtype == ScalarType::Float; });
  return has_float ? ScalarType::Float : widest;
}

}  // namespace

bool CastArguments(const Schema& schema, const ExecutionState& state, CallArguments& arguments, ObjectTable& objects) {
  const auto region = FindRegion(schema, state, arguments);
  if (!region) return CastForParts(schema, state, arguments, objects);
  ScalarType to = region->dtype;
  switch (region->policy) {
    case AutocastPolicy::kBanned:
      Fail(ErrorClass::kValueError, std::string(schema.full_name) + " is unsafe to autocast; use its with_logits form");
    case AutocastPolicy::kFloat32: to = ScalarType::Float; break;
    case AutocastPolicy::kPromote:
      for (const Value* argument : arguments.span()) to = WidestDtype(*argument, *region, to);
      break;
    case AutocastPolicy::kFloat32SetDtype: {
      // The operator is told to compute in float32, unless the call names a dtype.
      const int dtype = schema.FindArgument("dtype");
      const Tensor* first = arguments.size() == 0 ? nullptr : arguments[0].TryTensor();
      if (dtype >= 0 && arguments[dtype].IsNone() && first && IsEligible(*first, region->device))
        arguments.Replace(dtype, ScalarType::Float);
      return true;
    }
    default: break;
  }
  CastWith(Caster(region->device, to, state, objects), arguments);
  return true;
}

std::optional<CastRegion> FindCastRegion(const ExecutionState& state, const CallArguments& arguments) {
  std::optional<CastRegion> found;
  for (const Value* argument : arguments.span())
    AnyTensor(*argument, [&](const Tensor& t) {
      const DeviceType device = t.meta.device.type();
      if (!found && IsOn(device, state) && IsEligible(t, device)) found = {device, DtypeOn(device, state)};
      return found.has_value();
    });
  return found;
}

void CastTensors(const CastRegion& region, ScalarType to, const ExecutionState& state, CallArguments& arguments,
    ObjectTable& objects) {
  CastWith(Caster(region.device, to, state, objects), arguments);
}

void CastAll(const ExecutionState& state, CallArguments& arguments, ObjectTable& objects) {
  if (const auto region = FindCastRegion(state, arguments))
    CastTensors(*region, region->dtype, state, arguments, objects);
}

}  // namespace fakeprop
