// Powers, elementwise over base and exponent.
// Source: aten/src/ATen/native/Pow.cpp, BinaryOps.cpp; torch/_refs/__init__.py (torch 2.13).
#include "lib/meta/dtype.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/core/torch_words.h"
#include "lib/rules/families.h"
#include "lib/rules/support/checked_pointwise.h"
#include "lib/rules/support/copy_metas.h"
#include "lib/rules/support/memory_overlap.h"
#include "lib/rules/support/outputs.h"

namespace fakeprop::rules {
namespace {

using enum Promotion;

// A number that is neither a tensor nor a symbol.
std::optional<std::complex<double>> KnownNumber(const Value& value) {
  if (const auto* z = value.TryGet<std::complex<double>>()) return *z;
  if (const auto* x = value.TryGet<double>()) return *x;
  if (const auto* b = value.TryGet<bool>()) return double{*b};
  const auto* n = value.TryGet<Dim>();
  const std::optional<int64_t> number = n ? n->TryNumber() : std::nullopt;
  return number ? std::optional<std::complex<double>>(static_cast<double>(*number)) : std::nullopt;
}

// Powers of 0 and 1, and those that have the base 1, are filled in or copied.
bool Computes(const Call& call) {
  const auto base = KnownNumber(call.Arg("self")), exponent = KnownNumber(call.Arg("exponent"));
  return base != 1.0 && exponent != 0.0 && exponent != 1.0;
}

ScalarType PowDtype(const Call& call) {
  const ScalarType dtype = PromotedDtype(call, {"self", "exponent"});
  if (Computes(call)) RequireCompiled(call, "pow", dtype, kBarebonesUnsignedDtypes | ScalarType::ComplexHalf);
  return dtype;
}

void PowTensors(Call& call) {
  PowDtype(call);
  Checked<kNotBool, kDefault, "self", "exponent">(call);
}

// Integer powers of integer tensors by negative numbers have no integer result.
void PowTensorScalar(Call& call) {
  const auto exponent = call.Arg("exponent").TryGet<Dim>();
  if (exponent && Known(Lt(*exponent, 0)) && IsIntegral(call.In("self")->dtype))
    FailValue(call, "is not defined for integers to negative integer powers");
  // The exponent is no operand of the kernel.
  call.ReturnNew(ElementwiseMeta(call, {"self"}, PowDtype(call)));
}

// Computes in float64 or complex128, whatever the operands are.
ScalarType FloatPowerDtype(const Call& call) {
  return IsComplex(PromotedDtype(call, {"self", "exponent"})) ? ScalarType::ComplexDouble : ScalarType::Double;
}

// Both operands are converted first.
TensorMeta FloatPowerMeta(const Call& call) {
  const ScalarType dtype = FloatPowerDtype(call);
  const auto converted = [&](const Operand& t) { return t->dtype == dtype ? *t : EmptyLike(t); };
  const TensorMeta base = converted(call.In("self")), exponent = converted(call.In("exponent"));
  const TensorMeta* operands[] = {&base, &exponent};
  return ElementwiseMeta(operands, dtype, call.device());
}

void FloatPower(Call& call) { call.ReturnNew(FloatPowerMeta(call)); }
void FloatPowerOfNumber(Call& call) { call.ReturnNew(ElementwiseMeta(call, {"self"}, FloatPowerDtype(call))); }

// The powers of a number are dense in memory. Source: TORCH_META_FUNC2(pow, Scalar). FakeTensorMode keeps the strides
// of the exponent instead.
void PowScalar(Call& call) {
  const ScalarType dtype = PowDtype(call);
  RequireDtype(call, dtype, kNotBool);
  ReturnContiguous(call, call.In("exponent")->size_span(), dtype);
}

// All powers of 1 are 1, which any out tensor is filled with. Source: TORCH_IMPL_FUNC(pow_Scalar_out).
bool FillsWithOnes(const Call& out_form) {
  const bool is_real = !out_form.Number("self").Is<std::complex<double>>();
  return out_form.OnCpu() && is_real && out_form.Float("self") == 1;
}

// Looks at the out tensor once that has its size, and at none that it fills.
void RequirePlaceForPowers(Call& call) {
  const Operand out = call.In("out");
  const Dims& sizes = call.In("exponent")->sizes;
  if (FillsWithOnes(call)) return WriteOfSizes(call, out.tensor(), sizes);
  WriteUnshared(call, out, sizes, ReadsWritten::kItself);
}

void PowScalarOut(Call& call) {
  const ScalarType dtype = PowDtype(call);
  RequireDtype(call, dtype, kNotBool);
  if (!FillsWithOnes(call)) RequireCast(call, dtype, call.In("out")->dtype);
  RequirePlaceForPowers(call);
}

void FloatPowerScalarOut(Call& call) {
  const ScalarType dtype = FloatPowerDtype(call);
  const Operand out = call.In("out");
  if (out->dtype != dtype)
    FailAs(call, ErrorClass::kDtypeMismatch,
        {"writes its result's own dtype: expected out tensor to have dtype {}, but got {} instead", CppTypeName(dtype),
            CppTypeName(out->dtype)},
        {&out.tensor()});
  RequirePlaceForPowers(call);
}

void FloatPowerScalar(Call& call) { ReturnContiguous(call, call.In("exponent")->size_span(), FloatPowerDtype(call)); }

// self * 2^other. The cpu has a kernel for floating-point numbers with integers, whose result is laid out as self.
// Others are multiplied by a power of 2, which is dense as that of pow.Scalar beside tensors of float32 or integers.
// Source: ldexp in aten/src/ATen/native/BinaryOps.cpp.
void Ldexp(Call& call) {
  const Operand self = call.In("self"), other = call.In("other");
  const ScalarType dtype = ApplyPromotion(PromotedDtype(call, {"self", "other"}), kIntToFloat, call.state());
  const bool has_kernel = call.OnCpu() && kFloating.dtypes.Has(self->dtype) && IsIntegral(other->dtype);
  TensorMeta power = has_kernel ? *other : ElementwiseMeta(call, {"other"}, other->dtype);
  if (has_kernel)
    other.Takes(~Dtypes(ScalarType::Bool), "has no kernel for {}: \"ldexp_cpu_exp\" not implemented for 'Bool'");
  else if (call.OnCpu() && (IsIntegral(self->dtype) || self->dtype == ScalarType::Float))
    power.strides = ContiguousStrides(power.sizes);
  const TensorMeta* operands[] = {&*self, &power};
  const TensorMeta result = ElementwiseMeta(operands, dtype, call.device());
  call.ReturnNew(has_kernel ? LaidOutAs(self, result) : result);
}

// The base is not cast: it must have the dtype of the result.
void FloatPowerInplace(Call& call) {
  const Operand self = call.In("self");
  const ScalarType computed = FloatPowerDtype(call);
  self.Takes(computed, {"gives {}, not {tensor}", computed});
  self.Require(CanExpandTo(ElementwiseMeta(call, {"self", "exponent"}, computed).size_span(), self->size_span()),
      "gives more elements than the base has, {tensor}");
  ReturnWritten(call, self);
}

constexpr RuleRow kRows[] = {
    {"aten::pow.Tensor_Scalar", PowTensorScalar},
    {"aten::pow.Tensor_Tensor", PowTensors},
    {"aten::pow.Scalar", PowScalar},
    {"aten::pow.Scalar_out", PowScalarOut},
    {"aten::float_power.Tensor_Tensor", FloatPower, OutDtype::kExact},
    {"aten::float_power.Tensor_Scalar", FloatPowerOfNumber, OutDtype::kExact},
    {"aten::float_power.Scalar", FloatPowerScalar},
    {"aten::float_power.Scalar_out", FloatPowerScalarOut},
    {"aten::float_power_.Tensor", FloatPowerInplace},
    {"aten::float_power_.Scalar", FloatPowerInplace},
    {"aten::ldexp.Tensor", Ldexp, ReadsWritten::kSelfAsItself},
};

}  // namespace

RuleRows PowerRules() { return kRows; }

}  // namespace fakeprop::rules
