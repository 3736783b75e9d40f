#include "lib/rules/testing/family_test.h"

namespace fakeprop::testing {
namespace {

constexpr CallCase kPrimitives[] = {
    {"_fft_r2c(f32[2,3,8], [2], 0, True)", "c64[2,3,5]"},
    {"_fft_r2c(f32[2,3,8]{1,2,6}, [1], 0, True)", "c64[2,2,8]{2,1,4}"},
    {"_fft_r2c(f32[2,3,8]{1,2,6}, [0,1], 0, False)", "c64[2,3,8]{3,1,6}"},
    {"_fft_r2c(c64[2,3,8], [2], 0, True)", "!DtypeMismatch"},
    {"_fft_r2c(f64[], [0], 2, True)", "!ShapeMismatch"},
    {"_fft_c2c(c64[], [0], 2, True)", "!ShapeMismatch"},
    {"_fft_r2c(f32[2,3,8,5]@cuda:0, [0,1,2], 0, True)", "c64[2,3,5,5]{3,1,6,30}@cuda:0"},
    {"_fft_r2c(f32[2,3,8,5]@cuda:0, [0,1,2], 0, False)", "c64[2,3,8,5]@cuda:0"},
    {"_fft_r2c(f32[2,3,8,5]@cuda:0, [1,2], 0, True)", "c64[2,3,5,5]{75,5,1,15}@cuda:0"},
    {"_fft_c2r(c64[2,3,5]{1,2,6}, [2], 0, 9)", "f32[2,3,9]{9,18,1}"},
    {"_fft_c2r(c64[2,3,5]{1,2,6}, [1,0], 0, 2)", "f32[2,3,5]{1,2,6}"},
    {"_fft_c2r(c64[2,3,5]{1,2,6}@cuda:0, [1], 0, 2)", "f32[2,2,5]{10,1,2}@cuda:0"},
    {"_fft_c2r(c64[2,3,5]{1,2,6}@cuda:0, [0,1,2], 0, 4)", "f32[2,3,4]{4,8,1}@cuda:0"},
    {"_fft_c2r(f32[2,3,5], [2], 0, 9)", "!DtypeMismatch"},
    {"_fft_c2c(c64[2,3,5]{1,2,6}, [1], 0, True)", "c64[2,3,5]{3,1,6}"},
    {"_fft_c2c(c64[2,3,5], [1,2], 0, True)", "c64[2,3,5]"},
    {"_fft_c2c(c64[2,3,5]{1,2,6}, [], 0, True)", "c64[2,3,5]{1,2,6}"},
    {"_fft_c2c(c64[2,3,5,4,3]{1,2,6,30,120}@cuda:0, [0,1,2,3], 0, True)", "c64[2,3,5,4,3]{4,8,24,1,120}@cuda:0"},
    {"_fft_c2c(f32[2,3,5], [1], 0, True)", "!DtypeMismatch"},
    {"_fft_r2c.out(f64[5,6,12], [0,2], 2, True, out=i32[0])", "arg(1); 1 := i32[5,6,7]; writes 1"},
    {"_fft_c2r.out(c64[1,4,6], [2], 2, 10, out=b8[0])", "arg(1); 1 := b8[1,4,10]; writes 1"},
    {"_fft_c2r.out(c64[1,4,6], [2], 2, 10, out=c64[0])", "arg(1); 1 := c64[1,4,10]; writes 1"},
};

constexpr CallCase kOneDimension[] = {
    {"fft_fft(f32[2,3,8])", "c64[2,3,8]"},
    {"fft_fft(c64[2,3,8]{1,2,6}, 5, 1)", "c64[2,5,8]{40,1,5}"},
    {"fft_fft(f32[2,3,8], 0)", "!ValueError"},
    {"fft_fft(f32[])", "!IndexOutOfRange"},
    {"fft_fft(f16[2,8])", "!DtypeMismatch"},
    {"fft_ifft(c64[2,3,8], 16, 0)", "c64[16,3,8]{1,128,16}"},
    {"fft_rfft(i64[2,3,8], 5, 1)", "c64[2,3,8]{24,1,3}"},
    {"fft_rfft(c64[8])", "!DtypeMismatch"},
    {"fft_irfft(c64[2,3,8], None, 1)", "f32[2,4,8]{32,1,4}"},
    {"fft_irfft(c64[2,1])", "!ValueError"},
    {"fft_hfft(f32[2,3,8]{1,2,6}, 7)", "f32[2,3,7]{7,14,1}"},
    {"fft_ifft(f32[2,3,8])", "c64[2,3,8] conj"},
    {"fft_ihfft(f32[2,3,8], 6)", "c64[2,3,4] conj"},
};

constexpr CallCase kManyDimensions[] = {
    {"fft_fft2(f32[2,3,8])", "c64[2,3,8]"},
    {"fft_fftn(f32[2,3,8]{1,2,6})", "c64[2,3,8]{1,2,6}"},
    {"fft_fftn(f32[2,3,8], [4,4])", "c64[2,4,4]"},
    {"fft_fftn(f32[2,3,8], [4,4], [0,1,2])", "!ValueError"},
    {"fft_fftn(f32[2,3,8], None, [0,0])", "!ValueError"},
    {"fft_ifftn(f32[2,3,8], [4,-1,6])", "c64[4,3,6]"},
    {"fft_ifft2(c64[2,3,8]{1,2,6})", "c64[2,3,8]{24,1,3}"},
    {"fft_rfft2(f64[2,3,8]{1,2,6})", "c128[2,3,5]"},
    {"fft_rfftn(f32[2,3,8], None, [0,1])", "c64[2,2,8]{2,1,4}"},
    {"fft_rfftn(c64[2,3,8])", "!DtypeMismatch"},
    {"fft_irfftn(f32[2,3,8], [4,4])", "f32[2,4,4]"},
    {"fft_irfftn(c64[2,3,8]{1,2,6})", "f32[2,3,14]{14,28,1}"},
    {"fft_irfft2(c64[2,3,1])", "!ValueError"},
    {"fft_hfft2(c64[2,3,8])", "f32[2,3,14]"},
    {"fft_hfftn(c64[2,3,8]{1,2,6})", "f32[2,3,14]{14,28,1}"},
    {"fft_ihfft2(f32[2,3,8])", "c64[2,3,5]{15,1,3}"},
    {"fft_ihfftn(f32[8])", "c64[5] conj"},
    {"fft_ihfftn(f32[2,3,8]{1,2,6}, [4,6])", "c64[2,4,4]{16,1,4}"},
};

TEST(Fft, Primitives) { CheckCalls(kPrimitives); }
TEST(Fft, OneDimension) { CheckCalls(kOneDimension); }
TEST(Fft, ManyDimensions) { CheckCalls(kManyDimensions); }

}  // namespace
}  // namespace fakeprop::testing
