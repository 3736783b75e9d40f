#include "lib/rules/testing/family_test.h"

namespace fakeprop::testing {
namespace {

// Answers of eager PyTorch 2.15. More of them are in lib/rules/expected_calls/quantized_embedding.calls.
constexpr CallCase kEmbeddings[] = {
    {"quantized::embedding_byte([qu8[10,16]], i64[3])", "f32[3,16]"},
    {"quantized::embedding_byte([qu8[10,16]], i64[2,3])", "f32[2,3,16]"},
    {"quantized::embedding_byte([qu8[10,16]], i32[2,3]{1,2})", "!ShapeMismatch"},
    {"quantized::embedding_byte([qu8[10,16]], f32[2,3])", "!DtypeMismatch"},
    {"quantized::embedding_bag_byte([qu8[10,16]], i64[5], i64[3])", "f32[3,16]"},
    {"quantized::embedding_bag_byte([qu8[10,16]], i64[5], i64[3], include_last_offset=True)", "f32[2,16]"},
    {"quantized::embedding_bag_byte([qu8[10,16]], i64[2,5])", "f32[2,16]"},
    {"quantized::embedding_bag_byte([qu8[10,16]], i64[2,5], i64[3])", "!ValueError"},
    {"quantized::embedding_bag_byte([qu8[10,16]], i64[5])", "!ValueError"},
    {"quantized::embedding_byte([qu8[10,16]], i32[2,3])", "f32[2,3,16]"},
    {"quantized::embedding_byte([qu8[10,16]], i64[])", "!ShapeMismatch"},
    {"quantized::embedding_byte([qu8[10,16]], i64[2,3,4])", "!ShapeMismatch"},
    {"quantized::embedding_bag_byte([qu8[10,16]], i64[2,3,4], i64[3])", "!ShapeMismatch"},
    {"quantized::embedding_bag_byte([qu8[10,16]], i64[5], i32[3])", "f32[3,16]"},
};

TEST(QuantizedEmbedding, Embeddings) { CheckCalls(kEmbeddings); }

}  // namespace
}  // namespace fakeprop::testing
