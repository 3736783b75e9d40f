#include "lib/rules/testing/family_test.h"

namespace fakeprop::testing {
namespace {

constexpr CallCase kTestOperators[] = {
    {"_test_optional_intlist(i32[2]{3}, [1,2])", "i32[2]"},
    {"_test_optional_intlist(i32[2,3], None)", "arg(0)"},
    {"_test_optional_intlist(i32[3], [1,2])", "!ShapeMismatch"},
    {"_test_optional_intlist(i64[2], [1,2])", "!DtypeMismatch"},
    {"_test_optional_intlist(i32[], [1])", "!ShapeMismatch"},
    {"_test_optional_filled_intlist(i32[2]{3}, [1,2])", "i32[2]"},
    {"_test_optional_filled_intlist(f32[2,3], None)", "arg(0)"},
    {"_test_optional_filled_intlist(i32[2], [3])", "!ShapeMismatch"},
    {"_test_optional_floatlist(f32[2]{2}, [1.0,2.0])", "f32[2]"},
    {"_test_optional_floatlist(f32[2,3], None)", "arg(0)"},
    {"_test_optional_floatlist(i32[2], [1.0,2.0])", "!DtypeMismatch"},
    {"_test_functorch_fallback(f32[2,3]{1,2}, f32[3])", "f32[2,3]{1,2}"},
    {"_test_functorch_fallback(i64[3], f32[2])", "i64[3]"},
    {"_foobar(f32[2,3]{1,2}, False)", "arg(0)"},
    {"_foobar(f32[2])", "arg(0)"},
    {"_make_dep_token()", "f32[]"},
    // As eager: Python's token is always a float32 one.
    {"_make_dep_token(dtype=float64)", "f64[]"},
};

TEST(TestOperators, Calls) { CheckCalls(kTestOperators); }

}  // namespace
}  // namespace fakeprop::testing
