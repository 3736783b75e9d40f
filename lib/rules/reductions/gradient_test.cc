#include "lib/rules/testing/family_test.h"

namespace fakeprop::testing {
namespace {

constexpr CallCase kCases[] = {
    {"gradient.scalarint(f32[3,4])", "[f32[3,4], f32[3,4]]"},
    {"gradient.scalarint(i64[3,4]{1,3}, dim=1)", "[f32[3,4]]"},
    {"gradient.scalarint(f32[2,3,4,4]{48,1,12,3}, dim=2)", "[f32[2,3,4,4]{48,1,12,3}]"},
    {"gradient.scalarint(f32[2,3,4,4]{48,1,12,3})",
        "[f32[2,3,4,4], f32[2,3,4,4]{48,1,12,3}, f32[2,3,4,4]{48,1,12,3}, f32[2,3,4,4]{48,1,12,3}]"},
    {"gradient.scalarint(f32[3], spacing=0.5+1.0j, edge_order=2)", "[c64[3]]"},
    {"gradient.scalarint(c64[2])", "[c64[2]]"},
    {"gradient.scalarint(f32[])", "[]"},
    {"gradient.scalarint(f32[], dim=0)", "!IndexOutOfRange"},
    {"gradient.scalarint(f32[3], dim=1)", "!IndexOutOfRange"},
    {"gradient.scalarint(f32[1])", "!ShapeMismatch"},
    {"gradient.scalarint(f32[2], edge_order=2)", "!ShapeMismatch"},
    {"gradient.scalarint(f32[3], edge_order=3)", "!ValueError"},
    {"gradient.scalarint(u8[3])", "!DtypeMismatch"},
    {"gradient.scalarint(b8[3])", "!DtypeMismatch"},
    {"gradient.scalararray(f32[3,4]{1,3}, spacing=2.0, dim=[-1, 0])", "[f32[3,4], f32[3,4]]"},
    {"gradient.scalararray(bf16[5], spacing=2, dim=[0])", "[bf16[5]]"},
    {"gradient.scalararray(f32[3,4], spacing=2.0, dim=[0, 0])", "!ValueError"},
    {"gradient.array(f32[3,4]{1,3}, dim=[0, 1])", "[f32[3,4], f32[3,4]]"},
    {"gradient.array(i32[3], dim=[0])", "[f32[3]]"},
    {"gradient.array(f32[3], dim=[])", "[]"},
    {"gradient.array(f32[3,1], dim=[1])", "!ShapeMismatch"},
    {"gradient.scalarrayint(f32[3,4]{1,3}, spacing=[1.0, 2])", "[f32[3,4], f32[3,4]]"},
    {"gradient.scalarrayint(f32[2,3,4], spacing=[1.0], dim=1)", "[f32[2,3,4]]"},
    {"gradient.scalarrayint(f32[3,4], spacing=[1.0])", "!ValueError"},
    {"gradient.scalarrayint(f32[3,4], spacing=None)", "!TypeError"},
    {"gradient.scalarrayint(f32[3,4], spacing=[1.0, None])", "!TypeError"},
    {"gradient.scalarrayarray(f32[3,4]{1,3}, spacing=[1.0, 2.0], dim=[0, 1])", "[f32[3,4], f32[3,4]]"},
    {"gradient.scalarrayarray(f32[3], spacing=[1.0], dim=[0], edge_order=2)", "[f32[3]]"},
    {"gradient.scalarrayarray(f32[3,4], spacing=[1.0, 2.0], dim=[0])", "!ValueError"},
    {"gradient.scalarrayarray(f32[3,4], spacing=1.0, dim=[0])", "!TypeError"},
    {"gradient.tensorarrayint(f32[3,4]{1,3}, spacing=[f32[3], f32[4]])", "[f32[3,4], f32[3,4]]"},
    {"gradient.tensorarrayint(f32[5], spacing=[f64[5]{2}], dim=0)", "[f64[5]]"},
    {"gradient.tensorarrayint(i64[5], spacing=[i64[5]], edge_order=2)", "[f32[5]]"},
    {"gradient.tensorarrayint(f32[4,3], spacing=[f32[3]], dim=0)", "[f32[4,3]]"},
    {"gradient.tensorarrayint(f32[3,3], spacing=[f32[7]], dim=0)", "[f32[7,3]]"},
    {"gradient.tensorarrayint(f32[3], spacing=[f32[3,1]])", "!ShapeMismatch"},
    {"gradient.tensorarrayint(f32[3], spacing=[f32[1]])", "!ShapeMismatch"},
    {"gradient.tensorarrayint(f32[5], spacing=[f32[3]])", "[f32[5]]"},
    {"gradient.tensorarrayint(f32[5], spacing=[f32[4]])", "!ShapeMismatch"},
    {"gradient.tensorarrayint(f32[2], spacing=[f32[2]])", "[f32[2]]"},
    {"gradient.tensorarrayint(f32[3], spacing=[b8[3]])", "!DtypeMismatch"},
    {"gradient.tensorarrayint(f32[3], spacing=[f32[3]@cuda:0])", "!DeviceMismatch"},
    {"gradient.tensorarray(f32[3,4]{1,3}, spacing=[f32[3], f32[4]], dim=[0, 1])", "[f32[3,4], f32[3,4]]"},
    {"gradient.tensorarray(f32[3], spacing=[f32[3]], dim=[0], edge_order=2)", "[f32[3]]"},
    {"gradient.tensorarray(f32[3], spacing=[f32[3], f32[3]], dim=[0])", "!ValueError"},
};

TEST(Gradient, Cases) { CheckCalls(kCases); }

}  // namespace
}  // namespace fakeprop::testing
