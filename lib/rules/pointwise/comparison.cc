// Comparisons, logic and tests of elements: bool results, elementwise over their operands.
// Source: aten/src/ATen/native/BinaryOps.cpp, TensorCompare.cpp (torch 2.13).
#include "lib/rules/core/torch_words.h"
#include "lib/rules/families.h"
#include "lib/rules/support/checked_pointwise.h"
#include "lib/rules/support/quantized_kernels.h"

namespace fakeprop::rules {
namespace {

using enum Promotion;

// No promotion, and tolerances of at least 0. Source: at::native::isclose.
void IsClose(Call& call) {
  call.In("self").SameDtypeAs(call.In("other"));
  RequireValue(call, call.Float("rtol") >= 0 && call.Float("atol") >= 0,
      {"takes tolerances of at least 0, not {} and {}", call.Arg("rtol"), call.Arg("atol")});
  Pointwise<kBool, "self", "other">(call);
}

// Quantized tensors are compared as float32 ones.
template <Rule kPlain>
void Compare(Call& call) {
  const Operand self = call.In("self"), other = call.TryIn("other");
  if (!IsQuantized(self) && !(other && IsQuantized(other))) return kPlain(call);
  std::vector<TensorMeta> metas;
  for (const Operand& t : {self, other})
    if (t) metas.push_back(IsQuantized(t) ? SuggestedMeta(t, ScalarType::Float) : *t);
  std::vector<const TensorMeta*> operands;
  for (const TensorMeta& meta : metas) operands.push_back(&meta);
  call.ReturnNew(ElementwiseMeta(operands, ScalarType::Bool, call.device()));
}

// Of integers all elements are finite, and of real numbers all are real. Source: at::native::isfinite, isinf, isreal.
template <const Dtypes& kKnown>
void TestNumbers(Call& call) {
  const Operand self = call.In("self");
  if (kKnown.Has(self->dtype)) return void(ReturnLike(call, self, ScalarType::Bool));
  Pointwise<kBool, "self">(call);
}

// The kernel is compiled for the out tensor's dtype too. Source: logical_not_kernel in UnaryOpsKernel.cpp.
OutDtype OutDtypeOfLogicalNot(const Call& out_form) {
  if (out_form.OnCpu())
    RequireCompiled(
        out_form, "logical_not_cpu", out_form.In("out")->dtype, kBarebonesUnsignedDtypes | ScalarType::ComplexHalf);
  return OutDtype::kCast;
}

constexpr Dtypes kAlwaysFinite = kIntegralDtypes, kAlwaysReal = ~kComplexDtypes;
constexpr Rule kEquality = Compare<Pointwise<kBool, "self", "other">>;
constexpr Rule kOrder = Compare<Checked<kNotComplex, kBool, "self", "other">>;
constexpr Rule kTest = Pointwise<kBool, "self">;
constexpr Rule kRealTest = Checked<kNotComplex, kBool, "self">;

constexpr RuleRow kRows[] = {
    {"aten::eq.Tensor", kEquality},
    {"aten::eq.Scalar", kEquality},
    {"aten::ne.Tensor", kEquality},
    {"aten::ne.Scalar", kEquality},
    {"aten::not_equal.Tensor", kEquality, kUntagged},
    {"aten::not_equal.Scalar", kEquality, kUntagged},
    {"aten::lt.Tensor", kOrder},
    {"aten::lt.Scalar", kOrder},
    {"aten::le.Tensor", kOrder},
    {"aten::le.Scalar", kOrder},
    {"aten::gt.Tensor", kOrder},
    {"aten::gt.Scalar", kOrder},
    {"aten::ge.Tensor", kOrder},
    {"aten::ge.Scalar", kOrder},
    {"aten::less.Tensor", kOrder, kUntagged},
    {"aten::less.Scalar", kOrder, kUntagged},
    {"aten::less_equal.Tensor", kOrder, kUntagged},
    {"aten::less_equal.Scalar", kOrder, kUntagged},
    {"aten::greater.Tensor", kOrder, kUntagged},
    {"aten::greater.Scalar", kOrder, kUntagged},
    {"aten::greater_equal.Tensor", kOrder, kUntagged},
    {"aten::greater_equal.Scalar", kOrder, kUntagged},
    {"aten::logical_and", kEquality},
    {"aten::logical_or", kEquality},
    {"aten::logical_xor", kEquality},
    {"aten::logical_not", kTest, OutDtypeOfLogicalNot},
    {"aten::isnan", kTest},
    {"aten::isinf", TestNumbers<kAlwaysFinite>},
    {"aten::isfinite", TestNumbers<kAlwaysFinite>},
    {"aten::isreal", TestNumbers<kAlwaysReal>},
    {"aten::isneginf", kRealTest, OutDtype::kExact},
    {"aten::isposinf", kRealTest, OutDtype::kExact},
    {"aten::signbit", kRealTest, OutDtype::kExact},
    {"aten::isclose", IsClose},
};

}  // namespace

RuleRows ComparisonRules() { return kRows; }

}  // namespace fakeprop::rules
