// What TorchScript's `with` enters: torch.no_grad, torch.autocast and their kin.
#include "lib/torchscript/operations/script_tables.h"
#include "lib/torchscript/operations/script_values.h"

namespace fakeprop {
namespace {

enum class Context { kNoGrad, kEnableGrad, kAutocast, kNeutral, kOther };

Context ContextOf(const std::string& class_name) {
  const std::string_view name = std::string_view(class_name).substr(class_name.rfind('.') + 1);
  if (name == "no_grad" || name == "inference_mode") return Context::kNoGrad;
  if (name == "enable_grad") return Context::kEnableGrad;
  if (name == "autocast") return Context::kAutocast;
  return name == "record_function" || name == "profile" ? Context::kNeutral : Context::kOther;
}

const Value* Find(const SharedValue& object, const std::string& name) {
  for (const auto& [key, value] : object.to->Get<Dict>().items)
    if (key.Get<std::string>() == name) return &value;
  return nullptr;
}

void Keep(const SharedValue& object, const std::string& name, Value value) {
  auto& items = object.to->TryGet<Dict>()->items;
  std::erase_if(items, [&](const auto& item) { return item.first.template Get<std::string>() == name; });
  items.emplace_back(Value(name), std::move(value));
}

// ---- autocast: its fields are `_enabled`, `device` and `fast_dtype` (torch/amp/autocast_mode.py), a dtype a number.

ExecutionState::Autocast& AutocastFor(HigherOrderCall& call, const Value* device) {
  const std::string* type = device ? device->TryGet<std::string>() : nullptr;
  if (type && *type == "cpu") return call.state().cpu_autocast;
  if (type && *type == "cuda") return call.state().cuda_autocast;
  Fail(ErrorClass::kUnsupportedOperator,
      "autocast for the device type " + (device ? ToString(*device) : "that nothing names") + " is not known here");
}

void EnterAutocast(HigherOrderCall& call, const SharedValue& object) {
  ExecutionState::Autocast& autocast = AutocastFor(call, Find(object, "device"));
  Keep(object, "enabled before", autocast.enabled);
  Keep(object, "dtype before", autocast.dtype);
  const Value *enabled = Find(object, "_enabled"), *dtype = Find(object, "fast_dtype");
  if (enabled && enabled->Is<bool>()) autocast.enabled = enabled->Get<bool>();
  if (!dtype || !dtype->Is<Dim>()) return;
  autocast.dtype = EnumOf<ScalarType>(dtype->Get<Dim>().Specialize(), "dtype");
}

void ExitAutocast(HigherOrderCall& call, const SharedValue& object) {
  ExecutionState::Autocast& autocast = AutocastFor(call, Find(object, "device"));
  const Value *enabled = Find(object, "enabled before"), *dtype = Find(object, "dtype before");
  if (enabled && dtype) autocast = {enabled->Get<bool>(), dtype->Get<ScalarType>()};
}

// ---- all

Value Enter(HigherOrderCall& call) {
  const SharedValue* object = call.At(0, "an object").TryGet<SharedValue>();
  const Context context = object ? ContextOf(object->class_name) : Context::kOther;
  if (context == Context::kOther)
    Fail(ErrorClass::kUnsupportedOperator, "what entering " + ToString(call.At(0, "")) + " does is not known here");
  if (context == Context::kAutocast) EnterAutocast(call, *object);
  if (context == Context::kNeutral || context == Context::kAutocast) return call.At(0, "");
  Keep(*object, "prev", call.state().grad_enabled);
  call.state().grad_enabled = context == Context::kEnableGrad;
  return call.At(0, "");
}

Value Exit(HigherOrderCall& call) {
  const SharedValue* object = call.At(0, "an object").TryGet<SharedValue>();
  const Context context = object ? ContextOf(object->class_name) : Context::kOther;
  if (context == Context::kAutocast) ExitAutocast(call, *object);
  if (context != Context::kNoGrad && context != Context::kEnableGrad) return {};
  if (const Value* before = Find(*object, "prev"); before && before->Is<bool>())
    call.state().grad_enabled = before->Get<bool>();
  return {};
}

Value SetGradEnabled(HigherOrderCall& call) {
  if (const bool* enabled = call.TryBool(0)) call.state().grad_enabled = *enabled;
  return {};
}

Value AutocastDtype(HigherOrderCall& call) {
  return static_cast<int64_t>(AutocastFor(call, &call.At(0, "a device type")).dtype);
}
Value IsCudaAutocastOn(HigherOrderCall& call) { return call.state().cuda_autocast.enabled; }
Value IsCpuAutocastOn(HigherOrderCall& call) { return call.state().cpu_autocast.enabled; }

constexpr HigherOrderRow kRows[] = {
    {"prim::Enter", Enter},
    {"prim::Exit", Exit},
    {"aten::set_grad_enabled*", SetGradEnabled},
    {"aten::get_autocast_dtype*", AutocastDtype},
    {"aten::is_autocast_enabled*", IsCudaAutocastOn},
    {"aten::is_autocast_cpu_enabled*", IsCpuAutocastOn},
};

}  // namespace

std::span<const HigherOrderRow> ScriptContextRows() { return kRows; }

}  // namespace fakeprop
