#include "lib/rules/testing/family_test.h"

namespace fakeprop::testing {
namespace {

constexpr CallCase kIndexing[] = {
    {"index.Tensor(f32[5,4]{1,5}, [i64[2,3]])", "f32[2,3,4]"},
    {"_unsafe_index.Tensor(f32[5,4]@cuda:0, [None, i64[3]])", "!DeviceMismatch"},
    {"index.Tensor(f32[5,4]@cuda:0, [None, i64[3]])", "f32[5,3]@cuda:0"},
    {"index.Tensor(f32[5,4], [i64[2,3]{1,2}])", "f32[2,3,4]{4,8,1}"},
    {"index.Tensor(f32[5,4,3], [None, i32[2]])", "f32[5,2,3]"},
    {"index.Tensor(f32[5,4,3]{1,5,20}, [None, i64[2]])", "f32[5,2,3]{1,5,10}"},
    {"index.Tensor(f32[1,8,7,6]{8,1,8,64}, [None, i64[2,3]])", "f32[1,2,3,7,6]{252,126,42,1,7}"},
    {"index.Tensor(f32[1,8,7,6]{8,1,8,64}, [None, i64[3,2]{1,3}])", "f32[1,3,2,7,6]{126,42,126,1,7}"},
    {"index.Tensor(f32[8,7,1]{1,8,5}, [None, i64[2,3]])", "f32[8,2,3,1]{1,24,8,48}"},
    {"index.Tensor(f32[5,4,3], [i64[2], None, i64[2]])", "f32[2,4]"},
    {"index.Tensor(f32[5,4,3], [None, i64[2,1], i64[4]])", "f32[5,2,4]"},
    {"index.Tensor(f32[2,3,4,5]{60,1,15,3}, [None, None, i64[4,1], i64[5]])", "f32[2,3,4,5]"},
    {"index.Tensor(f32[2,3,4,5]{60,1,15,3}, [i64[2], None, None, i64[2]])", "f32[2,3,4]{12,1,3}"},
    {"index.Tensor(f32[2,3], [i64[], None])", "f32[3]"},
    {"index.Tensor(f32[0,3], [None, i64[2]])", "f32[0,2]"},
    {"index.Tensor(f32[5,4]@cuda:0, [i64[2]])", "f32[2,4]@cuda:0"},
    {"index.Tensor(f32[5,4], [i64[2], i64[3]])", "!ShapeMismatch"},
    {"index.Tensor(f32[5], [i64[2], i64[2]])", "!IndexOutOfRange"},
    {"index.Tensor(f32[5], [f32[2]])", "!DtypeMismatch"},
    {"index.Tensor(f32[5,4], [b8[5]])", "!DynamicOutputShape"},
    {"index.Tensor(f32[5,4], [b8[4]])", "!IndexOutOfRange"},
    {"index.Tensor(f32[0,4], [b8[0]])", "f32[0,4]"},
    {"_unsafe_index.Tensor(f32[5,4]{1,5}, [None, i64[3]])", "f32[5,3]"},
    {"_unsafe_index.Tensor(f32[5], [i64[2], i64[3]])", "!IndexOutOfRange"},
    {"index_put(f32[2,3]{1,2}, [i64[2]], f32[3])", "f32[2,3]{1,2}"},
    {"index_put(u8[5,2], [None, u8[5,2]], u8[5,2], True)", "!IndexOutOfRange"},
    {"index_put(f32[5,2], [b8[4]], f32[5,2])", "!IndexOutOfRange"},
    {"index_put(f32[2,3,4], [None, b8[3]], f32[])", "f32[2,3,4]"},
    {"index_put(f32[2,3], [i64[4]], f32[2,3])", "!ShapeMismatch"},
    {"index_put(f32[5,0], [b8[5]], f32[5])", "!ShapeMismatch"},
    {"index_put(f32[5,3], [b8[5]], f32[2])", "!ShapeMismatch"},
    {"index_put(f32[5,3], [b8[5]], f32[2,3])", "f32[5,3]"},
    {"index_put(f32[5,3], [b8[5]], f32[6,3])", "!ShapeMismatch"},
    {"index_put(f32[5,3], [b8[5]], f32[2,2,3])", "!ShapeMismatch"},
    {"index_put(f32[5,3], [b8[5]], f32[1,1,1,1])", "f32[5,3]"},
    {"index_put(f32[5,3], [b8[5]], f32[1,1,1,1], True)", "!ShapeMismatch"},
    {"index_put(f32[5,3,4], [b8[5], None, i64[3]], f32[3,3])", "f32[5,3,4]"},
    {"index_put(f32[5,3,4], [b8[5], None, i64[3]], f32[2,3])", "!ShapeMismatch"},
    {"index_put(f32[5,3,4], [None, b8[3,4]], f32[5,2])", "f32[5,3,4]"},
    {"index_put(f32[5,3,4], [None, b8[3,4]], f32[2,2])", "!ShapeMismatch"},
    {"index_put_(f32[0,3], [b8[0]], f32[2,3])", "!ShapeMismatch"},
    {"index_put(qu8[3,3]{1,3}, [i64[3]], f64[3,3])", "qu8[3,3]"},
    {"index_put(qu8[3,3], [i64[3]], qu8[3,3])", "!DtypeMismatch"},
    {"index_put(qu8[3,3], [i64[3]], f32[3,3], True)", "!ValueError"},
    {"index_put(f32[2,3], [i64[4]], f64[3])", "!DtypeMismatch"},
    {"index_put(f32[2,3], [i64[4]], f32[3]@cuda:0)", "!DeviceMismatch"},
    {"index_put_(f32[2,3]{0,1}, [i64[2]], f32[3])", "arg(0); writes 0"},
    {"index_put_(f32[2,3], [i64[2], i64[3]], f32[3])", "!ShapeMismatch"},
    {"_unsafe_index_put(f32[2,3]{1,2}, [None, i64[2]], f32[2])", "f32[2,3]{1,2}"},
    {"_unsafe_index_put(f32[2,3], [b8[2]], i64[1])", "f32[2,3]"},
    {"_unsafe_index_put(f32[2,3], [u8[2]], f32[1])", "!DtypeMismatch"},
    {"_unsafe_index_put(f32[2,3], [u8[2]], f32[1], True)", "f32[2,3]"},
    {"_unsafe_index_put(f32[2,3], [b8[2]], i64[1], True)", "!DtypeMismatch"},
    {"index_put_(f32[2,2], [b8[2], b8[2]], i64[1])", "!DtypeMismatch"},
    {"_unsafe_masked_index(f32[5,4]{1,5}, b8[2], [i64[2], i64[2]], 0.0)", "f32[2]"},
    {"_unsafe_masked_index_put_accumulate(f32[5,4]{1,5}, b8[2], [i64[2], i64[2]], f32[2])", "f32[5,4]{1,5}"},
    {"_unsafe_masked_index_put_accumulate(f32[3,5], b8[3], [i64[3], None], f32[1])", "!ShapeMismatch"},
};

constexpr CallCase kScript[] = {
    {"index.Tensor_hacked_twin(f32[2,3]{1,2}, [i64[4]])", "f32[4,3]"},
    {"_unsafe_index.Tensor_hacked_twin(f32[2,3], [i64[4],i64[4]])", "f32[4]"},
    {"index_put.hacked_twin(f32[2,3]{1,2}, [i64[4]], f32[3])", "f32[2,3]{1,2}"},
    {"index_put_.hacked_twin(f32[2,3], [i64[4]], f32[])", "arg(0); writes 0"},
    {"_unsafe_index_put.hacked_twin(f32[2,3], [i64[4]], f32[3])", "f32[2,3]"},
    {"_unsafe_index.Tensor_hacked_twin(f32[2,3]{1,2}, [i64[4]])", "f32[4,3]"},
    {"_unsafe_index.Tensor_hacked_twin(f32[3], [i64[2],i64[2]])", "!IndexOutOfRange"},
    {"_unsafe_index_put.hacked_twin(f32[2,3]{1,2}, [i64[4],i64[4]], f32[])", "f32[2,3]{1,2}"},
    {"index.Tensor_hacked_twin(f32[3], [i64[2],i64[2]])", "!IndexOutOfRange"},
    {"_unsafe_index_put.hacked_twin(f32[2,3], [i64[4]], f32[5])", "!ShapeMismatch"},
    {"index_put.hacked_twin(f32[2,3], [i64[4]], f32[5])", "!ShapeMismatch"},
};

TEST(Index, Indexing) { CheckCalls(kIndexing); }
TEST(Index, Script) { CheckCalls(kScript); }

}  // namespace
}  // namespace fakeprop::testing
