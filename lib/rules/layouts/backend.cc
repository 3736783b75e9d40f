// Operators that the cpu does not have, in calls without a tensor that would name another device.
#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/families.h"

namespace fakeprop::rules {
namespace {

// The plans of transforms that a cuda device keeps. Source: detail::CUDAHooksInterface
// (ATen/detail/CUDAHooksInterface.h).
void CufftPlans(Call& call) {
  FailAs(call, ErrorClass::kDeviceMismatch, "asks a cuda device for the plans that it keeps: there is none");
}

// Hooks for backends outside of PyTorch. Source: native/Convolution.cpp.
template <ArgumentName Name>
void OutsideConvolution(Call& call) {
  FailAs(call, ErrorClass::kDeviceMismatch,
      {"is for backends outside of PyTorch: {} has convolutions of its own", call.In(Name)->device});
}

// A state whose size the library chooses.
[[noreturn]] void FailDropoutState(const Call& call, Device device) {
  if (device.is_cpu()) FailAs(call, ErrorClass::kDeviceMismatch, "makes a state for cuDNN, and its device is the cpu");
  FailAs(call, ErrorClass::kUnsupportedOperator, "gives a state whose size cuDNN chooses");
}

void DropoutState(Call& call) {
  FailDropoutState(call, call.OptionalDevice("device").value_or(Device(DeviceType::CPU)));
}

void DropoutStateInto(Call& call) { FailDropoutState(call, call.In("out")->device); }

constexpr RuleRow kRows[] = {
    {"aten::_cufft_clear_plan_cache", CufftPlans},
    {"aten::_cufft_get_plan_cache_max_size", CufftPlans},
    {"aten::_cufft_get_plan_cache_size", CufftPlans},
    {"aten::_cufft_set_plan_cache_max_size", CufftPlans},
    {"aten::convolution_overrideable", OutsideConvolution<"input">},
    {"aten::convolution_backward_overrideable", OutsideConvolution<"grad_output">},
    {"aten::_cudnn_init_dropout_state", DropoutState},
    {"aten::_cudnn_init_dropout_state.out", DropoutStateInto},
};

}  // namespace

RuleRows BackendRules() { return kRows; }

}  // namespace fakeprop::rules
