// Operators that only other backends than the cpu have, asked without a tensor that would say where.
#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/families.h"

namespace fakeprop::rules {
namespace {

// The plans of transforms that a cuda device keeps. Source: detail::CUDAHooksInterface
// (ATen/detail/CUDAHooksInterface.h).
void CufftPlans(Call& call) {
  Fail(ErrorClass::kDeviceMismatch, OpName(call) + " asks a cuda device for the plans that it keeps: there is none");
}

// Hooks for backends outside of PyTorch. Source: native/Convolution.cpp.
void OutsideConvolution(Call& call) {
  Fail(ErrorClass::kDeviceMismatch, OpName(call) + " is for backends outside of PyTorch: " + call.Meta(0).device.str() +
                                        " has convolutions of its own");
}

// A state whose size the library chooses.
[[noreturn]] void FailDropoutState(const Call& call, Device device) {
  if (device.is_cpu())
    Fail(ErrorClass::kDeviceMismatch, OpName(call) + " makes a state for cuDNN, and its device is the cpu");
  Fail(ErrorClass::kUnsupportedOperator, OpName(call) + " gives a state whose size cuDNN chooses");
}

// (dropout, train, seed, *, dtype, layout, device, pin_memory)
void DropoutState(Call& call) { FailDropoutState(call, call.OptionalDevice(5).value_or(Device(DeviceType::CPU))); }
// (dropout, train, seed, *, out)
void DropoutStateInto(Call& call) { FailDropoutState(call, call.Meta(3).device); }

constexpr RuleRow kRows[] = {
    {"aten::_cufft_clear_plan_cache", CufftPlans},
    {"aten::_cufft_get_plan_cache_max_size", CufftPlans},
    {"aten::_cufft_get_plan_cache_size", CufftPlans},
    {"aten::_cufft_set_plan_cache_max_size", CufftPlans},
    {"aten::convolution_overrideable", OutsideConvolution},
    {"aten::convolution_backward_overrideable", OutsideConvolution},
    {"aten::_cudnn_init_dropout_state", DropoutState},
    {"aten::_cudnn_init_dropout_state.out", DropoutStateInto},
};

}  // namespace

RuleRows BackendRules() { return kRows; }

}  // namespace fakeprop::rules
