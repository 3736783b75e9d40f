// Comparisons, logic and tests of elements: bool results, elementwise over their operands.
// Source: aten/src/ATen/native/BinaryOps.cpp, TensorCompare.cpp (torch 2.13).
#include "lib/rules/families.h"
#include "lib/rules/support/checked_pointwise.h"

namespace fakeprop::rules {
namespace {

using enum Promotion;

// Source: at::native::isclose: no promotion, and tolerances of at least 0.
void IsClose(Call& call) {
  RequireSameDtype(call, 0, 1);
  if (!(call.Float(2) >= 0) || !(call.Float(3) >= 0))
    FailValue(call, "takes tolerances of at least 0, not " + ToString(call.Arg(2)) + " and " + ToString(call.Arg(3)));
  Pointwise<kBool, 0, 1>(call);
}

constexpr Rule kEquality = Pointwise<kBool, 0, 1>;
constexpr Rule kOrder = Checked<kNotComplex, kBool, 0, 1>;
constexpr Rule kTest = Pointwise<kBool, 0>;
constexpr Rule kRealTest = Checked<kNotComplex, kBool, 0>;

constexpr RuleRow kRows[] = {
    {"aten::eq.Tensor", kEquality},
    {"aten::eq.Scalar", kEquality},
    {"aten::ne.Tensor", kEquality},
    {"aten::ne.Scalar", kEquality},
    {"aten::not_equal.Tensor", kEquality},
    {"aten::not_equal.Scalar", kEquality},
    {"aten::lt.Tensor", kOrder},
    {"aten::lt.Scalar", kOrder},
    {"aten::le.Tensor", kOrder},
    {"aten::le.Scalar", kOrder},
    {"aten::gt.Tensor", kOrder},
    {"aten::gt.Scalar", kOrder},
    {"aten::ge.Tensor", kOrder},
    {"aten::ge.Scalar", kOrder},
    {"aten::less.Tensor", kOrder},
    {"aten::less.Scalar", kOrder},
    {"aten::less_equal.Tensor", kOrder},
    {"aten::less_equal.Scalar", kOrder},
    {"aten::greater.Tensor", kOrder},
    {"aten::greater.Scalar", kOrder},
    {"aten::greater_equal.Tensor", kOrder},
    {"aten::greater_equal.Scalar", kOrder},
    {"aten::logical_and", kEquality},
    {"aten::logical_or", kEquality},
    {"aten::logical_xor", kEquality},
    {"aten::logical_not", kTest},
    {"aten::isnan", kTest},
    {"aten::isinf", kTest},
    {"aten::isfinite", kTest},
    {"aten::isreal", kTest},
    {"aten::isneginf", kRealTest},
    {"aten::isposinf", kRealTest},
    {"aten::signbit", kRealTest},
    {"aten::isclose", IsClose},
};

}  // namespace

RuleRows ComparisonRules() { return kRows; }

}  // namespace fakeprop::rules
