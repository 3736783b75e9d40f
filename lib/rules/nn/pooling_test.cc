#include "lib/rules/testing/family_test.h"

namespace fakeprop::testing {
namespace {

constexpr CallCase kMaximum[] = {
    {"max_pool2d(f32[2,3,8,8], [2,2])", "f32[2,3,4,4]"},
    {"max_pool2d(f32[2,3,9,9]{243,1,27,3}, [2], [2], [1], [1], True)", "f32[2,3,5,5]{75,1,15,3}"},
    {"max_pool2d(f32[3,8,8]{1,24,3}, [3,2], [1,2])", "f32[3,6,4]"},
    {"max_pool2d(f32[2,3,8,8], [3,3], [], [1,1], [2,2])", "f32[2,3,2,2]"},
    {"max_pool2d(f32[0,3,8,8], [2,2])", "f32[0,3,4,4]"},
    {"max_pool2d(f32[2,0,8,8], [2,2])", "!ShapeMismatch"},
    {"max_pool2d(f32[2,3,8,8], [2,2], [1,1], [2,2])", "!ValueError"},
    {"max_pool2d(f32[2,3,8,8], [2,2], [0,1])", "!ValueError"},
    {"max_pool2d(f32[2,3,8,8], [9,9])", "!ShapeMismatch"},
    {"max_pool2d(f32[8,8], [2,2])", "!ShapeMismatch"},
    {"max_pool2d(f32[2,3,8,8], [2,2,2])", "!ValueError"},
    {"max_pool2d_with_indices(f32[2,3,8,8]{192,1,24,3}, [2,2])", "f32[2,3,4,4]{48,1,12,3}, i64[2,3,4,4]{48,1,12,3}"},
    {"max_pool2d_with_indices(f32[2,3,7,7], [3,3], [2,2], [0,0], [1,1], True)", "f32[2,3,3,3], i64[2,3,3,3]"},
    {"max_pool1d(f32[2,3,8], [2])", "f32[2,3,4]"},
    {"max_pool1d(f32[2,3,8]{24,1,3}, [2])", "f32[2,3,4]{12,1,3}"},
    {"max_pool1d(f32[3,8], [2], [3])", "f32[3,3]"},
    {"max_pool1d(f32[8], [2])", "!ShapeMismatch"},
    {"max_pool1d_with_indices(f32[2,3,8]{24,1,3}, [2])", "f32[2,3,4]{12,1,3}, i64[2,3,4]{12,1,3}"},
    {"max_pool3d(f32[2,3,4,4,4], [2,2,2])", "f32[2,3,2,2,2]"},
    {"max_pool3d(f32[2,3,4,4,4]{192,1,48,12,3}, [2])", "f32[2,3,2,2,2]{24,1,12,6,3}"},
    {"max_pool3d_with_indices(f32[3,4,4,4], [2,2,2])", "f32[3,2,2,2], i64[3,2,2,2]"},
    {"max_pool3d(f32[3,4,4], [2,2,2])", "!ShapeMismatch"},
    {"max_pool3d(f32[2,8,3,5]{120,1,40,8}, [1,1,1])", "!ShapeMismatch"},  // Unsupported memory format.
    {"max_pool3d(f32[2,1,3,2]{1,1,4,2}, [1,1,1])", "f32[2,1,3,2]{1,12,4,2}"},
    {"max_pool3d(f32[1,2,3,2]{1,1,4,2}, [1,1,1])", "f32[1,2,3,2]"},
    {"max_pool3d(f32[2,8,3,5]{120,1,40,8}@cuda:0, [1,1,1])", "f32[2,8,3,5]@cuda:0"},
    {"avg_pool2d.out(f32[2,2,6,8]{96,1,16,2}@cuda:0, [2,2], [2,2], out=f32[2,2,2,2]@cuda:0)",
        "arg(1); 1 := f32[2,2,3,4]{24,1,8,2}@cuda:0; writes 1"},
    {"max_pool3d_with_indices.out(f32[1,2,4,4,4], [2,2,2], out=f32[1,2,2,2,2]{16,8,4,2,0}, indices=i64[1,2,2,2,2])",
        "arg(1), arg(2); 1 := f32[1,2,2,2,2]; writes 1; 2 := i64[1,2,2,2,2]; writes 2"},
};

constexpr CallCase kAverage[] = {
    {"avg_pool1d(f32[2,3,8]{24,1,3}, [2])", "f32[2,3,4]{12,1,3}"},
    {"avg_pool1d(f32[3,9], [2], [2], [1], True)", "f32[3,5]"},
    {"avg_pool1d(f32[2,3,4,5], [2])", "!ShapeMismatch"},
    {"avg_pool2d(f32[2,3,8,8]{192,1,24,3}, [2,2])", "f32[2,3,4,4]{48,1,12,3}"},
    {"avg_pool2d(f32[3,8,8], [3], [2], [1], True, False, 2)", "f32[3,5,5]"},
    {"avg_pool2d(f32[2,3,8,8], [2,2], [], [0,0], False, True, 0)", "!ValueError"},
    {"avg_pool2d(u8[2,3,8,8], [2,2])", "!DtypeMismatch"},
    {"avg_pool3d(f32[2,3,4,4,4]{192,1,48,12,3}, [2])", "f32[2,3,2,2,2]"},
    {"avg_pool3d(f32[3,4,4,4], [3,2,2], [2,2,2], [1,1,1], True)", "f32[3,3,3,3]"},
    {"avg_pool3d(f32[2,3,4,4,4], [5,5,5], [1,1,1], [2,2,2])", "!ShapeMismatch"},
};

constexpr CallCase kBackward[] = {
    {"max_pool2d_with_indices_backward(f32[2,2,2,2], f32[2,2,6,6], [3,3], [2,1], [0,0], [1,2], False, b8[2,2,2,2])",
        "!DtypeMismatch"},
    {"max_pool2d_with_indices_backward(f32[2,3,4,4], f32[2,3,8,8]{192,1,24,3}, [2,2], [2,2], [0,0], [1,1], False, "
     "i64[2,3,4,4])",
        "f32[2,3,8,8]{192,1,24,3}"},
    {"max_pool2d_with_indices_backward(f32[3,4,4], f32[3,8,8], [2,2], [2,2], [0,0], [1,1], False, i64[3,4,4])",
        "f32[3,8,8]"},
    {"max_pool2d_with_indices_backward(f32[2,3,4,5], f32[2,3,8,8], [2,2], [2,2], [0,0], [1,1], False, i64[2,3,4,4])",
        "!ShapeMismatch"},
    {"max_pool3d_with_indices_backward(f32[2,3,2,2,2], f32[2,3,4,4,4]{192,1,48,12,3}, [2], [2], [0], [1], False, "
     "i64[2,3,2,2,2])",
        "f32[2,3,4,4,4]{192,1,48,12,3}"},
    {"avg_pool2d_backward(f32[2,3,4,4], f32[2,3,8,8]{192,1,24,3}, [2,2], [2,2], [0,0], False, True, None)",
        "f32[2,3,8,8]{192,1,24,3}"},
    {"avg_pool2d_backward(f32[2,3,4,4], f32[2,3,8,8], [2,2], [2,2], [0,0], False, True, 0)", "!ValueError"},
    {"avg_pool3d_backward(f32[3,2,2,2], f32[3,4,4,4], [2], [2], [0], False, True, None)", "f32[3,4,4,4]"},
    {"avg_pool3d_backward(f32[3,2,2,3], f32[3,4,4,4], [2], [2], [0], False, True, None)", "!ShapeMismatch"},
};

TEST(Pooling, Maximum) { CheckCalls(kMaximum); }
TEST(Pooling, Average) { CheckCalls(kAverage); }
TEST(Pooling, Backward) { CheckCalls(kBackward); }

}  // namespace
}  // namespace fakeprop::testing
