#include "lib/rules/testing/family_test.h"

namespace fakeprop::testing {
namespace {

constexpr CallCase kRepeats[] = {
    {"repeat(f32[2,3], [2])", "!ShapeMismatch"},
    {"repeat(f32[2,3]{1,2}, [2,1])", "f32[4,3]"},
    {"repeat(f32[2,3], [2,1,3])", "f32[2,2,9]"},
    {"repeat(f32[2,3], [2,-1])", "!ValueError"},
    {"repeat(f32[], [])", "f32[]"},
    {"repeat(f32[], [0,3])", "f32[0,3]"},
    {"tile(f32[2,3], [2])", "f32[2,6]"},
    {"tile(f32[2,3], [2,2,2])", "f32[2,4,6]"},
    {"tile(f32[2,3]{1,2}, [])", "f32[2,3]"},
    {"flip(c32[2,2], [0])", "c32[2,2]"},
    {"flip(c32[2,2], [1])", "!DtypeMismatch"},
    {"flip(c32[3,1], [0])", "!DtypeMismatch"},
    {"flip(u16[3,2]{1,3}, [1])", "u16[3,2]{1,3}"},
    {"fliplr(c32[2,2])", "!DtypeMismatch"},
    {"flipud(u16[2,2])", "u16[2,2]"},
    {"rot90(c32[1,2], 1, [0,1])", "!DtypeMismatch"},
    {"rot90(u16[2,1], 1, [0,1])", "u16[1,2]{1,1}"},
    {"rot90(u16[2,2], 4, [0,1])", "u16[2,2]"},
    {"flip(u32[], [0])", "u32[]"},
    {"flip(c32[], [0])", "c32[]"},
};

constexpr CallCase kTurns[] = {
    {"roll(f32[2,3]{1,2}, [1], [0])", "f32[2,3]"},
    {"roll(f32[2,3]{1,2}, [1,2], [0,1])", "f32[2,3]"},
    {"roll(f32[2,3]{6,2}, [1], [0])", "f32[2,3]"},
    {"roll(f32[2,3,4,5]{60,1,15,3}, [1], [1])", "f32[2,3,4,5]{60,1,15,3}"},
    {"roll(f32[2,3,4,5]{60,1,15,3}, [1], [])", "f32[2,3,4,5]"},
    {"pixel_unshuffle(f64[3,3,0,8], 2)", "f64[3,3,0,8]"},
    {"pixel_unshuffle(f32[2,8,1,8,8]{512,1,512,64,8}, 1)", "!ValueError"},
    {"roll(f32[2,3], [1,2], [0])", "!ValueError"},
    {"roll(f32[2,3], [1,2])", "!ValueError"},
    {"roll(f32[2,3], [1], [2])", "!IndexOutOfRange"},
    {"roll(f32[2,3], [], [])", "!ValueError"},
    {"roll(f32[], [1])", "f32[]"},
    {"roll(f32[], [1], [0])", "!IndexOutOfRange"},
    {"roll(f32[0,3]{1,2}, [1], [0])", "f32[0,3]{1,2}"},
    {"flip(f32[2,3]{1,2}, [0])", "f32[2,3]{1,2}"},
    {"flip(f32[2,3]{6,2}, [0])", "f32[2,3]"},
    {"flip(f32[2,3]{0,1}, [0])", "f32[2,3]"},
    {"flip(f32[2,3], [])", "f32[2,3]"},
    {"flip(f32[2,3], [0,0])", "!ValueError"},
    {"flip(f32[2,3], [2])", "!IndexOutOfRange"},
    {"flip(f32[], [0])", "f32[]"},
    {"fliplr(f32[2,3])", "f32[2,3]"},
    {"fliplr(f32[3])", "!ShapeMismatch"},
    {"flipud(f32[3])", "f32[3]"},
    {"flipud(f32[])", "!ShapeMismatch"},
    {"rot90(f32[2,3,4])", "f32[3,2,4]{4,12,1}"},
    {"rot90(f32[2,3]{1,2}, 2)", "f32[2,3]{1,2}"},
    {"rot90(f32[2,3]{1,2}, 1)", "f32[3,2]"},
    {"rot90(f32[2,3]{1,2}, 3)", "f32[3,2]"},
    {"rot90(f32[2,3]{1,2}, 4)", "f32[2,3]"},
    {"rot90(f32[2,3], -1)", "f32[3,2]{1,3}"},
    {"rot90(f32[2,3,4], 1, [0,0])", "!ValueError"},
    {"rot90(f32[2,3,4], 1, [0])", "!ValueError"},
    {"rot90(f32[3], 1)", "!ShapeMismatch"},
    {"roll(f32[2,3,4]{1,2,6}, [1], [0])", "f32[2,3,4]"},
    {"roll(f32[2,3,4]{1,2,6}, [1], [2])", "f32[2,3,4]"},
    {"roll(f32[2,3,4]{1,2,6}, [1])", "f32[2,3,4]"},
    {"roll(f32[2,3]@cuda:0, [1], [0])", "f32[2,3]@cuda:0"},
};

constexpr CallCase kShuffles[] = {
    {"kron(f32[2,3], f32[4,5])", "f32[8,15]"},
    {"kron(f32[3], f32[2,4,5])", "f32[2,4,15]"},
    {"kron(f32[2,3]{1,2}, i64[4,5])", "!ViewError"},
    {"kron(f32[], f32[2])", "f32[2]"},
    {"pixel_shuffle(f32[1,8,2,3], 2)", "f32[1,2,4,6]"},
    {"pixel_shuffle(f32[1,8,2,3]{48,1,24,8}, 2)", "f32[1,2,4,6]{48,1,12,2}"},
    {"pixel_shuffle(f32[8,2,3], 2)", "f32[2,4,6]"},
    {"pixel_shuffle(f32[1,7,2,3], 2)", "!ShapeMismatch"},
    {"pixel_shuffle(f32[7,3], 2)", "!ShapeMismatch"},
    {"pixel_shuffle(f32[1,8,2,3], 0)", "!ValueError"},
    {"pixel_unshuffle(f32[1,2,4,6], 2)", "f32[1,8,2,3]"},
    {"pixel_unshuffle(f32[1,2,4,6]{48,1,12,2}, 2)", "f32[1,8,2,3]{48,1,24,8}"},
    {"pixel_unshuffle(f32[1,2,4,5], 2)", "!ShapeMismatch"},
    {"channel_shuffle(f32[1,8,2,3], 2)", "f32[1,8,2,3]"},
    {"channel_shuffle(f32[1,8,2,3]{48,1,24,8}, 2)", "f32[1,8,2,3]{48,1,24,8}"},
    {"channel_shuffle(f32[1,7,2,3], 2)", "!ShapeMismatch"},
    {"channel_shuffle(f32[8,2], 2)", "!ShapeMismatch"},
    {"native_channel_shuffle(f32[1,8,2,3], 2)", "f32[1,8,2,3]"},
    {"native_channel_shuffle(f32[1,8,2,3]{48,1,24,8}, 2)", "f32[1,8,2,3]{48,1,24,8}"},
    {"channel_shuffle(f32[1,8,2,3], 1)", "f32[1,8,2,3]"},
    {"channel_shuffle(f32[1,8,2,3]@cuda:0, 1)", "alias(0) f32[1,8,2,3]@cuda:0"},
    {"channel_shuffle(f32[1,8,2,3]{48,1,24,8}@cuda:0, 8)", "alias(0) f32[1,8,2,3]{48,1,24,8}@cuda:0"},
    {"native_channel_shuffle(f32[1,8,2,3]@cuda:0, 1)", "view(0) f32[1,8,2,3]@cuda:0"},
    {"native_channel_shuffle(f32[2,8,2,3]{48,1,24,8}@cuda:0, 1)", "f32[2,8,2,3]@cuda:0"},
    {"kron(f16[5,5], f64[])", "f64[5,5]"},
    {"kron(f16[5], f64[5,5])", "f64[5,25]"},
};

constexpr CallCase kDiagonals[] = {
    {"diag_embed(f32[2,3], 1)", "f32[2,4,4]"},
    {"diag_embed(f32[2,3]{1,2}, 0, 0, 2)", "f32[3,2,3]"},
    {"diag_embed(f32[2,3], -2, 0, 1)", "f32[5,5,2]"},
    {"diag_embed(f32[2,3], 0, 1, 1)", "!ValueError"},
    {"diag_embed(f32[])", "!IndexOutOfRange"},
    {"diag_embed(f32[2,3]{1,2}, 0, 0, 3)", "!IndexOutOfRange"},
    {"diagflat(f32[2,3], 1)", "f32[7,7]"},
    {"diagflat(f32[])", "f32[1,1]"},
    {"diag(f32[2], 1)", "f32[3,3]"},
    {"diag(f32[2,3], 1)", "f32[2]"},
    {"diag(f32[2,3,4], 1)", "!ShapeMismatch"},
    {"vander(f32[3])", "f32[3,3]"},
    {"vander(f32[3], 5)", "f32[3,5]"},
    {"vander(i64[3,2], 5)", "!ShapeMismatch"},
};

TEST(Rearrange, Repeats) { CheckCalls(kRepeats); }
TEST(Rearrange, Turns) { CheckCalls(kTurns); }
TEST(Rearrange, Shuffles) { CheckCalls(kShuffles); }
TEST(Rearrange, Diagonals) { CheckCalls(kDiagonals); }

}  // namespace
}  // namespace fakeprop::testing
