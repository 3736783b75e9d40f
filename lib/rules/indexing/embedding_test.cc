#include "lib/rules/testing/family_test.h"

namespace fakeprop::testing {
namespace {

constexpr CallCase kLookup[] = {
    {"embedding(f32[5,4]{1,5}, i64[2,3]{1,2})", "f32[2,3,4]"},
    {"embedding(f16[5,4], i32[])", "f16[4]"},
    {"embedding(f32[5], i64[2])", "!ShapeMismatch"},
    {"embedding(f32[5,4], f32[2])", "!DtypeMismatch"},
    {"embedding(f32[5,4]@cuda:0, i64[2])", "!DeviceMismatch"},
    {"embedding_dense_backward(f32[2,3,4]{1,2,6}, i64[2,3], 5, -1, False)", "f32[5,4]"},
    {"embedding_dense_backward(f32[4], f32[1], 5, -1, False)", "!DtypeMismatch"},
    {"embedding_backward(f32[2,4], i64[2], 5, -1, False, False)", "f32[5,4]"},
    {"embedding_renorm_(f32[5,4]{1,5}, i64[2], 1.0, 2.0)", "arg(0); writes 0"},
    {"embedding_renorm_(f32[10,5]{0,1}, i64[4], 1.0, 2.0)", "arg(0); writes 0"},
    {"embedding_renorm(b8[10,4], i64[0], 1.0, 2.0)", "b8[10,4]"},
    {"embedding_renorm(b8[10,4], i64[1], 1.0, 2.0)", "!DtypeMismatch"},
};

constexpr CallCase kBags[] = {
    {"embedding_bag(f32[5,4], i64[6], i64[3])", "f32[3,4], i64[0], i64[3], i64[3]"},
    {"embedding_bag(f32[5,4]{1,5}, i64[6], i64[3])", "f32[3,4], i64[6], i64[3], i64[3]"},
    {"embedding_bag(f32[5,4], i64[6], i64[3], False, 2, False, None, True)", "f32[2,4], i64[6], i64[3], i64[2,4]"},
    {"embedding_bag.padding_idx(f32[5,4], i64[6], i64[3], False, 0, False, f32[6], False, 1)",
        "f32[3,4], i64[6], i64[3], i64[3]"},
    {"embedding_bag(f32[5,4], f32[6], i64[3])", "!DtypeMismatch"},
    {"_embedding_bag(f32[5,4], i64[6], i64[3], include_last_offset=True)", "f32[2,4], i64[0], i64[2], i64[2]"},
    {"_embedding_bag(f64[5,4]{1,5}, i64[6], i32[3], mode=1)", "f64[3,4], i32[6], i32[3], i32[3]"},
    {"_embedding_bag(f32[5,4], i64[6], i64[3], mode=1, per_sample_weights=f32[6])", "!ValueError"},
    {"_embedding_bag_forward_only(f32[5,4], i64[6], i64[3], include_last_offset=True)",
        "f32[2,4], i64[0], i64[3], i64[2]"},
    {"_embedding_bag_forward_only(f32[5,4]@cuda:0, i64[6]@cuda:0, i64[3]@cuda:0, mode=2)",
        "f32[3,4]@cuda:0, i64[6]@cuda:0, i64[3]@cuda:0, i64[3,4]@cuda:0"},
    {"_embedding_bag_dense_backward(f32[3,4]{1,3}, i64[6], i64[6], i64[3], i64[3], 5, False, 0, None)", "f32[5,4]"},
    {"_embedding_bag_dense_backward(f32[3,4], i64[6], i64[6], i64[3], i64[3], 5, False, 3, None)", "!ValueError"},
    {"_embedding_bag_per_sample_weights_backward(f32[3,4], f32[5,4]{1,5}, i64[6], i64[3], i64[6], 0)", "f32[6]"},
    {"_embedding_bag_per_sample_weights_backward(f32[3,4], f32[5,4], i64[6], i64[3], i64[6], 1)", "!ValueError"},
};

// Gradients of sparse embeddings.
constexpr CallCase kSparse[] = {
    {"embedding_sparse_backward(f32[2,4,8]{32,1,4}, i64[2,4], 50, -1, False)", "f32[50,8]:coo(i64[1,8], f32[8,8])"},
    {"embedding_sparse_backward(f32[4,8], i64[4], 50, -1, False)", "f32[50,8]:coo(i64[1,4], f32[4,8])"},
    {"embedding_sparse_backward(f32[4,8], i64[4], 50, 3, False)", "!DynamicOutputShape"},
    {"embedding_sparse_backward(f32[4,8], i64[4], 50, -1, True)", "!ValueError"},
    {"embedding_sparse_backward(f32[4,8], i64[3], 50, -1, False)", "!ShapeMismatch"},
    {"embedding_sparse_backward(f32[4,8], f32[4], 50, -1, False)", "!DtypeMismatch"},
    {"embedding_backward(f32[4,8], i64[4], 50, -1, False, True)", "f32[50,8]:coo(i64[1,4], f32[4,8])"},
    {"_embedding_bag_sparse_backward(f32[2,8]{1,2}, i64[4], i64[2], i64[4], i64[2], 50, False, 0, None)",
        "f32[50,8]:coo(i64[1,4], f32[4,8])"},
    {"_embedding_bag_sparse_backward(f32[2,8], i64[4], i64[2], i64[0], i64[2], 50, False, 0, None)",
        "f32[50,8]:coo(i64[1,0], f32[0,8])"},
    {"_embedding_bag_backward(f32[2,8], i64[4], i64[2], i64[0], i64[2], i64[2], 50, False, 0, True, None)",
        "f32[50,8]:coo(i64[1,4], f32[4,8])"},
    {"_embedding_bag_backward(f32[2,8], i64[4], i64[2], i64[3], i64[2], i64[2], 50, False, 0, True, None)",
        "!ShapeMismatch"},
    {"_embedding_bag_sparse_backward(f32[2,8], i64[4], i64[2], i64[4], i64[2], 50, False, 1, None)",
        "f32[50,8]:coo(i64[1,4], f32[4,8])"},
    {"_embedding_bag_sparse_backward(f32[2,8], i64[4], i64[2], i64[4], i64[2], 50, False, 2, None)",
        "f32[50,8]:coo(i64[1,4], f32[4,8])"},
    {"_embedding_bag_sparse_backward(f32[2,8], i64[4], i64[2], i64[4], i64[2], 50, False, 0, None, 3)",
        "!DynamicOutputShape"},
    {"_embedding_bag_sparse_backward(f32[2,8], i64[4], i64[2], i64[4], i64[2], 50, False, 0, f32[4])",
        "f32[50,8]:coo(i64[1,4], f32[4,8])"},
    {"_embedding_bag_sparse_backward(f32[2,8], i64[4], i64[2], i64[4], i64[2], 50, False, 1, f32[4])", "!ValueError"},
    {"_embedding_bag_sparse_backward(f32[2,8], i64[4], i64[2], i64[4], i64[2], 50, True, 0, None)", "!ValueError"},
};

TEST(Embedding, Lookup) { CheckCalls(kLookup); }
TEST(Embedding, Bags) { CheckCalls(kBags); }
TEST(Embedding, Sparse) { CheckCalls(kSparse); }

}  // namespace
}  // namespace fakeprop::testing
