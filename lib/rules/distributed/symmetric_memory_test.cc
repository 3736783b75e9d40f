#include "lib/rules/support/group_sizes.h"
#include "lib/rules/testing/family_test.h"

namespace fakeprop::testing {
namespace {

// As FakeTensorMode, torch 2.13: the kernels are for cuda.
constexpr CallCase kSameSizes[] = {
    {"symm_mem::one_shot_all_reduce(f32[4,6]{1,4}, \"sum\", \"0\")", "f32[4,6]{1,4}"},
    {"symm_mem::one_shot_all_reduce(f32[4], \"sum\", \"0\")", "f32[4]"},
    {"symm_mem::one_shot_all_reduce_copy(f32[9], f32[4,6]{1,4}, \"sum\", \"0\")", "f32[4,6]{1,4}"},
    {"symm_mem::one_shot_all_reduce_copy(f32[9], f32[4], \"sum\", \"0\")", "f32[4]"},
    {"symm_mem::one_shot_all_reduce_copy(f32[9], f32[4]@cuda:0, \"sum\", \"0\")", "!DeviceMismatch"},
    {"symm_mem::multimem_one_shot_all_reduce(f32[4,6]{1,4}, \"sum\", \"0\")", "f32[4,6]{1,4}"},
    {"symm_mem::multimem_one_shot_all_reduce(f32[4], \"sum\", \"0\")", "f32[4]"},
    {"symm_mem::multimem_all_reduce_(f32[4,6]{1,4}, \"sum\", \"0\")", "arg(0); writes 0"},
    {"symm_mem::multimem_all_reduce_(f32[4], \"sum\", \"0\")", "arg(0); writes 0"},
    {"symm_mem::two_shot_all_reduce_(f32[4,6]{1,4}, \"sum\", \"0\")", "arg(0); writes 0"},
    {"symm_mem::two_shot_all_reduce_(f32[4], \"sum\", \"0\")", "arg(0); writes 0"},
    {"symm_mem::all_to_all_vdev_2d(f32[4,6]{1,4}, f32[8,6], i64[4], i64[2,4], \"0\")", "; writes 1; writes 3"},
    {"symm_mem::all_to_all_vdev_2d(f32[4], f32[8], i64[4], i64[2,4], \"0\")", "; writes 1; writes 3"},
    {"symm_mem::all_to_all_vdev_2d_offset(f32[4,6]{1,4}, f32[8,6], i64[2,4], i64[2,4], \"0\")", "; writes 1; writes 3"},
    {"symm_mem::all_to_all_vdev_2d_offset(f32[4], f32[8], i64[2,4], i64[2,4], \"0\")", "; writes 1; writes 3"},
};

constexpr CallCase kUnknownGroup[] = {
    {"symm_mem::fused_all_gather_matmul(f32[2,4,6]{24,1,4}, [f32[6,3]], 1, \"0\")", "!DynamicOutputShape"},
    {"symm_mem::fused_all_gather_matmul(f32[6], [f32[6,3]], 0, \"0\")", "!ShapeMismatch"},
    {"symm_mem::fused_all_gather_matmul(f32[4,6], [f32[6,3]], 0, \"0\")", "!DynamicOutputShape"},
    {"symm_mem::fused_all_gather_scaled_matmul(f32[2,4,6]{24,1,4}, [f32[6,3]], f32[], [f32[]], 1, \"0\", [None], "
     "[None], [None], [False])",
        "!DynamicOutputShape"},
    {"symm_mem::fused_all_gather_scaled_matmul(f32[4,6], [f32[6,3]], f32[], [f32[]], 0, \"0\", [None], [None], "
     "[None], [False])",
        "!DynamicOutputShape"},
    {"symm_mem::fused_all_gather_scaled_matmul(f32[4,6], [f32[6,3]], f32[], [f32[]], 1, \"0\", [None], [None], "
     "[None], [False])",
        "!ValueError"},
    {"symm_mem::fused_matmul_reduce_scatter(f32[4,6]{1,4}, f32[6,8], \"sum\", 0, \"0\")", "!DynamicOutputShape"},
    {"symm_mem::fused_matmul_reduce_scatter(f32[2,4,6], f32[6,8], \"sum\", 0, \"0\")", "!DynamicOutputShape"},
    {"symm_mem::fused_matmul_reduce_scatter(f32[4,6], f32[5,8], \"sum\", 0, \"0\")", "!ShapeMismatch"},
    {"symm_mem::fused_scaled_matmul_reduce_scatter(f32[4,6]{1,4}, f32[6,8], f32[], f32[], \"sum\", 0, 0, \"0\", [4,8])",
        "!DynamicOutputShape"},
    {"symm_mem::fused_scaled_matmul_reduce_scatter(f32[2,4,6], f32[6,8], f32[], f32[], \"sum\", 0, 0, \"0\", [2,4,8])",
        "!DynamicOutputShape"},
    {"symm_mem::fused_scaled_matmul_reduce_scatter(f32[4,6], f32[5,8], f32[], f32[], \"sum\", 0, 0, \"0\", [4,8])",
        "!ShapeMismatch"},
    {"symm_mem::_low_contention_all_gather(f32[4,6]{1,4}, \"0\")", "!DynamicOutputShape"},
    {"symm_mem::_low_contention_all_gather(f32[4], \"0\")", "!DynamicOutputShape"},
    {"symm_mem::_low_contention_all_gather(f32[], \"0\")", "!ShapeMismatch"},
    {"symm_mem::_low_contention_all_gather_ce_multicast(f32[4,6]{1,4}, \"0\")", "!DynamicOutputShape"},
    {"symm_mem::_low_contention_all_gather_ce_multicast(f32[4], \"0\")", "!DynamicOutputShape"},
    {"symm_mem::_low_contention_all_gather_ce_multicast_out(f32[4,6]{1,4}, \"0\", f32[8,6])", "!DynamicOutputShape"},
    {"symm_mem::_low_contention_all_gather_ce_multicast_out(f32[4], \"0\", f32[8])", "!DynamicOutputShape"},
    {"symm_mem::_low_contention_reduce_scatter(f32[4,6]{1,4}, \"sum\", \"0\")", "!DynamicOutputShape"},
    {"symm_mem::_low_contention_reduce_scatter(f32[4], \"sum\", \"0\")", "!DynamicOutputShape"},
    {"symm_mem::_low_contention_reduce_scatter(f32[], \"sum\", \"0\")", "!ShapeMismatch"},
    {"symm_mem::get_remote_tensors(f32[4,6]{1,4}, \"0\")", "!DynamicOutputShape"},
    {"symm_mem::get_remote_tensors(f32[4], \"0\")", "!DynamicOutputShape"},
};

constexpr CallCase kGroupOfTwo[] = {
    {"symm_mem::fused_all_gather_matmul(f32[4,6], [f32[6,3], f32[6,5]], 0, \"0\")", "f32[8,6], [f32[8,3], f32[8,5]]"},
    {"symm_mem::fused_all_gather_matmul(f32[2,4,6], [f32[6,3]], 1, \"0\")", "f32[2,8,6]{6,12,1}, [f32[2,8,3]{3,6,1}]"},
    {"symm_mem::fused_all_gather_matmul(f32[2,4,6], [f32[6,3]], 1, \"0\", return_A=False)",
        "None, [f32[2,8,3]{3,6,1}]"},
    {"symm_mem::fused_all_gather_matmul(f32[4,3], [f32[6,3]], 1, \"0\")", "f32[4,6], [f32[4,3]]"},
    {"symm_mem::fused_matmul_reduce_scatter(f32[4,6], f32[6,8], \"sum\", 0, \"0\")", "f32[2,8]"},
    {"symm_mem::fused_matmul_reduce_scatter(f32[4,6], f32[6,8], \"sum\", 1, \"0\")", "f32[4,4]"},
    {"symm_mem::fused_matmul_reduce_scatter(f32[5,6], f32[6,8], \"sum\", 0, \"0\")", "!ShapeMismatch"},
    {"symm_mem::_low_contention_all_gather(f32[4,6], \"0\")", "f32[8,6]"},
    {"symm_mem::_low_contention_all_gather_ce_multicast(f32[], \"0\")", "f32[2]"},
    {"symm_mem::_low_contention_all_gather_ce_multicast(f32[4,6], \"0\")", "f32[8,6]"},
    {"symm_mem::_low_contention_all_gather_ce_multicast_out(f32[4,6], \"0\", f32[8,6])", "arg(1); writes 1"},
    {"symm_mem::_low_contention_all_gather_ce_multicast_out(f32[4,6], \"0\", f32[4,6])", "!ShapeMismatch"},
    {"symm_mem::_low_contention_reduce_scatter(f32[4,6]{1,4}, \"sum\", \"0\")", "f32[2,6]"},
    {"symm_mem::get_remote_tensors(f32[4,6], \"0\")", "[f32[4,6], f32[4,6]]"},
};

TEST(SymmetricMemory, SameSizes) { CheckCalls(kSameSizes); }
TEST(SymmetricMemory, UnknownGroup) { CheckCalls(kUnknownGroup); }

TEST(SymmetricMemory, KnownGroup) {
  const rules::KnownGroups groups([](const Value&) { return 2; });
  for (const CallCase& c : kGroupOfTwo) EXPECT_EQ(RunCall(c.call), c.effects) << c.call;
}

}  // namespace
}  // namespace fakeprop::testing
