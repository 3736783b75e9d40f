#include "lib/rules/testing/family_test.h"

namespace fakeprop::testing {
namespace {

constexpr CallCase kCases[] = {
    {"_cufft_clear_plan_cache(2)", "!DeviceMismatch"},
    {"_cufft_get_plan_cache_max_size(-1)", "!DeviceMismatch"},
    {"_cufft_get_plan_cache_size(0)", "!DeviceMismatch"},
    {"_cufft_set_plan_cache_max_size(0, 3)", "!DeviceMismatch"},
    {"convolution_overrideable(f32[1,2,4,4]{32,1,8,2}, f32[3,2,3,3], None, [1,1], [0,0], [1,1], False, [0,0], 1)",
        "!DeviceMismatch"},
    {"convolution_backward_overrideable(f32[3,3,3], f32[3,3,3], f32[3,3,3], [3], [1], [3], True, [1], 3, "
     "[True,True,False])",
        "!DeviceMismatch"},
    {"_cudnn_init_dropout_state(0.5, True, 0, dtype=uint8)", "!DeviceMismatch"},
    {"_cudnn_init_dropout_state(0.5, True, 0, dtype=uint8, device=cuda:0)", "!UnsupportedOperator"},
    {"_cudnn_init_dropout_state.out(1.0, False, 4, out=b8[2,4,3])", "!DeviceMismatch"},
    {"_cudnn_init_dropout_state.out(1.0, False, 4, out=u8[6]{2}@cuda:0)", "!UnsupportedOperator"},
};

TEST(Backend, Refusals) { CheckCalls(kCases); }

}  // namespace
}  // namespace fakeprop::testing
