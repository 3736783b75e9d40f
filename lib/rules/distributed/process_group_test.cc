#include "lib/rules/testing/family_test.h"

namespace fakeprop::testing {
namespace {

constexpr CallCase kIntoOne[] = {
    {"c10d::_allgather_base_(f32[8,6], f32[4,6]{1,4}, None)", "arg(0), object Work; writes 0"},
    {"c10d::_allgather_base_(f32[8], f32[2,2], None)", "arg(0), object Work; writes 0"},
    {"c10d::_allgather_base_(f32[9], f32[4], None)", "!ShapeMismatch"},
    {"c10d::_allgather_base_(f64[8], f32[4], None)", "!DtypeMismatch"},
    {"c10d::_reduce_scatter_base_(f32[4,6], f32[8,6]{1,8}, None, None)", "arg(0), object Work; writes 0"},
    {"c10d::_reduce_scatter_base_(f32[4], f32[8], None, None)", "arg(0), object Work; writes 0"},
    {"c10d::_reduce_scatter_base_(f32[4], f32[9], None, None)", "!ShapeMismatch"},
    {"c10d::alltoall_base_(f32[8], f32[4,2]{1,4}, None, [], [])", "object Work; writes 0"},
    {"c10d::alltoall_base_(f32[8], f32[8], None, [], [])", "object Work; writes 0"},
};

constexpr CallCase kIntoLists[] = {
    {"c10d::allgather_([[f32[4], f32[4]]], [f32[4]{2}], None)", "[[arg(0), arg(1)]], object Work; writes 0; writes 1"},
    {"c10d::allgather_([[f32[4,2]]], [f32[4,2]], None)", "[[arg(0)]], object Work; writes 0"},
    {"c10d::allgather_([[f32[4]]], [f32[4]@cuda:0], None)", "!DeviceMismatch"},
    {"c10d::allgather_coalesced_([[f32[4]{2}]], [f32[4]], None)", "object Work; writes 0"},
    {"c10d::allgather_coalesced_([[f32[4,2]]], [f32[4,2]], None)", "object Work; writes 0"},
    {"c10d::allgather_into_tensor_coalesced_([f32[8]{2}], [f32[4]], None)", "object Work; writes 0"},
    {"c10d::allgather_into_tensor_coalesced_([f32[8,2]], [f32[4,2]], None)", "object Work; writes 0"},
    {"c10d::allreduce_([f32[4]{2}], None, None, None)", "[arg(0)], object Work; writes 0"},
    {"c10d::allreduce_([f32[4,2]], None, None, None)", "[arg(0)], object Work; writes 0"},
    {"c10d::allreduce_([f32[4], f32[4]@cuda:0], None, None, None)", "!DeviceMismatch"},
    {"c10d::allreduce_coalesced_([f32[4]{2}], None, None)", "object Work; writes 0"},
    {"c10d::allreduce_coalesced_([f32[4,2]], None, None)", "object Work; writes 0"},
    {"c10d::alltoall_([f32[4]{2}], [f32[4]], None)", "[arg(0)], object Work; writes 0"},
    {"c10d::alltoall_([f32[4,2]], [f32[4,2]], None)", "[arg(0)], object Work; writes 0"},
    {"c10d::alltoall_([f32[4]], [f32[4]@cuda:0], None)", "!DeviceMismatch"},
    {"c10d::broadcast_([f32[4]{2}], None, 0, 0)", "[arg(0)], object Work; writes 0"},
    {"c10d::broadcast_([f32[4,2]], None, 0, 0)", "[arg(0)], object Work; writes 0"},
    {"c10d::broadcast_([f32[4], f32[4]@cuda:0], None, 0, 0)", "!DeviceMismatch"},
    {"c10d::gather_([[f32[4]{2}]], [f32[4]], None, 0)", "object Work; writes 0"},
    {"c10d::gather_([[f32[4,2]]], [f32[4,2]], None, 0)", "object Work; writes 0"},
    {"c10d::reduce_([f32[4]{2}], None, None, 0, 0)", "object Work; writes 0"},
    {"c10d::reduce_([f32[4,2]], None, None, 0, 0)", "object Work; writes 0"},
    {"c10d::reduce_scatter_([f32[4]{2}], [[f32[4], f32[4]]], None, None)", "[arg(0)], object Work; writes 0"},
    {"c10d::reduce_scatter_([f32[4,2]], [[f32[4,2]]], None, None)", "[arg(0)], object Work; writes 0"},
    {"c10d::reduce_scatter_([f32[4]], [[f32[4]@cuda:0]], None, None)", "!DeviceMismatch"},
    {"c10d::reduce_scatter_tensor_coalesced_([f32[4]{2}], [f32[8]], None, None)", "object Work; writes 0"},
    {"c10d::reduce_scatter_tensor_coalesced_([f32[4,2]], [f32[8,2]], None, None)", "object Work; writes 0"},
    {"c10d::scatter_([f32[4]{2}], [[f32[4], f32[4]]], None, 0)", "[arg(0)], object Work; writes 0"},
    {"c10d::scatter_([f32[4,2]], [[f32[4,2]]], None, 0)", "[arg(0)], object Work; writes 0"},
    {"c10d::scatter_([f32[4]], [[f32[4]@cuda:0]], None, 0)", "!DeviceMismatch"},
};

constexpr CallCase kMessages[] = {
    {"c10d::recv_([f32[4]{2}], None, 1, 0)", "object Work; writes 0"},
    {"c10d::recv_([f32[4,2]], None, 1, 0)", "object Work; writes 0"},
    {"c10d::recv_any_source_([f32[4]{2}], None, 0)", "object Work; writes 0"},
    {"c10d::recv_any_source_([f32[4,2]], None, 0)", "object Work; writes 0"},
    {"c10d::send([f32[4]{2}], None, 1, 0)", "object Work"},
    {"c10d::send([f32[4,2]], None, 1, 0)", "object Work"},
    {"c10d::barrier(f32[1], None, [])", "object Work"},
    {"c10d::barrier(f32[1,2]{1,3}, None, [])", "object Work"},
    {"c10d::monitored_barrier_(f32[1], None, [], 3, True)", ""},
    {"c10d::monitored_barrier_(f32[1,2]{1,3}, None, [], 3, True)", ""},
    {"c10d::check_for_nan(f32[4]{2})", ""},
    {"c10d::check_for_nan(f32[4,2])", ""},
};

TEST(ProcessGroup, IntoOneTensor) { CheckCalls(kIntoOne); }
TEST(ProcessGroup, IntoLists) { CheckCalls(kIntoLists); }
TEST(ProcessGroup, Messages) { CheckCalls(kMessages); }

}  // namespace
}  // namespace fakeprop::testing
