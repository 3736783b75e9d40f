// Arithmetic and bitwise operators: one result, elementwise over their operands.
// Source: native_functions.yaml's TensorIterator kernels, BinaryOps.cpp, PointwiseOps.cpp; torch/_refs/__init__.py for
// promotion kinds (torch 2.13).
#include "lib/meta/dtype.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/families.h"
#include "lib/rules/support/checked_pointwise.h"

namespace fakeprop::rules {
namespace {

using enum Promotion;

// `alpha` must fit the promoted dtype. Source: at::native::alpha_check.
void RequireAlpha(const Call& call, ScalarType promoted, int alpha) {
  const Value& a = call.Number(alpha);
  if (a.Is<bool>() && promoted != ScalarType::Bool) FailDtype(call, "takes a bool alpha only for bool results");
  if (a.Is<double>() && IsIntegral(promoted)) FailDtype(call, "takes no floating-point factor for integral tensors");
  if (a.Is<std::complex<double>>() && !IsComplex(promoted)) FailDtype(call, "takes no complex factor for real tensors");
}

// The first operand decides the order of dimensions where both do not agree.
void ReturnSum(Call& call, int first, int second) {
  const ScalarType dtype = PromotedDtype(call, {0, 1});
  if (call.size() > 2) RequireAlpha(call, dtype, 2);
  call.ReturnNew(ElementwiseMeta(call, {first, second}, dtype));
}

void AddAlpha(Call& call) { ReturnSum(call, 0, 1); }

// Source: at::native::add_relu_impl, which knows the largest value of few dtypes.
void AddRelu(Call& call) {
  const ScalarType dtype = call.Meta(0).dtype;
  const bool known = dtype == ScalarType::Float || dtype == ScalarType::Double ||
                     (IsIntegral(dtype) && dtype != ScalarType::Bool && dtype != ScalarType::Byte);
  if (!known) FailDtype(call, "is not defined for " + std::string(DtypeName(dtype)));
  AddAlpha(call);
}

bool IsBool(const Value& value) {
  if (const Tensor* t = value.TryTensor()) return t->meta.dtype == ScalarType::Bool;
  return value.Is<bool>();
}

// Source: at::native::sub_check: neither operand may be bool.
void RequireNoBools(const Call& call) {
  if (IsBool(call.Arg(0)) || IsBool(call.Arg(1)))
    FailDtype(call, "is not defined for bool; use `^`, logical_xor() or logical_not()");
}

void SubAlpha(Call& call) {
  RequireNoBools(call);
  AddAlpha(call);
}

// other - alpha * self, as a subtraction with its operands exchanged. Source: at::native::rsub.
void ReversedSub(Call& call) {
  RequireNoBools(call);
  ReturnSum(call, 1, 0);
}

// Division with a rounding mode keeps integers.
void DivMode(Call& call) {
  const auto mode = call.OptionalString(2);
  if (!mode) return Pointwise<kIntToFloat, 0, 1>(call);
  if (*mode != "trunc" && *mode != "floor")
    FailValue(call, "takes the rounding_mode None, 'trunc' or 'floor', not '" + std::string(*mode) + "'");
  Checked<kReal, kDefault, 0, 1>(call);
}

void Neg(Call& call) {
  if (call.Meta(0).dtype == ScalarType::Bool)
    FailDtype(call, "is not defined for bool tensors; use `~` or logical_not()");
  Pointwise<kDefault, 0>(call);
}

// Integer powers of integer tensors by negative numbers have no integer result.
void PowTensorScalar(Call& call) {
  const auto exponent = call.Arg(1).TryGet<Dim>();
  if (exponent && Known(Lt(*exponent, 0)) && IsIntegral(call.Meta(0).dtype))
    FailValue(call, "is not defined for integers to negative integer powers");
  Pointwise<kDefault, 0, 1>(call);
}

// Computes in float64 or complex128, whatever the operands are.
void FloatPower(Call& call) {
  const ScalarType promoted = PromotedDtype(call, {0, 1});
  call.ReturnNew(ElementwiseMeta(call, {0, 1}, IsComplex(promoted) ? ScalarType::ComplexDouble : ScalarType::Double));
}

// The base is not cast: it must have the dtype of the result.
void FloatPowerInplace(Call& call) {
  const ScalarType promoted = PromotedDtype(call, {0, 1});
  Tensor& self = call.TensorArg(0);
  const ScalarType computed = IsComplex(promoted) ? ScalarType::ComplexDouble : ScalarType::Double;
  if (self.meta.dtype != computed)
    FailDtype(call, "gives " + std::string(DtypeName(computed)) + ", not " + ToString(self.meta));
  if (!CanExpandTo(ElementwiseMeta(call, {0, 1}, computed).size_span(), self.meta.size_span()))
    FailShape(call, "gives more elements than the base has, " + ToString(self.meta));
  if (HasInternalOverlap(self.meta)) FailValue(call, "can't write to a tensor whose elements share memory");
  call.Write(self);
  call.ReturnArgument(self);
}

void Where(Call& call) {
  const ScalarType condition = call.Meta(0).dtype;
  if (condition != ScalarType::Bool && condition != ScalarType::Byte) FailDtype(call, "takes a bool condition");
  call.ReturnNew(ElementwiseMeta(call, {0, 1, 2}, PromotedDtype(call, {1, 2})));
}

void Clamp(Call& call) {
  if (call.IsNone(1) && call.IsNone(2)) FailValue(call, "needs at least one of min and max");
  Checked<kNotComplex, kDefault, 0, 1, 2>(call);
}

// abs of complex numbers is real, so it can't be stored where they are.
void AbsInplace(Call& call) {
  Tensor& self = call.TensorArg(0);
  RequireNotComplex(call, self.meta.dtype);
  if (HasInternalOverlap(self.meta)) FailValue(call, "can't write to a tensor whose elements share memory");
  call.Write(self);
  call.ReturnArgument(self);
}

// self + value * tensor1 / tensor2.
void AddCDiv(Call& call) {
  if (IsIntegral(call.Meta(1).dtype) && IsIntegral(call.Meta(2).dtype))
    FailDtype(call, "does not divide integers by integers");
  Pointwise<kDefault, 0, 1, 2>(call);
}

// Source: TORCH_META_FUNC(lerp_Tensor): no promotion between tensors, but for a 0-dim weight.
void Lerp(Call& call) {
  RequireSameDtype(call, 0, 1);
  ScalarType dtype = call.Meta(0).dtype;
  if (const Tensor* weight = call.Arg(2).TryTensor()) {
    if (weight->meta.rank() > 0) RequireSameDtype(call, 0, 2);
    dtype = PromotedDtype(call, {0, 1, 2});
  }
  RequireFloatOrComplex(call, dtype);
  call.ReturnNew(ElementwiseMeta(call, {0, 1, 2}, dtype));
}

// real + imag*i; for polar abs*e^(i*angle).
void ComplexOf(Call& call) {
  RequireSameDtype(call, 0, 1);
  RequireFloat(call, call.Meta(0).dtype);
  if (call.Meta(0).dtype == ScalarType::BFloat16) FailDtype(call, "has no complex dtype for bfloat16");
  call.ReturnNew(ElementwiseMeta(call, {0, 1}, ToComplexDtype(call.Meta(0).dtype)));
}

void Angle(Call& call) {
  const ScalarType promoted = ApplyPromotion(PromotedDtype(call, {0}), kIntToFloat, call.state());
  call.ReturnNew(ElementwiseMeta(call, {0}, ToRealDtype(promoted)));
}

// Conjugates in memory; a real tensor is its own conjugate.
void ConjPhysical(Call& call) {
  if (!IsComplex(call.Meta(0).dtype)) return void(call.ReturnArgument(call.TensorArg(0)));
  Pointwise<kDefault, 0>(call);
}

// The norm of the difference.
void Dist(Call& call) {
  for (int i : {0, 1})
    if (IsBool(call.Arg(i))) FailDtype(call, "subtracts, which bool tensors do not");
  const ScalarType dtype = PromotedDtype(call, {0, 1});
  RequireFloatOrComplex(call, dtype);
  ElementwiseMeta(call, {0, 1}, dtype);  // the shapes must broadcast
  ReturnContiguous(call, {}, ToRealDtype(dtype));
}

// The number's mantissa and exponent.
void Frexp(Call& call) {
  const ScalarType dtype = call.Meta(0).dtype;
  RequireFloat(call, dtype);
  call.ReturnNew(ElementwiseMeta(call, {0}, dtype));
  call.ReturnNew(ElementwiseMeta(call, {0}, ScalarType::Int));
}

void Heaviside(Call& call) {
  RequireSameDtype(call, 0, 1);
  Checked<kNotComplex, kDefault, 0, 1>(call);
}

// The powers of a number come dense. Source: TORCH_META_FUNC2(pow, Scalar), whose strides FakeTensorMode keeps instead.
void PowScalar(Call& call) {
  const ScalarType dtype = PromotedDtype(call, {0, 1});
  RequireDtype(call, dtype, kNotBool);
  ReturnContiguous(call, call.Meta(1).size_span(), dtype);
}

constexpr Rule kDefaultUnary = Pointwise<kDefault, 0>;
constexpr Rule kRealUnary = Checked<kNotComplex, kDefault, 0>;
constexpr Rule kDefaultBinary = Pointwise<kDefault, 0, 1>;
constexpr Rule kRealBinary = Checked<kNotComplex, kDefault, 0, 1>;
constexpr Rule kFloatBinary = Checked<kFloating, kDefault, 0, 1>;
constexpr Rule kDivide = Pointwise<kIntToFloat, 0, 1>;
constexpr Rule kFloorDivide = Checked<kReal, kDefault, 0, 1>;
constexpr Rule kBitwise = Checked<kIntegral, kDefault, 0, 1>;
constexpr Rule kShift = Checked<kInteger, kDefault, 0, 1>;

constexpr RuleRow kRows[] = {
    {"aten::abs", Pointwise<kComplexToFloat, 0>},
    {"aten::abs_", AbsInplace},
    {"aten::absolute", Pointwise<kComplexToFloat, 0>},
    {"aten::absolute_", AbsInplace},
    {"aten::add.Tensor", AddAlpha},
    {"aten::add.Scalar", AddAlpha},
    {"aten::_add_relu.Tensor", AddRelu},
    {"aten::_add_relu.Scalar", AddRelu},
    {"aten::sub.Tensor", SubAlpha},
    {"aten::sub.Scalar", SubAlpha},
    {"aten::subtract.Tensor", SubAlpha},
    {"aten::subtract.Scalar", SubAlpha},
    {"aten::rsub.Tensor", ReversedSub},
    {"aten::rsub.Scalar", ReversedSub},
    {"aten::mul.Tensor", kDefaultBinary},
    {"aten::mul.Scalar", kDefaultBinary},
    {"aten::multiply.Tensor", kDefaultBinary},
    {"aten::multiply.Scalar", kDefaultBinary},
    {"aten::div.Tensor", kDivide},
    {"aten::div.Scalar", kDivide},
    {"aten::div.Tensor_mode", DivMode},
    {"aten::div.Scalar_mode", DivMode},
    {"aten::divide.Tensor", kDivide},
    {"aten::divide.Scalar", kDivide},
    {"aten::divide.Tensor_mode", DivMode},
    {"aten::divide.Scalar_mode", DivMode},
    {"aten::true_divide.Tensor", kDivide},
    {"aten::true_divide.Scalar", kDivide},
    {"aten::floor_divide", kFloorDivide},
    {"aten::floor_divide.Scalar", kFloorDivide},
    {"aten::fmod.Tensor", kRealBinary},
    {"aten::fmod.Scalar", kRealBinary},
    {"aten::remainder.Tensor", kRealBinary},
    {"aten::remainder.Scalar", kRealBinary},
    {"aten::remainder.Scalar_Tensor", kRealBinary},
    {"aten::pow.Tensor_Scalar", PowTensorScalar},
    {"aten::pow.Tensor_Tensor", Checked<kNotBool, kDefault, 0, 1>},
    {"aten::pow.Scalar", PowScalar},
    {"aten::float_power.Tensor_Tensor", FloatPower},
    {"aten::float_power.Tensor_Scalar", FloatPower},
    {"aten::float_power.Scalar", FloatPower},
    {"aten::float_power_.Tensor", FloatPowerInplace},
    {"aten::float_power_.Scalar", FloatPowerInplace},
    {"aten::square", Pointwise<kBoolToLong, 0>},
    {"aten::bitwise_and.Tensor", kBitwise},
    {"aten::bitwise_and.Scalar", kBitwise},
    {"aten::bitwise_and.Scalar_Tensor", kBitwise},
    {"aten::bitwise_or.Tensor", kBitwise},
    {"aten::bitwise_or.Scalar", kBitwise},
    {"aten::bitwise_or.Scalar_Tensor", kBitwise},
    {"aten::bitwise_xor.Tensor", kBitwise},
    {"aten::bitwise_xor.Scalar", kBitwise},
    {"aten::bitwise_xor.Scalar_Tensor", kBitwise},
    {"aten::bitwise_not", Checked<kIntegral, kDefault, 0>},
    {"aten::__and__.Tensor", kBitwise},
    {"aten::__and__.Scalar", kBitwise},
    {"aten::__or__.Tensor", kBitwise},
    {"aten::__or__.Scalar", kBitwise},
    {"aten::__xor__.Tensor", kBitwise},
    {"aten::__xor__.Scalar", kBitwise},
    {"aten::bitwise_left_shift.Tensor", kShift},
    {"aten::bitwise_left_shift.Tensor_Scalar", kShift},
    {"aten::bitwise_left_shift.Scalar_Tensor", kShift},
    {"aten::bitwise_right_shift.Tensor", kShift},
    {"aten::bitwise_right_shift.Tensor_Scalar", kShift},
    {"aten::bitwise_right_shift.Scalar_Tensor", kShift},
    {"aten::__lshift__.Tensor", kShift},
    {"aten::__lshift__.Scalar", kShift},
    {"aten::__rshift__.Tensor", kShift},
    {"aten::__rshift__.Scalar", kShift},
    {"aten::gcd", kShift},
    {"aten::lcm", kShift},
    {"aten::maximum", kRealBinary},
    {"aten::minimum", kRealBinary},
    {"aten::max.other", kRealBinary},
    {"aten::min.other", kRealBinary},
    {"aten::fmax", kRealBinary},
    {"aten::fmin", kRealBinary},
    {"aten::where.self", Where},
    {"aten::where.ScalarOther", Where},
    {"aten::where.ScalarSelf", Where},
    {"aten::where.Scalar", Where},
    {"aten::clamp", Clamp},
    {"aten::clamp.Tensor", Clamp},
    {"aten::clip", Clamp},
    {"aten::clip.Tensor", Clamp},
    {"aten::clamp_max", kRealBinary},
    {"aten::clamp_max.Tensor", kRealBinary},
    {"aten::clamp_min", kRealBinary},
    {"aten::clamp_min.Tensor", kRealBinary},
    {"aten::addcmul", Pointwise<kDefault, 0, 1, 2>},
    {"aten::addcdiv", AddCDiv},
    {"aten::lerp.Tensor", Lerp},
    {"aten::lerp.Scalar", Lerp},
    {"aten::ldexp.Tensor", Pointwise<kIntToFloat, 0, 1>},
    {"aten::copysign.Tensor", Checked<kNotComplex, kIntToFloat, 0, 1>},
    {"aten::copysign.Scalar", Checked<kNotComplex, kIntToFloat, 0, 1>},
    {"aten::hypot", kFloatBinary},
    {"aten::nextafter", kFloatBinary, Devices::kSame},
    {"aten::heaviside", Heaviside},
    {"aten::logaddexp", Checked<kFloatingOrComplex, kDefault, 0, 1>},
    {"aten::logaddexp2", kFloatBinary},
    {"aten::atan2", Checked<kNotComplex, kIntToFloat, 0, 1>},
    {"aten::arctan2", Checked<kNotComplex, kIntToFloat, 0, 1>},
    {"aten::complex", ComplexOf},
    {"aten::polar", ComplexOf},
    {"aten::angle", Angle},
    {"aten::conj_physical", ConjPhysical},
    {"aten::_conj_physical", kDefaultUnary},
    {"aten::dist", Dist},
    {"aten::frexp.Tensor", Frexp},
    {"aten::neg", Neg},
    {"aten::negative", Neg},
    {"aten::sign", kRealUnary},
    {"aten::sgn", kDefaultUnary},
    {"aten::ceil", kRealUnary},
    {"aten::floor", kRealUnary},
    {"aten::round", kRealUnary},
    {"aten::round.decimals", kRealUnary},
    {"aten::special_round", kRealUnary},
    {"aten::trunc", kRealUnary},
    {"aten::fix", kRealUnary},
    {"aten::frac", Checked<kFloating, kDefault, 0>},
    {"aten::nan_to_num", kDefaultUnary},
};

}  // namespace

RuleRows ArithmeticRules() { return kRows; }

}  // namespace fakeprop::rules
