#include "lib/rules/support/group_sizes.h"
#include "lib/rules/testing/family_test.h"

namespace fakeprop::testing {
namespace {

// On real tensors of a fake process group of two ranks, torch 2.13; `!` of a rank and of what gloo and NCCL refuse by
// reading their sources.
constexpr CallCase kReductions[] = {
    {"_c10d_functional::all_reduce(f32[4,6], \"sum\", \"0\")", "f32[4,6]"},
    {"_c10d_functional::all_reduce(f32[6,4]{1,6}, \"avg\", \"0\")", "f32[6,4]"},
    {"_c10d_functional::all_reduce(f32[2,3,4,4]{48,1,12,3}, \"max\", \"0\")", "f32[2,3,4,4]"},
    {"_c10d_functional::all_reduce(c64[4], \"sum\", \"0\")", "c64[4]"},
    {"_c10d_functional::all_reduce(c64[4], \"max\", \"0\")", "!ValueError"},
    {"_c10d_functional::all_reduce(f32[4], \"premul_sum\", \"0\")", "!ValueError"},
    {"_c10d_functional::all_reduce_(f32[6,4]{1,6}, \"sum\", \"0\")", "arg(0); writes 0"},
    {"_c10d_functional::all_reduce_(f32[], \"SUM\", \"0\")", "!ValueError"},
    {"_c10d_functional::all_reduce_(f32[4], \"sum\", \"0\")", "arg(0); writes 0"},
    {"_c10d_functional::all_reduce_coalesced([f32[4,6], f32[2,3]{1,2}], \"sum\", \"0\")", "[f32[4,6], f32[2,3]]"},
    {"_c10d_functional::all_reduce_coalesced([f32[]], \"sum\", \"0\")", "[f32[]]"},
    {"_c10d_functional::all_reduce_coalesced([], \"sum\", \"0\")", "!ValueError"},
    {"_c10d_functional::all_reduce_coalesced_([f32[4], f32[2,3]{1,2}], \"sum\", \"0\")",
        "[arg(0), arg(1)]; writes 0; writes 1"},
    {"_c10d_functional::all_reduce_coalesced_([f32[2]], \"none\", \"0\")", "!ValueError"},
    {"_c10d_functional::all_reduce_coalesced_([f32[2]], \"sum\", \"0\")", "[arg(0)]; writes 0"},
    {"_c10d_functional::reduce_scatter_tensor(f32[4,6], \"sum\", 2, \"0\")", "f32[2,6]"},
    {"_c10d_functional::reduce_scatter_tensor(f32[6,4]{1,6}, \"max\", 2, \"0\")", "f32[3,4]"},
    {"_c10d_functional::reduce_scatter_tensor(f32[2], \"sum\", 2, \"0\")", "f32[1]"},
    {"_c10d_functional::reduce_scatter_tensor(f32[5,6], \"sum\", 2, \"0\")", "!ShapeMismatch"},
    {"_c10d_functional::reduce_scatter_tensor(f32[], \"sum\", 2, \"0\")", "!ShapeMismatch"},
    {"_c10d_functional::reduce_scatter_tensor(f32[4], \"sum\", 0, \"0\")", "!ValueError"},
    {"_c10d_functional::reduce_scatter_tensor_out(f32[4,6]{1,4}, \"sum\", 2, \"0\", out=f32[2,6]{1,2})",
        "arg(1); writes 1"},
    {"_c10d_functional::reduce_scatter_tensor_out(f32[4], \"sum\", 2, \"0\", out=f32[2])", "arg(1); writes 1"},
    {"_c10d_functional::reduce_scatter_tensor_out(f32[4,6], \"sum\", 2, \"0\", out=f32[3,6])", "!ShapeMismatch"},
    {"_c10d_functional::reduce_scatter_tensor_coalesced([f32[4,6]{1,4}, f32[2]], \"sum\", 2, \"0\")",
        "[f32[2,6], f32[1]]"},
    {"_c10d_functional::reduce_scatter_tensor_coalesced([f32[4]], \"sum\", 2, \"0\")", "[f32[2]]"},
    {"_c10d_functional::reduce_scatter_tensor_coalesced([f32[3]], \"sum\", 2, \"0\")", "!ShapeMismatch"},
    {"_c10d_functional_autograd::reduce_scatter_tensor(f32[6,4]{1,6}, \"sum\", 2, \"0\")", "f32[3,4]"},
    {"_c10d_functional_autograd::reduce_scatter_tensor(f32[4], \"sum\", 2, \"0\")", "f32[2]"},
    {"_c10d_functional_autograd::reduce_scatter_tensor(f32[5], \"sum\", 2, \"0\")", "!ShapeMismatch"},
};

constexpr CallCase kExchanges[] = {
    {"_c10d_functional::all_gather_into_tensor(f32[4,6], 2, \"0\")", "f32[8,6]"},
    {"_c10d_functional::all_gather_into_tensor(f32[6,4]{1,6}, 2, \"0\")", "f32[12,4]"},
    {"_c10d_functional::all_gather_into_tensor(f32[], 2, \"0\")", "f32[2]"},
    {"_c10d_functional::all_gather_into_tensor(c64[4], 2, \"0\")", "c64[8]"},
    {"_c10d_functional::all_gather_into_tensor(f32[4], -1, \"0\")", "!ValueError"},
    {"_c10d_functional::all_gather_into_tensor_out(f32[6,4]{1,6}, 2, \"0\", out=f32[12,4])", "arg(1); writes 1"},
    {"_c10d_functional::all_gather_into_tensor_out(f32[4], 2, \"0\", out=f32[8])", "arg(1); writes 1"},
    {"_c10d_functional::all_gather_into_tensor_out(f32[4,6], 2, \"0\", out=f32[3,6])", "!ShapeMismatch"},
    {"_c10d_functional::all_gather_into_tensor_coalesced([f32[4,6]{1,4}, f32[3]], 2, \"0\")", "[f32[8,6], f32[6]]"},
    {"_c10d_functional::all_gather_into_tensor_coalesced([f32[]], 2, \"0\")", "[f32[2]]"},
    {"_c10d_functional::all_gather_into_tensor_coalesced([], 2, \"0\")", "!ValueError"},
    {"_c10d_functional::all_to_all_single(f32[4,6]{1,4}, [3,4], [2,2], \"0\")", "f32[7,6]"},
    {"_c10d_functional::all_to_all_single(f32[4], [0,4], [2,2], \"0\")", "f32[4]"},
    // As the Meta kernel, which does not add up the input's split sizes.
    {"_c10d_functional::all_to_all_single(f32[4,6], [3,4], [2,1], \"0\")", "f32[7,6]"},
    {"_c10d_functional::all_to_all_single(f32[4,6], [5,-4], [2,2], \"0\")", "!ValueError"},
    {"_c10d_functional::all_to_all_single(f32[4,6], [], [], \"0\")", "f32[0,6]"},
    {"_c10d_functional::broadcast(f32[6,4]{1,6}, 0, \"0\")", "f32[6,4]"},
    {"_c10d_functional::broadcast(f32[], 0, \"0\")", "f32[]"},
    {"_c10d_functional::broadcast_(f32[6,4]{1,6}, 0, \"0\")", "arg(0); writes 0"},
    {"_c10d_functional::broadcast_(f32[4], 0, \"0\")", "arg(0); writes 0"},
    {"_c10d_functional_autograd::all_gather_into_tensor(f32[6,4]{1,6}, 2, \"0\")", "f32[12,4]"},
    {"_c10d_functional_autograd::all_gather_into_tensor(f32[4], 2, \"0\")", "f32[8]"},
    {"_c10d_functional_autograd::all_gather_into_tensor(f32[4], 0, \"0\")", "!ValueError"},
    {"_c10d_functional_autograd::all_to_all_single(f32[4,6]{1,4}, [3,4], [2,2], \"0\")", "f32[7,6]"},
    {"_c10d_functional_autograd::all_to_all_single(f32[4], [3,4], [2,2], \"0\")", "f32[7]"},
    {"_c10d_functional_autograd::all_to_all_single(f32[], [1,1], [1,1], \"0\")", "!ShapeMismatch"},
};

constexpr CallCase kMessages[] = {
    {"_c10d_functional::wait_tensor(f32[4,6]{1,4}+3)", "arg(0)"},
    {"_c10d_functional::wait_tensor(f32[])", "arg(0)"},
    {"_c10d_functional::wait_tensors([f32[4,6]{1,4}+3, i64[3]@cuda:0])", "[arg(0), arg(1)]"},
    {"_c10d_functional::wait_tensors([f32[]])", "[arg(0)]"},
    {"_c10d_functional::wait_tensors([])", "!ValueError"},
    {"_c10d_functional::_wrap_tensor_autograd(f32[4,6]{1,4})", "f32[4,6]{1,4}"},
    {"_c10d_functional::_wrap_tensor_autograd(f32[2])", "f32[2]"},
    {"_c10d_functional::isend(f32[4,6]{1,4}, 1, 0, \"0\")", "f32[0]"},
    {"_c10d_functional::isend(i64[4], 1, 0, \"0\")", "i64[0]"},
    {"_c10d_functional::irecv(f32[4,6]{1,4}, 1, 0, \"0\")", "arg(0); writes 0"},
    {"_c10d_functional::irecv(f32[4], 1, 0, \"0\")", "arg(0); writes 0"},
    {"_c10d_functional::batch_p2p_ops([\"irecv\", \"isend\"], [1,1], [0,0], [f32[6,4]{1,6}, f32[3]], \"0\")",
        "[arg(0), f32[0]]; writes 0"},
    {"_c10d_functional::batch_p2p_ops([\"isend\"], [1], [0], [f32[3]], \"0\")", "[f32[0]]"},
    {"_c10d_functional::batch_p2p_ops([\"isend\"], [1], [0], [f32[3], f32[3]], \"0\")", "!ValueError"},
    {"_c10d_functional::batch_p2p_ops([\"send\"], [1], [0], [f32[3]], \"0\")", "!ValueError"},
};

// Torch 2.0 to 2.2 named the ranks.
constexpr CallCase kRanksByNumber[] = {
    {"c10d_functional::all_reduce(f32[6,4]{1,6}, \"sum\", \"\", [0,1], 2)", "f32[6,4]"},
    {"c10d_functional::all_reduce(f32[4], \"sum\", \"\", [0,1], 2)", "f32[4]"},
    {"c10d_functional::all_reduce(f32[4], \"SUM\", \"\", [0,1], 2)", "!ValueError"},
    {"c10d_functional::all_reduce_coalesced([f32[6,4]{1,6}], \"sum\", \"\", [0,1], 2)", "[f32[6,4]]"},
    {"c10d_functional::all_reduce_coalesced([f32[4]], \"sum\", \"\", [0,1], 2)", "[f32[4]]"},
    {"c10d_functional::all_reduce_coalesced([], \"sum\", \"\", [0,1], 2)", "!ValueError"},
    {"c10d_functional::all_gather_into_tensor(f32[6,4]{1,6}, \"\", [0,1], 2)", "f32[12,4]"},
    {"c10d_functional::all_gather_into_tensor(f32[4], \"\", [0,1], 2)", "f32[8]"},
    {"c10d_functional::all_gather_into_tensor(f32[4], \"\", [], 0)", "!ValueError"},
    {"c10d_functional::all_gather_into_tensor_coalesced([f32[6,4]{1,6}], \"\", [0,1], 2)", "[f32[12,4]]"},
    {"c10d_functional::all_gather_into_tensor_coalesced([f32[4]], \"\", [0,1], 2)", "[f32[8]]"},
    {"c10d_functional::all_gather_into_tensor_coalesced([], \"\", [0,1], 2)", "!ValueError"},
    {"c10d_functional::reduce_scatter_tensor(f32[6,4]{1,6}, \"sum\", \"\", [0,1], 2)", "f32[3,4]"},
    {"c10d_functional::reduce_scatter_tensor(f32[4], \"sum\", \"\", [0,1], 2)", "f32[2]"},
    {"c10d_functional::reduce_scatter_tensor(f32[3], \"sum\", \"\", [0,1], 2)", "!ShapeMismatch"},
    {"c10d_functional::reduce_scatter_tensor_coalesced([f32[6,4]{1,6}], \"sum\", \"\", [0,1], 2)", "[f32[3,4]]"},
    {"c10d_functional::reduce_scatter_tensor_coalesced([f32[4]], \"sum\", \"\", [0,1], 2)", "[f32[2]]"},
    {"c10d_functional::reduce_scatter_tensor_coalesced([f32[3]], \"sum\", \"\", [0,1], 2)", "!ShapeMismatch"},
    {"c10d_functional::all_to_all_single(f32[6,4]{1,6}, None, None, \"\", [0,1], 2)", "f32[6,4]"},
    {"c10d_functional::all_to_all_single(f32[4], [1,2], [2,2], \"\", [0,1], 2)", "f32[3]"},
    {"c10d_functional::all_to_all_single(f32[4], [1,2], [2,3], \"\", [0,1], 2)", "f32[3]"},
    {"c10d_functional::all_to_all_single(f32[4], [-1,2], [2,2], \"\", [0,1], 2)", "!ValueError"},
    {"c10d_functional::broadcast(f32[6,4]{1,6}, 0, \"\", [0,1], 2)", "f32[6,4]"},
    {"c10d_functional::broadcast(f32[4], 0, \"\", [0,1], 2)", "f32[4]"},
    {"c10d_functional::isend(f32[6,4]{1,6}, 1, 0, \"0\")", "f32[0]"},
    {"c10d_functional::isend(f32[4], 1, 0, \"0\")", "f32[0]"},
    {"c10d_functional::irecv(f32[6,4]{1,6}, 1, 0, \"0\")", "arg(0); writes 0"},
    {"c10d_functional::irecv(f32[4], 1, 0, \"0\")", "arg(0); writes 0"},
    {"c10d_functional::batch_p2p_ops([\"irecv\"], [1], [0], [f32[6,4]{1,6}], \"0\")", "[arg(0)]; writes 0"},
    {"c10d_functional::batch_p2p_ops([\"isend\"], [1], [0], [f32[3]], \"0\")", "[f32[0]]"},
    {"c10d_functional::batch_p2p_ops([], [], [], [f32[3]], \"0\")", "!ValueError"},
    {"c10d_functional::wait_tensor(f32[4,6]{1,4})", "arg(0)"},
    {"c10d_functional::wait_tensor(f32[4])", "arg(0)"},
};

// Nothing says how many ranks the group has.
constexpr CallCase kUnknownGroup[] = {
    {"_dtensor::shard_dim_alltoall(f32[4,6]{1,4}, 0, 1, \"0\")", "!DynamicOutputShape"},
    {"_dtensor::shard_dim_alltoall(f32[4], 0, 0, \"0\")", "!DynamicOutputShape"},
    {"_dtensor::shard_dim_alltoall(f32[4,6], 0, 2, \"0\")", "!IndexOutOfRange"},
    {"_dtensor::mesh_get_process_group(None, 0)", "object 0"},
};

constexpr CallCase kGroupOfTwo[] = {
    {"_dtensor::shard_dim_alltoall(f32[4,6], 0, 1, \"0\")", "f32[8,3]"},
    {"_dtensor::shard_dim_alltoall(f32[6,4]{1,6}, -2, -1, \"0\")", "f32[12,2]"},
    {"_dtensor::shard_dim_alltoall(f32[4,6,8], 1, 0, \"0\")", "f32[2,12,8]"},
    {"_dtensor::shard_dim_alltoall(f32[4,5], 0, 1, \"0\")", "!ShapeMismatch"},
};

TEST(Collective, Reductions) { CheckCalls(kReductions); }
TEST(Collective, Exchanges) { CheckCalls(kExchanges); }
TEST(Collective, Messages) { CheckCalls(kMessages); }
TEST(Collective, RanksByNumber) { CheckCalls(kRanksByNumber); }
TEST(Collective, UnknownGroup) { CheckCalls(kUnknownGroup); }

TEST(Collective, KnownGroup) {
  const rules::KnownGroups groups([](const Value&) { return 2; });
  for (const CallCase& c : kGroupOfTwo) EXPECT_EQ(RunCall(c.call), c.effects) << c.call;
}

}  // namespace
}  // namespace fakeprop::testing
