// Arithmetic, comparison, logic and elementary functions: one result, elementwise over its operands.
// Source: native_functions.yaml's TensorIterator kernels; torch/_refs/__init__.py for promotion kinds (torch 2.13).
#include "lib/meta/dtype.h"
#include "lib/rules/elementwise.h"
#include "lib/rules/families.h"

namespace fakeprop {
namespace {

using enum Promotion;

void FailDtype(const Call& call, const char* what) {
  Fail(ErrorClass::kDtypeMismatch, std::string(call.schema().full_name) + " " + what);
}

// `alpha` must fit the promoted dtype. Source: at::native::alpha_check.
void RequireAlpha(const Call& call, ScalarType promoted, int alpha) {
  const Value& a = call.Number(alpha);
  if (a.Is<bool>() && promoted != ScalarType::Bool) FailDtype(call, "takes a bool alpha only for bool results");
  if (a.Is<double>() && IsIntegral(promoted)) FailDtype(call, "takes no floating-point alpha for integral tensors");
  if (a.Is<std::complex<double>>() && !IsComplex(promoted)) FailDtype(call, "takes no complex alpha for non-complex tensors");
}

template <bool Subtracts>
void AddAlpha(Call& call) {
  const ScalarType dtype = PromotedDtype(call, {0, 1});
  if (call.size() > 2) RequireAlpha(call, dtype, 2);
  if (Subtracts) {
    const Tensor* a = call.Arg(0).TryTensor();
    const Tensor* b = call.Arg(1).TryTensor();
    if (a && b && a->meta.dtype == ScalarType::Bool && b->meta.dtype == ScalarType::Bool)
      FailDtype(call, "is not defined for two bool tensors; use `^` or logical_xor()");
  }
  call.ReturnNew(ElementwiseMeta(call, {0, 1}, dtype));
}

// Division with a rounding mode keeps integers.
void DivMode(Call& call) {
  const auto mode = call.OptionalString(2);
  if (mode && *mode != "trunc" && *mode != "floor") {
    Fail(ErrorClass::kValueError, "div takes the rounding_mode None, 'trunc' or 'floor', not '" + std::string(*mode) + "'");
  }
  mode ? Pointwise<kDefault, 0, 1>(call) : Pointwise<kIntToFloat, 0, 1>(call);
}

template <int... Positions>
void Bitwise(Call& call) {
  const ScalarType dtype = PromotedDtype(call, {Positions...});
  if (!IsIntegral(dtype)) FailDtype(call, "takes integral and bool tensors");
  call.ReturnNew(ElementwiseMeta(call, {Positions...}, dtype));
}

void Neg(Call& call) {
  if (call.Meta(0).dtype == ScalarType::Bool) FailDtype(call, "is not defined for bool tensors; use `~` or logical_not()");
  Pointwise<kDefault, 0>(call);
}

// Integer powers of integer tensors by negative numbers have no integer result.
void PowTensorScalar(Call& call) {
  const auto exponent = call.Arg(1).TryGet<Dim>();
  if (exponent && Known(Lt(*exponent, 0)) && IsIntegral(call.Meta(0).dtype))
    Fail(ErrorClass::kValueError, "integers to negative integer powers are not allowed");
  Pointwise<kDefault, 0, 1>(call);
}

template <ScalarType Condition = ScalarType::Bool>
void Where(Call& call) {
  const ScalarType condition = call.Meta(0).dtype;
  if (condition != ScalarType::Bool && condition != ScalarType::Byte)
    FailDtype(call, "takes a bool condition");
  call.ReturnNew(ElementwiseMeta(call, {0, 1, 2}, PromotedDtype(call, {1, 2})));
}

void Clamp(Call& call) {
  if (call.IsNone(1) && call.IsNone(2)) Fail(ErrorClass::kValueError, "clamp needs at least one of min and max");
  if (IsComplex(call.Meta(0).dtype)) FailDtype(call, "is not defined for complex tensors");
  Pointwise<kDefault, 0, 1, 2>(call);
}

constexpr RuleRow kRows[] = {
    {"aten::abs", Pointwise<kComplexToFloat, 0>},
    {"aten::add.Tensor", AddAlpha<false>},
    {"aten::add.Scalar", AddAlpha<false>},
    {"aten::sub.Tensor", AddAlpha<true>},
    {"aten::sub.Scalar", AddAlpha<true>},
    {"aten::mul.Tensor", Pointwise<kDefault, 0, 1>},
    {"aten::mul.Scalar", Pointwise<kDefault, 0, 1>},
    {"aten::div.Tensor", Pointwise<kIntToFloat, 0, 1>},
    {"aten::div.Scalar", Pointwise<kIntToFloat, 0, 1>},
    {"aten::div.Tensor_mode", DivMode},
    {"aten::div.Scalar_mode", DivMode},
    {"aten::floor_divide", Pointwise<kDefault, 0, 1>},
    {"aten::floor_divide.Scalar", Pointwise<kDefault, 0, 1>},
    {"aten::pow.Tensor_Scalar", PowTensorScalar},
    {"aten::pow.Tensor_Tensor", Pointwise<kDefault, 0, 1>},
    {"aten::pow.Scalar", Pointwise<kDefault, 0, 1>},
    {"aten::eq.Tensor", Pointwise<kBool, 0, 1>},
    {"aten::eq.Scalar", Pointwise<kBool, 0, 1>},
    {"aten::ne.Tensor", Pointwise<kBool, 0, 1>},
    {"aten::ne.Scalar", Pointwise<kBool, 0, 1>},
    {"aten::lt.Tensor", Pointwise<kBool, 0, 1>},
    {"aten::lt.Scalar", Pointwise<kBool, 0, 1>},
    {"aten::le.Tensor", Pointwise<kBool, 0, 1>},
    {"aten::le.Scalar", Pointwise<kBool, 0, 1>},
    {"aten::gt.Tensor", Pointwise<kBool, 0, 1>},
    {"aten::gt.Scalar", Pointwise<kBool, 0, 1>},
    {"aten::ge.Tensor", Pointwise<kBool, 0, 1>},
    {"aten::ge.Scalar", Pointwise<kBool, 0, 1>},
    {"aten::logical_and", Pointwise<kBool, 0, 1>},
    {"aten::logical_or", Pointwise<kBool, 0, 1>},
    {"aten::logical_xor", Pointwise<kBool, 0, 1>},
    {"aten::logical_not", Pointwise<kBool, 0>},
    {"aten::bitwise_and.Tensor", Bitwise<0, 1>},
    {"aten::bitwise_or.Tensor", Bitwise<0, 1>},
    {"aten::bitwise_xor.Tensor", Bitwise<0, 1>},
    {"aten::bitwise_not", Bitwise<0>},
    {"aten::__and__.Tensor", Bitwise<0, 1>},
    {"aten::__and__.Scalar", Bitwise<0, 1>},
    {"aten::__or__.Tensor", Bitwise<0, 1>},
    {"aten::__or__.Scalar", Bitwise<0, 1>},
    {"aten::__xor__.Tensor", Bitwise<0, 1>},
    {"aten::__xor__.Scalar", Bitwise<0, 1>},
    {"aten::maximum", Pointwise<kDefault, 0, 1>},
    {"aten::minimum", Pointwise<kDefault, 0, 1>},
    {"aten::max.other", Pointwise<kDefault, 0, 1>},
    {"aten::min.other", Pointwise<kDefault, 0, 1>},
    {"aten::where.self", Where<>},
    {"aten::where.ScalarOther", Where<>},
    {"aten::where.ScalarSelf", Where<>},
    {"aten::where.Scalar", Where<>},
    {"aten::clamp", Clamp},
    {"aten::neg", Neg},
    {"aten::sign", Pointwise<kDefault, 0>},
    {"aten::ceil", Pointwise<kDefault, 0>},
    {"aten::floor", Pointwise<kDefault, 0>},
    {"aten::round", Pointwise<kDefault, 0>},
    {"aten::trunc", Pointwise<kDefault, 0>},
    {"aten::sqrt", Pointwise<kIntToFloat, 0>},
    {"aten::rsqrt", Pointwise<kIntToFloat, 0>},
    {"aten::reciprocal", Pointwise<kIntToFloat, 0>},
    {"aten::exp", Pointwise<kIntToFloat, 0>},
    {"aten::expm1", Pointwise<kIntToFloat, 0>},
    {"aten::log", Pointwise<kIntToFloat, 0>},
    {"aten::log1p", Pointwise<kIntToFloat, 0>},
    {"aten::log2", Pointwise<kIntToFloat, 0>},
    {"aten::log10", Pointwise<kIntToFloat, 0>},
    {"aten::sin", Pointwise<kIntToFloat, 0>},
    {"aten::cos", Pointwise<kIntToFloat, 0>},
    {"aten::tan", Pointwise<kIntToFloat, 0>},
    {"aten::tanh", Pointwise<kIntToFloat, 0>},
    {"aten::sigmoid", Pointwise<kIntToFloat, 0>},
    {"aten::erf", Pointwise<kIntToFloat, 0>},
    {"aten::isnan", Pointwise<kBool, 0>},
    {"aten::isinf", Pointwise<kBool, 0>},
};

}  // namespace

RuleRows PointwiseRules() { return kRows; }

}  // namespace fakeprop
