#include "lib/rules/testing/family_test.h"

namespace fakeprop::testing {
namespace {

constexpr CallCase kWindows[] = {
    {"hann_window(5)", "f32[5]"},
    {"hann_window(5, dtype=float64)", "f64[5]"},
    {"hann_window(5, dtype=int64)", "!DtypeMismatch"},
    {"hann_window(-1)", "!ValueError"},
    {"hann_window.periodic(5, False)", "f32[5]"},
    {"hann_window(1)", "f32[1]"},
    {"hann_window(0)", "f32[0]"},
    {"bartlett_window(5, device=cuda:0)", "f32[5]@cuda:0"},
    {"kaiser_window(5)", "f32[5]"},
    {"kaiser_window.beta(5, True, 2.0)", "f32[5]"},
    {"hamming_window.periodic_alpha_beta(5, True, 2.0, 3.0)", "f32[5]"},
    {"blackman_window(5)", "f32[5]"},
};

TEST(Window, Windows) { CheckCalls(kWindows); }

}  // namespace
}  // namespace fakeprop::testing
