#include "lib/rules/testing/family_test.h"

namespace fakeprop::testing {
namespace {

constexpr CallCase kPacking[] = {
    {"_pack_padded_sequence(f32[5,3,4], i64[3], False)", "!DynamicOutputShape"},
    {"_pack_padded_sequence(f32[5,3,4], i64[2], False)", "!ShapeMismatch"},                // as eager
    {"_pack_padded_sequence_backward(f32[9,4], [5, 3, 4], i64[5], False)", "f32[5,3,4]"},  // as eager
    {"_pad_packed_sequence(f32[9,4], i64[5], False, 0.0, 5)", "!DynamicOutputShape"},
    {"_pack_padded_sequence_backward(f32[9,4], [3, 5, 4], i64[5], True)", "f32[3,5,4]{4,12,1}"},  // as eager
    {"_pack_padded_sequence_backward(f32[9,4], [3], i64[5], True)", "!ShapeMismatch"},
    {"_pack_padded_sequence(f32[5,3,4]{1,5,15}, i64[3], False)", "!DynamicOutputShape"},
    {"_pack_padded_sequence(f32[5,3], i64[3], False)", "!DynamicOutputShape"},
    {"_pack_padded_sequence_backward(f32[9,4]{1,9}, [5, 3, 4], i64[5], False)", "f32[5,3,4]"},  // as eager
    {"_pack_padded_sequence_backward(f32[9], [5, 3], i64[5], False)", "f32[5,3]"},              // as eager
    {"_pad_packed_sequence(f32[9,4]{1,9}, i64[5], False, 0.0, 5)", "!DynamicOutputShape"},
    {"_pad_packed_sequence(f32[9], i64[5], False, 0.0, 5)", "!DynamicOutputShape"},
};

TEST(Packing, Calls) { CheckCalls(kPacking); }

}  // namespace
}  // namespace fakeprop::testing
