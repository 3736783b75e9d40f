#include "lib/rules/testing/family_test.h"

namespace fakeprop::testing {
namespace {

constexpr CallCase kKeys[] = {
    {"_philox_key_split(u64[2], 4)", "u64[4,2]"},
    {"_philox_key_split(u64[3,2]{1,3}, 4)", "u64[4,3,2]"},
    {"_philox_key_split(u64[2], 0)", "!ValueError"},
    {"_philox_key_split(i64[2], 4)", "!DtypeMismatch"},
    {"_philox_key_split(u64[3], 4)", "!ShapeMismatch"},
    {"_philox_key_fold_in(u64[2], 4)", "u64[2]"},
    {"_philox_key_fold_in(u64[3,2]{1,3}, 4)", "u64[3,2]"},
    {"_philox_key_fold_in(u64[], 4)", "!ShapeMismatch"},
    {"_philox_normal_(f32[2,3]{1,2}, u64[2])", "arg(0); writes 0"},
    {"_philox_normal_(f32[2,3], u64[2,1,2])", "arg(0); writes 0"},
    {"_philox_normal_(f32[2,3], u64[2,2])", "!ShapeMismatch"},
    {"_philox_normal_(f32[2,3], u64[2,2,2])", "!ShapeMismatch"},
    {"_philox_normal_(i64[2,3], u64[2])", "!DtypeMismatch"},
    {"_philox_normal_(f32[2,3], i64[2])", "!DtypeMismatch"},
    {"_philox_normal(f32[2,3]{3,6}, u64[2])", "f32[2,3]{1,2}"},
    {"_philox_uniform(f32[2,3,4]{12,1,3}, u64[2])", "f32[2,3,4]{12,1,3}"},
    {"_philox_uniform_(f32[3], u64[3,2], 0.0, 1.0)", "arg(0); writes 0"},
    {"_philox_uniform(f32[2,3]@cuda:0, u64[2])", "!DeviceMismatch"},
};

TEST(Philox, Keys) { CheckCalls(kKeys); }

}  // namespace
}  // namespace fakeprop::testing
