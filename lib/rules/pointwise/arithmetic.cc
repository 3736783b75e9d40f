// Arithmetic and bitwise operators: one result, elementwise over their operands.
// Source: native_functions.yaml's TensorIterator kernels, BinaryOps.cpp, PointwiseOps.cpp; torch/_refs/__init__.py for
// promotion kinds (torch 2.13).
#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/core/torch_words.h"
#include "lib/rules/families.h"
#include "lib/rules/support/checked_pointwise.h"
#include "lib/rules/support/copy_metas.h"
#include "lib/rules/support/memory_overlap.h"
#include "lib/rules/support/outputs.h"
#include "lib/rules/support/quantized_kernels.h"

namespace fakeprop::rules {
namespace {

using enum Promotion;

// `alpha` must fit the promoted dtype. Source: at::native::alpha_check.
void RequireAlpha(const Call& call, ScalarType promoted) {
  const Value& a = call.Number("alpha");
  if (a.Is<bool>() && promoted != ScalarType::Bool) FailDtype(call, "takes a bool alpha only for bool results");
  if (a.Is<double>() && IsIntegral(promoted))
    FailDtype(
        call, "computes integers: for integral input tensors, argument alpha must not be a floating point number");
  if (a.Is<std::complex<double>>() && !IsComplex(promoted)) FailDtype(call, "takes no complex factor for real tensors");
}

// Where the operands disagree on the order of dimensions, the first one decides.
void ReturnSum(Call& call, ArgumentName first, ArgumentName second) {
  const ScalarType dtype = PromotedDtype(call, {"self", "other"});
  RequireAlpha(call, dtype);
  call.ReturnNew(ElementwiseMeta(call, {first, second}, dtype));
}

void AddAlpha(Call& call) { ReturnSum(call, "self", "other"); }

// Source: at::native::add_relu_impl, which knows the largest value of few dtypes.
void AddRelu(Call& call) {
  constexpr DtypeClass kKnown{kFloat32Or64 | (kInteger.dtypes - ScalarType::Byte), "is not defined for {}"};
  call.In("self").Takes(kKnown);
  AddAlpha(call);
}

// Gives back the tensor that it computes in, which is a new one where the written tensor has another dtype.
template <ArgumentName kWritten>
void AddReluInto(Call& call) {
  AddRelu(call);
  TensorMeta sum = TakeResult(call);
  const Operand written = call.In(kWritten);
  RequireCast(call, sum.dtype, written->dtype);
  RequireUnshared(call, written);
  RequireNoPartOf(call, written.tensor(), ReadsWritten::kItself);
  const Tensor *self = &call.In("self").tensor(), *other = &call.In("other").tensor();
  const bool is_read = self == &written.tensor() || other == &written.tensor();
  constexpr bool kIsOut = kWritten == ArgumentName("out");
  written.Require(!is_read || CanExpandTo(sum.size_span(), written->size_span()),
      {"{}: output with shape {} doesn't match the broadcast shape {}",
          kIsOut ? "does not resize a tensor that it reads too" : "keeps the shape of the tensor that it writes to",
          written->sizes, sum.sizes});
  WriteOfSizes(call, written.tensor(), sum.sizes);
  for (Mutation& m : call.effects().mutations)
    if (m.meta) m.meta->strides = sum.strides;
  if (!call.OnCpu() || sum.dtype == written->dtype) return;
  call.effects().outputs.clear();
  if (GuardSameOrFalse(sum.size_span(), written->size_span())) sum.strides = EmptyLike(written).strides;
  call.ReturnNew(std::move(sum));
}

bool IsBool(const Call& call, ArgumentName name) {
  const Operand t = call.TryIn(name);
  return t ? t->dtype == ScalarType::Bool : call.Arg(name).Is<bool>();
}

// Source: at::native::sub_check: neither operand may be bool.
void RequireNoBools(const Call& call) {
  if (IsBool(call, "self") || IsBool(call, "other"))
    FailDtype(call,
        "is not defined for bool: subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` "
        "or "
        "`logical_xor()` operator instead");
}

void SubAlpha(Call& call) {
  RequireNoBools(call);
  AddAlpha(call);
}

// other - alpha * self, as a subtraction with its operands exchanged. Source: at::native::rsub.
void ReversedSub(Call& call) {
  RequireNoBools(call);
  ReturnSum(call, "other", "self");
}

// Division with a rounding mode keeps integers.
void DivMode(Call& call) {
  if (!call.Has("rounding_mode")) return Pointwise<kIntToFloat, "self", "other">(call);
  RequireOneOf(call, "rounding_mode", {"trunc", "floor"}, "takes the rounding_mode None, 'trunc' or 'floor', not '{}'");
  Checked<kReal, kDefault, "self", "other">(call);
}

void Neg(Call& call) {
  call.In("self").Takes(kNotBool,
      "is not defined for bool tensors: negation, the `-` operator, on a bool tensor is not supported. If you are "
      "trying to "
      "invert a mask, use the `~` or `logical_not()` operator instead");
  Pointwise<kDefault, "self">(call);
}

// A condition of bytes is converted to bools first.
void Where(Call& call) {
  const Operand condition =
      call.In("condition")
          .Takes({ScalarType::Bool, ScalarType::Byte}, "got {}: where expected condition to be a boolean tensor");
  const ScalarType dtype = PromotedDtype(call, {"self", "other"});
  if (condition->dtype == ScalarType::Bool)
    return void(call.ReturnNew(ElementwiseMeta(call, {"condition", "self", "other"}, dtype)));
  const TensorMeta chosen = EmptyLike(condition), values = ElementwiseMeta(call, {"self", "other"}, dtype);
  const TensorMeta* operands[] = {&chosen, &values};
  call.ReturnNew(ElementwiseMeta(operands, dtype, call.device()));
}

// A single bound that is a tensor makes this a minimum or maximum, which takes bool.
bool IsMinimumOrMaximum(const Call& call) {
  if (call.schema().name != "aten::clamp" && call.schema().name != "aten::clip") return false;
  return call.Has("min") != call.Has("max") && (call.TryIn("min") || call.TryIn("max"));
}

// Bounds that are numbers are no operands of the kernel, tensors are.
template <ArgumentName... Names>
void Bounded(Call& call) {
  static constexpr ArgumentName kNames[] = {Names...};
  const ScalarType dtype = PromotedDtype(call, kNames);
  RequireDtype(call, dtype, call.OnCpu() && !IsMinimumOrMaximum(call) ? kReal : kNotComplex);
  SmallVector<ArgumentName, 3> tensors;
  for (ArgumentName name : kNames)
    if (call.Arg(name).TryTensor()) tensors.push_back(name);
  call.ReturnNew(ElementwiseMeta(call, std::span<const ArgumentName>(tensors), dtype));
}

void Clamp(Call& call) {
  RequireValue(
      call, call.Has("min") || call.Has("max"), "needs a bound: at least one of 'min' or 'max' must not be None");
  Bounded<"self", "min", "max">(call);
}

// The cpu's kernel takes no bool; that of cuda does.
Operand OperandOfAbs(const Call& call) {
  const Operand self = call.In("self");
  return self->device.is_cpu() ? self.Takes(kNotBool) : self;
}

void Abs(Call& call) {
  OperandOfAbs(call);
  if (const Operand self = call.In("self"); IsComplex(self->dtype))
    return void(ReturnLike(call, self, ToRealDtype(self->dtype)));
  Pointwise<kComplexToFloat, "self">(call);
}

// abs of complex numbers is real, so it can't be stored where they are.
void AbsInplace(Call& call) { ReturnWritten(call, OperandOfAbs(call).Takes(kNotComplex)); }

// Source: at::Scalar's conversion to the dtype that the kernel computes in.
void RequireRealValue(const Call& call, ScalarType dtype) {
  const auto* value = call.Number("value").TryGet<std::complex<double>>();
  if (value && value->imag() != 0 && !IsComplex(dtype))
    FailDtype(call, {"scales {} by {}: value cannot be converted to type {} without overflow", dtype, call.Arg("value"),
                        TorchName(dtype)});
}

// self + value * tensor1 * tensor2.
void AddCMul(Call& call) {
  Checked<kNotBool, kDefault, "self", "tensor1", "tensor2">(call);
  RequireRealValue(call, call.effects().outputs[0].meta.dtype);
}

// self + value * tensor1 / tensor2.
void AddCDiv(Call& call) {
  if (IsIntegral(call.In("tensor1")->dtype) && IsIntegral(call.In("tensor2")->dtype))
    FailDtype(call, "does not divide integers by integers: integer division with addcdiv is no longer supported");
  Pointwise<kDefault, "self", "tensor1", "tensor2">(call);
  RequireRealValue(call, call.effects().outputs[0].meta.dtype);
}

// Only a 0-dim weight promotes. Source: TORCH_META_FUNC(lerp_Tensor).
void Lerp(Call& call) {
  const Operand self = call.In("self").SameDtypeAs(call.In("end")), weight = call.TryIn("weight");
  ScalarType dtype = self->dtype;
  if (weight) {
    if (weight->rank() > 0) self.SameDtypeAs(weight);
    dtype = PromotedDtype(call, {"self", "end", "weight"});
  }
  RequireDtype(call, dtype, kFloatingOrComplex);
  call.ReturnNew(
      weight ? ElementwiseMeta(call, {"self", "end", "weight"}, dtype) : ElementwiseMeta(call, {"self", "end"}, dtype));
}

// real + imag*i; for polar abs*e^(i*angle).
template <ArgumentName kFirst, ArgumentName kSecond>
void ComplexOf(Call& call) {
  const Operand first = call.In(kFirst).SameDtypeAs(call.In(kSecond)).Takes(kFloating);
  first.Takes(~Dtypes(ScalarType::BFloat16), "has no complex dtype for bfloat16");
  call.ReturnNew(ElementwiseMeta(call, {kFirst, kSecond}, ToComplexDtype(first->dtype)));
}

// Of complex numbers the kernel makes an empty tensor first, which is contiguous.
// Source: angle in aten/src/ATen/native/UnaryOps.cpp.
void Angle(Call& call) {
  const ScalarType promoted = ApplyPromotion(PromotedDtype(call, {"self"}), kIntToFloat, call.state());
  const Operand self = call.In("self");
  if (IsComplex(promoted))
    return void(call.ReturnNew(ContiguousMeta(self->sizes, ToRealDtype(promoted), self->device)));
  call.ReturnNew(ElementwiseMeta(call, {"self"}, promoted));
}

// Conjugates in memory; a real tensor is its own conjugate.
void ConjPhysical(Call& call) {
  const Operand self = call.In("self");
  if (!IsComplex(self->dtype)) return void(call.ReturnArgument(self.tensor()));
  Pointwise<kDefault, "self">(call);
}

// The norm of the difference.
void Dist(Call& call) {
  if (IsBool(call, "self") || IsBool(call, "other")) FailDtype(call, "subtracts, which bool tensors do not");
  const ScalarType dtype = PromotedDtype(call, {"self", "other"});
  RequireDtype(call, dtype, kFloatingOrComplex);
  ElementwiseMeta(call, {"self", "other"}, dtype);  // the shapes must broadcast
  ReturnContiguous(call, {}, ToRealDtype(dtype));
}

// The number's mantissa and exponent.
void Frexp(Call& call) {
  const Operand self = call.In("self").Takes(kFloating);
  ReturnLike(call, self);
  ReturnLike(call, self, ScalarType::Int);
}

void Heaviside(Call& call) {
  call.In("self").SameDtypeAs(call.In("values"));
  Checked<kNotComplex, kDefault, "self", "values">(call);
}

// The real absolute value of complex numbers is computed apart and copied.
// Source: unary_op_impl_with_complex_to_float_out.
OutDtype OutDtypeOfAbs(const Call& out_form) {
  return IsComplex(out_form.In("self")->dtype) ? OutDtype::kCast : OutDtype::kExact;
}

// Real results of complex numbers are computed as complex numbers, and then copied.
// Source: unary_op_impl_with_complex_to_float_out in aten/src/ATen/native/UnaryOps.cpp.
bool IsCopied(const Call& out_form) {
  return IsComplex(out_form.In("self")->dtype) && !IsComplex(out_form.In("out")->dtype);
}

OutStrides OutStridesOfAbs(const Call& out_form) {
  return IsCopied(out_form) ? OutStrides::kContiguous : OutStrides::kOfResult;
}

ReadsWritten ReadsWrittenOfAbs(const Call& out_form) {
  return IsCopied(out_form) ? ReadsWritten::kAll : ReadsWritten::kItself;
}

constexpr OperatorFacts kComplexAbs = OperatorFacts(OutDtypeOfAbs) | OutStridesOfAbs | ReadsWrittenOfAbs;

constexpr Rule kDefaultUnary = Pointwise<kDefault, "self">;
constexpr Rule kRealUnary = Checked<kNotComplex, kDefault, "self">;
constexpr Rule kDefaultBinary = Pointwise<kDefault, "self", "other">;
constexpr Rule kRealBinary = Checked<kNotComplex, kDefault, "self", "other">;
constexpr Rule kFloatBinary = Checked<kFloating, kDefault, "self", "other">;
constexpr Rule kRealToFloat = Checked<kNotComplex, kIntToFloat, "self", "other">;
constexpr Rule kDivide = Pointwise<kIntToFloat, "self", "other">;
// No kernel of theirs takes bool.
constexpr Rule kNumberUnary = Checked<kReal, kDefault, "self">;
constexpr Rule kNumberBinary = Checked<kReal, kDefault, "self", "other">;
constexpr Rule kBitwise = Checked<kIntegral, kDefault, "self", "other">;
constexpr Rule kShift = Checked<kInteger, kDefault, "self", "other">;

constexpr RuleRow kRows[] = {
    {"aten::abs", Abs, kComplexAbs},
    {"aten::abs_", AbsInplace},
    {"aten::absolute", Abs, kComplexAbs},
    {"aten::absolute_", AbsInplace},
    {"aten::add.Tensor", AddAlpha},
    {"aten::add.Scalar", AddAlpha},
    {"aten::_add_relu.Tensor", AddRelu, kUntagged},
    {"aten::_add_relu.out", AddReluInto<"out">},
    {"aten::_add_relu_.Tensor", AddReluInto<"self">},
    {"aten::_add_relu.Scalar", AddRelu},
    {"aten::sub.Tensor", SubAlpha},
    {"aten::sub.Scalar", SubAlpha},
    {"aten::subtract.Tensor", SubAlpha, kUntagged},
    {"aten::subtract.Scalar", SubAlpha},
    {"aten::rsub.Tensor", ReversedSub},
    {"aten::rsub.Scalar", ReversedSub},
    {"aten::mul.Tensor", kDefaultBinary},
    {"aten::mul.Scalar", kDefaultBinary},
    {"aten::multiply.Tensor", kDefaultBinary, kUntagged},
    {"aten::multiply.Scalar", kDefaultBinary},
    {"aten::div.Tensor", kDivide},
    {"aten::div.Scalar", kDivide},
    {"aten::div.Tensor_mode", DivMode},
    {"aten::div.Scalar_mode", DivMode},
    {"aten::divide.Tensor", kDivide, kUntagged},
    {"aten::divide.Scalar", kDivide},
    {"aten::divide.Tensor_mode", DivMode, kUntagged},
    {"aten::divide.Scalar_mode", DivMode},
    {"aten::true_divide.Tensor", kDivide},
    {"aten::true_divide.Scalar", kDivide},
    {"aten::floor_divide", kNumberBinary, kUntagged},
    {"aten::floor_divide.Scalar", kNumberBinary},
    {"aten::fmod.Tensor", kNumberBinary},
    {"aten::fmod.Scalar", kNumberBinary},
    {"aten::remainder.Tensor", kNumberBinary},
    {"aten::remainder.Scalar", kNumberBinary},
    {"aten::remainder.Scalar_Tensor", kNumberBinary},
    {"aten::square", Pointwise<kBoolToLong, "self">},
    {"aten::bitwise_and.Tensor", kBitwise},
    {"aten::bitwise_and.Scalar", kBitwise},
    {"aten::bitwise_and.Scalar_Tensor", kBitwise},
    {"aten::bitwise_or.Tensor", kBitwise},
    {"aten::bitwise_or.Scalar", kBitwise},
    {"aten::bitwise_or.Scalar_Tensor", kBitwise},
    {"aten::bitwise_xor.Tensor", kBitwise},
    {"aten::bitwise_xor.Scalar", kBitwise},
    {"aten::bitwise_xor.Scalar_Tensor", kBitwise},
    {"aten::bitwise_not", Checked<kIntegral, kDefault, "self">, OutDtype::kExact},
    {"aten::__and__.Tensor", kBitwise, ReadsWritten::kItself},
    {"aten::__and__.Scalar", kBitwise},
    {"aten::__or__.Tensor", kBitwise, ReadsWritten::kItself},
    {"aten::__or__.Scalar", kBitwise},
    {"aten::__xor__.Tensor", kBitwise, ReadsWritten::kItself},
    {"aten::__xor__.Scalar", kBitwise},
    {"aten::bitwise_left_shift.Tensor", kShift},
    {"aten::bitwise_left_shift.Tensor_Scalar", kShift},
    {"aten::bitwise_left_shift.Scalar_Tensor", kShift},
    {"aten::bitwise_right_shift.Tensor", kShift},
    {"aten::bitwise_right_shift.Tensor_Scalar", kShift},
    {"aten::bitwise_right_shift.Scalar_Tensor", kShift},
    {"aten::__lshift__.Tensor", kShift, ReadsWritten::kItself},
    {"aten::__lshift__.Scalar", kShift},
    {"aten::__rshift__.Tensor", kShift, ReadsWritten::kItself},
    {"aten::__rshift__.Scalar", kShift},
    {"aten::gcd", kShift},
    {"aten::lcm", kShift},
    {"aten::maximum", kRealBinary},
    {"aten::minimum", kRealBinary},
    {"aten::max.other", kRealBinary},
    {"aten::min.other", kRealBinary},
    {"aten::fmax", kRealBinary},
    {"aten::fmin", kRealBinary},
    {"aten::where.self", Where, OutDtype::kExact},
    {"aten::where.ScalarOther", Where},
    {"aten::where.ScalarSelf", Where},
    {"aten::where.Scalar", Where},
    {"aten::clamp", OrSuggested<Clamp>, OutDtype::kExact},
    {"aten::clamp.Tensor", Clamp},
    {"aten::clip", Clamp, OutDtype::kExact},
    {"aten::clip.Tensor", Clamp},
    {"aten::clamp_max", Bounded<"self", "max">, OutDtype::kExact},
    {"aten::clamp_max.Tensor", Checked<kNotComplex, kDefault, "self", "max">},
    {"aten::clamp_min", Bounded<"self", "min">, OutDtype::kExact},
    {"aten::clamp_min.Tensor", Checked<kNotComplex, kDefault, "self", "min">},
    {"aten::addcmul", AddCMul},
    {"aten::addcdiv", AddCDiv},
    {"aten::lerp.Tensor", Lerp, OutDtype::kExact},
    {"aten::lerp.Scalar", Lerp},
    {"aten::copysign.Tensor", kRealToFloat},
    {"aten::copysign.Scalar", kRealToFloat},
    {"aten::hypot", kFloatBinary},
    {"aten::nextafter", kFloatBinary, Devices::kSame},
    {"aten::heaviside", Heaviside, OutDtype::kExact},
    {"aten::logaddexp", Checked<kFloatingOrComplex, kDefault, "self", "other">},
    {"aten::logaddexp2", kFloatBinary},
    {"aten::atan2", kRealToFloat},
    {"aten::arctan2", kRealToFloat, kUntagged},
    {"aten::complex", ComplexOf<"real", "imag">},
    {"aten::polar", ComplexOf<"abs", "angle">},
    {"aten::angle", Angle, ReadsWrittenOfAbs},
    {"aten::conj_physical", ConjPhysical, OutDtype::kExact | OutStrides::kOfResultEverywhere},
    {"aten::_conj_physical", ReturnLikeSelf},
    {"aten::dist", Dist},
    {"aten::frexp.Tensor", Frexp, OutDtype::kExact},
    {"aten::neg", Neg, OutDtype::kExact},
    {"aten::negative", Neg, ReadsWritten::kItself},
    {"aten::sign", kRealUnary, OutDtype::kExact},
    {"aten::sgn", kDefaultUnary, OutDtype::kExact},
    {"aten::ceil", kNumberUnary, OutDtype::kExact},
    {"aten::floor", kNumberUnary, OutDtype::kExact},
    {"aten::round", kNumberUnary, OutDtype::kExact},
    {"aten::round.decimals", kNumberUnary, OutDtype::kExact},
    {"aten::special_round", kNumberUnary, ReadsWritten::kItself},
    {"aten::trunc", kNumberUnary, OutDtype::kExact},
    {"aten::fix", kNumberUnary, ReadsWritten::kItself},
    {"aten::frac", Checked<kFloating, kDefault, "self">, OutDtype::kExact},
    {"aten::nan_to_num", ReturnLikeSelf, OutDtype::kExact},
};

}  // namespace

RuleRows ArithmeticRules() { return kRows; }

}  // namespace fakeprop::rules
