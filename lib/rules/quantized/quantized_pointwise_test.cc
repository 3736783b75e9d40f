#include "lib/rules/testing/family_test.h"

namespace fakeprop::testing {
namespace {

// Answers of eager PyTorch 2.15. More of them are in lib/rules/expected_calls/quantized_pointwise.calls.
constexpr CallCase kArithmetic[] = {
    {"quantized::add(qu8[2,4,5,5], qu8[2,4,5,5], 0.1, 0)", "qu8[2,4,5,5]"},
    {"quantized::add(qu8[2,4,5,5]{100,1,20,4}, qu8[2,4,5,5]{100,1,20,4}, 0.1, 0)", "qu8[2,4,5,5]{100,1,20,4}"},
    {"quantized::add(qu8[2,4,5,5]{100,1,20,4}, qu8[2,4,5,5], 0.1, 0)", "qu8[2,4,5,5]{100,1,20,4}"},
    {"quantized::add(qu8[2,4,5,5], qu8[2,4,5,5]{100,1,20,4}, 0.1, 0)", "qu8[2,4,5,5]"},
    {"quantized::add(qu8[3,4]{1,3}, qu8[3,4]{1,3}, 0.1, 0)", "qu8[3,4]"},
    {"quantized::add(qu8[3,4]{1,3}, qu8[3,4], 0.1, 0)", "qu8[3,4]"},
    {"quantized::add(qu8[3,4], qu8[4], 0.1, 0)", "qu8[3,4]"},
    {"quantized::add(qu8[4], qu8[3,4], 0.1, 0)", "qu8[3,4]"},
    {"quantized::add(qu8[2,4,1,1], qu8[2,4,5,5]{100,1,20,4}, 0.1, 0)", "qu8[2,4,5,5]{100,1,20,4}"},
    {"quantized::add(qu8[2,4,5,5]{100,1,20,4}, qu8[2,4,1,1], 0.1, 0)", "qu8[2,4,5,5]{100,1,20,4}"},
    {"quantized::add(qu8[3,4], qu8[3], 0.1, 0)", "!ShapeMismatch"},
    {"quantized::add(qu8[3,4], qi8[3,4], 0.1, 0)", "!DtypeMismatch"},
    {"quantized::add(qi8[3,4], qi8[3,4], 0.1, 0)", "qi8[3,4]"},
    {"quantized::add(qi32[3,4], qi32[3,4], 0.1, 0)", "qi32[3,4]"},
};

TEST(QuantizedPointwise, Arithmetic) { CheckCalls(kArithmetic); }

}  // namespace
}  // namespace fakeprop::testing
