#include "lib/rules/testing/family_test.h"

namespace fakeprop::testing {
namespace {

constexpr CallCase kShortTime[] = {
    {"stft(f32[2,400], 64, None, None, None, False, True, True)", "c64[2,33,22]{726,1,33}"},
    {"stft(f32[2,400]{1,2}, 64, 16, 32, f32[32], False, None, False)", "f32[2,33,22,2]{66,2,132,1}"},
    {"stft(f32[400], 64, 16, None, None, False, None, False)", "f32[33,22,2]{2,66,1}"},
    {"stft(f32[400], 64, 16, None, f32[64], False, False, True)", "c64[64,22]{1,64}"},
    {"stft(c64[2,400], 64)", "c64[2,64,22]{1408,1,64}"},
    {"stft(c64[2,400], 64, None, None, None, False, True, True)", "!ValueError"},
    {"stft(f32[400], 64)", "!ValueError"},
    {"stft(f32[2,3,400], 64, None, None, None, False, True, True)", "!ShapeMismatch"},
    {"stft(f32[400], 64, 16, None, f32[32], False, None, True)", "!ShapeMismatch"},
    {"stft(f32[40], 64, 16, None, None, False, None, True)", "!ValueError"},
    {"stft(f32[400], 64, 0, None, None, False, None, True)", "!ValueError"},
    {"stft.center(f32[2,400], 64, 16, 64, f32[64], True, \"reflect\", False, True, True)", "c64[2,33,26]{858,1,33}"},
    {"stft.center(f32[400], 64, 16, 64, f32[64], False, \"reflect\", False, True, False)", "f32[33,22,2]{2,66,1}"},
    {"stft.center(f32[2,400], 64, None, 32, f32[32], False, \"reflect\", False, None, True, True)",
        "c64[2,33,24]{792,1,33}"},
    {"stft.center(f32[30], 64, 16, 64, f32[64], True, \"reflect\", False, True, True)", "!ShapeMismatch"},
    // The kernel alone answers here: FakeTensorMode stops at a check of the window's data.
    {"istft(c64[33,26], 64, 16, 64, f32[64])", "f32[400]"},
    {"istft(c64[5,6]@cuda:0, 8)", "!DataDependentOutput"},
    {"istft(c64[2,33,26]{858,1,33}, 64, 16, 64, f32[64], length=300)", "f32[2,300]"},
    {"istft(f32[33,26], 64)", "!DtypeMismatch"},
    {"istft(c64[32,26], 64)", "!ShapeMismatch"},
    {"fft_fftshift(f32[], [0])", "!IndexOutOfRange"},
};

constexpr CallCase kSpectra[] = {
    {"fft_fftshift(f32[4,5,6]{1,4,20})", "f32[4,5,6]"},
    {"fft_fftshift(f32[4,5], [0])", "f32[4,5]"},
    {"fft_fftshift(f16[5,3,2], dim=[0,2,2])", "f16[5,3,2]"},
    {"fft_ifftshift(f32[4,5], [2])", "!IndexOutOfRange"},
    {"fft_fftfreq(8, 0.5)", "f32[8]"},
    {"fft_fftfreq(8, 0.5, dtype=float64)", "f64[8]"},
    {"fft_fftfreq(8, 0.5, dtype=int64)", "!DtypeMismatch"},
    {"fft_rfftfreq(9, device=cuda:0)", "f32[5]@cuda:0"},
    {"fft_fftfreq.out(8, out=f32[2,4]{1,2})", "arg(0); writes 0"},
    {"fft_fftfreq.out(8, out=f32[2])", "arg(0); 0 := f32[8]; writes 0"},
    {"fft_fftfreq.out(8, out=c64[8])", "!DtypeMismatch"},
    {"fft_fftfreq.out(8, out=f32[8]{0})", "!ValueError"},
    {"fft_rfftfreq.out(9, out=f64[5,1])", "arg(0); writes 0"},
    {"fft_rfftfreq.out(9, out=f64[5]{2})", "arg(0); writes 0"},
    {"fft_rfftfreq.out(9, out=c64[5])", "!DtypeMismatch"},
};

TEST(Stft, ShortTime) { CheckCalls(kShortTime); }
TEST(Stft, Spectra) { CheckCalls(kSpectra); }

}  // namespace
}  // namespace fakeprop::testing
