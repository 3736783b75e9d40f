// Random numbers: factories, distributions over a tensor's shape, and samples of distributions.
// Source: aten/src/ATen/native/Distributions.cpp, DistributionTemplates.h, TensorFactories.cpp (torch 2.13), whose
// checks FakeTensorMode leaves out in part.
#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/core/torch_changes.h"
#include "lib/rules/families.h"
#include "lib/rules/support/autograd_demands.h"
#include "lib/rules/support/copy_metas.h"
#include "lib/rules/support/elementwise.h"
#include "lib/rules/support/memory_overlap.h"
#include "lib/rules/support/outputs.h"
#include "lib/rules/support/tensor_options.h"

namespace fakeprop::rules {
namespace {

// ---- factories

constexpr DtypeClass kNotIntegral{~kIntegralDtypes, "draws floating-point numbers, not {}"};

// rand and randn.
void FloatFactory(Call& call) {
  const ScalarType dtype = TryDtype(call).value_or(call.state().default_dtype);
  RequireDtype(call, dtype, kNotIntegral);
  ReturnFactory(call, call.DimList("size"), dtype);
}

// Out= forms that resize their out tensor first, whatever its sizes. Source: randn_out in TensorFactories.cpp.
void ResizedFactoryOut(Call& call) {
  const Operand out = call.In("out");
  RequireResizable(call, out.tensor());
  RequireDtype(call, out->dtype, kNotIntegral);
  const Dims sizes = call.DimList("size");
  RequireNonNegative(sizes);
  WriteUnshared(call, out, sizes, ReadsWritten::kItself);
}

void FloatLike(Call& call) {
  RequireDtype(call, TryDtype(call).value_or(call.In("self")->dtype), kNotIntegral);
  FactoryLike(call);
}

// Integers from `low` on, below `high`.
struct IntRange {
  Dim low, high;
};

// An operator without a lower bound starts at 0. Nothing where the upper bound is a tensor, whose data decides.
std::optional<IntRange> IntRangeOf(const Call& call, ArgumentName low, ArgumentName high) {
  if (call.TryIn(high)) return std::nullopt;
  return IntRange{call.Declares(low) ? call.DimArg(low) : Dim(0), call.DimArg(high)};
}

void RequireAscending(const Call& call, const std::optional<IntRange>& range) {
  if (range)
    RequireValue(call, Lt(range->low, range->high),
        {"takes a lower bound below its upper one, got {} and {}", range->low, range->high});
}

// The integers of small dtypes.
struct SmallDtype {
  ScalarType dtype;
  int64_t least, most;
};
constexpr SmallDtype kSmallDtypes[] = {
    {ScalarType::Bool, 0, 1},
    {ScalarType::Byte, 0, 255},
    {ScalarType::Char, -128, 127},
};

// Source: check_random_bounds and random_from_to's checks (aten/src/ATen/native/DistributionTemplates.h).
void RequireHeld(const Call& call, const std::optional<IntRange>& range, ScalarType dtype) {
  RequireDtype(call, dtype, {kNotComplex.dtypes, "draws no {} numbers"});
  for (const auto& [small, least, most] : kSmallDtypes)
    if (range && small == dtype)
      RequireValue(call, {Ge(range->low, least), Le(range->low, most), Le(range->high - 1, most)},
          {"draws numbers from {} to {}, which {} does not hold", range->low, range->high, dtype});
}

void RandInt(Call& call) {
  const auto range = IntRangeOf(call, "low", "high");
  RequireAscending(call, range);
  RequireHeld(call, range, TryDtype(call).value_or(ScalarType::Long));
  ReturnFactory(call, call.DimList("size"), ScalarType::Long);
}

void RandIntLike(Call& call) {
  if (const Operand high = call.TryIn("high"))
    high.Require(
        high->rank() == 0 && high->device.is_cpu(), "takes a 0-dim tensor of the cpu as its upper bound, not {tensor}");
  const auto range = IntRangeOf(call, "low", "high");
  RequireAscending(call, range);
  RequireHeld(call, range, TryDtype(call).value_or(call.In("self")->dtype));
  FactoryLike(call);
}

// n points, and the state that follows. Source: _sobol_engine_draw in aten/src/ATen/native/SobolEngineOps.cpp.
void SobolDraw(Call& call) {
  call.Each({"quasi", "sobolstate"}).Takes(ScalarType::Long);
  const Operand quasi = call.In("quasi");
  RequireIndex(call, quasi->rank() > 0, "takes a state of 1 dimension, not of none");
  const Dim dimension = call.DimArg("dimension");
  if (Has(call, kSobolDimensionChecked))
    RequireValue(call, quasi->rank() == 1 && Expect(Eq(quasi->sizes[0], dimension)),
        {"dimension must match the size of quasi, but got dimension {} and quasi with shape {}", dimension,
            quasi->sizes});
  ReturnContiguous(call, {call.DimArg("n"), dimension}, TryDtype(call).value_or(ScalarType::Float));
  ReturnContiguous(call, quasi, ScalarType::Long);
}

void RandPerm(Call& call) { ReturnFactory(call, Dims{call.DimArg("n")}, ScalarType::Long); }

void RequireDeviation(const Call& call) {
  RequireValue(call, !(call.Float("std") < 0), {"takes no negative standard deviation, got {}", call.Arg("std")});
}

// ---- new random numbers in a tensor like self: uniform, exponential ...

// Whether 0 and 1 themselves are allowed.
enum class Ends { kIncluded, kExcluded };

template <Ends kEnds>
void RequireProbability(const Call& call) {
  const double p = call.Float("p");
  if (kEnds == Ends::kIncluded ? p >= 0 && p <= 1 : p > 0 && p < 1) return;
  FailValue(call, {"takes a probability, got {}", std::to_string(p)});
}

void ReturnEmptyLikeSelf(Call& call) { call.ReturnNew(EmptyLike(call.In("self"))); }

void RequireOrdered(const Call& call) {
  RequireValue(call, !(call.Float("from") > call.Float("to")), "takes a lower bound up to its upper one");
}

// The cpu's kernels draw, and look at the dtype, only where there are elements.
bool DrawsNothing(const Operand& drawn) { return drawn->device.is_cpu() && IsKnownEmpty(drawn); }

// bernoulli_ on the cpu.
void RequireNoComplex(const Call& call) {
  const Operand self = call.In("self");
  if (self->device.is_cpu() && !DrawsNothing(self)) self.Takes(kNotComplex);
}

// The argument of this name must be positive: a scale (log_normal, cauchy) or a rate (exponential).
template <ArgumentName kScale>
void Continuous(Call& call) {
  const Operand self = call.In("self");
  if (!DrawsNothing(self)) self.Takes(kFloating);
  RequireValue(call, call.Float(kScale) > 0, {"takes a positive {}, got {}", call.NameOf(kScale), call.Arg(kScale)});
  call.ReturnNew(EmptyLike(self));
}

void RequireCountable(const Call& call) {
  const Operand self = call.In("self");
  if (!DrawsNothing(self)) self.Takes(kReal.dtypes, "does not draw {} numbers");
}

void Random(Call& call) {
  if (const Operand self = call.In("self"); call.Declares("to") && self->device.is_cpu()) self.Takes(kNotComplex);
  if (call.Has("to")) RequireAscending(call, IntRangeOf(call, "from", "to"));
  ReturnEmptyLikeSelf(call);
}

// For operators that write and have no functional form of the same name.
void ReturnWrittenSelf(Call& call) { ReturnWritten(call, call.In("self")); }

void RequireUnlessEmpty(const Call& call) {
  if (const Operand self = call.In("self"); !IsKnownEmpty(self)) self.Takes(kFloatingOrComplex);
}

// ---- samples whose parameters are tensors

// The cpu draws in the out tensor. Source: at::native::bernoulli_out.
OutDtype OutDtypeOfBernoulli(const Call& out_form) {
  if (!out_form.device().is_cpu()) return OutDtype::kCast;
  const bool draws = !IsKnownEmpty(out_form.In("self"));
  return draws && IsComplex(out_form.In("out")->dtype) ? OutDtype::kExact : OutDtype::kAny;
}

void Bernoulli(Call& call) {
  const Operand self = call.In("self");
  if (!IsEmpty(self)) self.Takes(kFloating);
  ReturnContiguous(call, self);
}

void RequireProbabilities(const Call& call) {
  const Operand self = call.In("self"), p = call.In("p");
  if (!IsEmpty(self)) p.Takes(kFloating);
  p.BroadcastsTo(self->sizes);
}

void NormalFloatTensor(Call& call) {
  const Operand std = call.In("std").Takes(kNotComplex);
  ReturnContiguous(call, DrawsNothing(std) ? std : std.Takes(kFloating));
}

// The cpu kernels give contiguous samples. The Python functions, which speak for other devices, keep the strides.
void Sampled(Call& call) {
  const Operand self = call.In("self").Takes(kFloating);
  call.ReturnNew(EmptyLike(self, self->device.is_cpu() ? MemoryFormat::Contiguous : MemoryFormat::Preserve));
}

// On the cpu the kernels of the gamma family know float32 and float64 alone.
void SampledInFull(Call& call) {
  if (call.OnCpu()) call.In("self").Takes(~kHalfDtypes, "does not draw {} numbers");
  Sampled(call);
}

void Dirichlet(Call& call) {
  SampledInFull(call);
  call.effects().outputs[0].meta.strides = ContiguousStrides(call.In("self")->size_span());
}

// Elementwise over these arguments, in the dtype of the first. Dense, unless the result is larger than the first.
void ReturnOverFirst(Call& call, std::span<const ArgumentName> names) {
  const Operand first = call.In(names[0]);
  TensorMeta out = ElementwiseMeta(call, names, first->dtype);
  if (GuardSameOrFalse(out.size_span(), first->size_span())) out.strides = ContiguousStrides(out.size_span());
  call.ReturnNew(std::move(out));
}

// The derivative of a sample by the distribution's parameters. The others broadcast to the first argument's shape.
// Source: _standard_gamma_grad_cpu, _dirichlet_grad_cpu.
template <ArgumentName kFirst, ArgumentName... kOthers>
void SampleGradient(Call& call) {
  static constexpr ArgumentName kNames[] = {kFirst, kOthers...};
  const Operand first = call.In(kFirst);
  (first.SameDtypeAs(call.In(kOthers)), ...);
  RequireFullFloat(call, first->dtype);
  ReturnOverFirst(call, kNames);
}

void Binomial(Call& call) {
  static constexpr ArgumentName kNames[] = {"count", "prob"};
  call.In("count").Takes(kFloating).SameDtypeAs(call.In("prob"));
  ReturnOverFirst(call, kNames);
}

void RequireMean(const Call& call) {
  if (const Operand mean = call.In("mean"); !DrawsNothing(mean)) mean.Takes(kFloatingOrComplex);
}
void ReturnMean(Call& call) { ReturnContiguous(call, call.In("mean")); }

// The mean broadcasts with the out tensor. Source: normal_out_impl(output, mean, std) of a number as deviation.
void NormalTensorFloatOut(Call& call) {
  RequireMean(call);
  RequireDeviation(call);
  const Operand mean = call.In("mean"), out = call.In("out");
  RequireCast(call, mean->dtype, out->dtype);
  const Dims sizes = BroadcastSizes(mean->size_span(), out->size_span());
  WriteUnshared(call, out, sizes, ReadsWritten::kItself);
}

// Drawn into a copy of self, which is copied into the out tensor: the dtypes have to agree.
void NormalOut(Call& call) {
  const Operand self = call.In("self").Takes(kFloatingOrComplex), out = call.In("out").SameDtypeAs(self);
  RequireDeviation(call);
  WriteUnshared(call, out, self->sizes, {});
}

// In the mean's dtype; the deviation must not be complex.
void NormalTensors(Call& call) {
  const Operand mean = call.In("mean").Takes(kFloatingOrComplex), std = call.In("std").Takes(kNotComplex);
  // The Python function promotes; the CPU kernel draws into a tensor of the mean's dtype.
  const ScalarType dtype = call.OnCpu() ? mean->dtype : PromotedDtype(call, {"mean", "std"});
  ReturnContiguous(call, BroadcastSizes(mean->size_span(), std->size_span()), dtype);
}

void Multinomial(Call& call) {
  const Operand self = call.In("self").Takes(kFloating);
  self.RankBetween(1, 2, "takes distributions of 1 or 2 dimensions, but got {}");
  const Dim samples = call.DimArg("num_samples"), choices = self->sizes.back();
  RequireValue(call, Gt(samples, 0), {"takes a positive number of samples, got {}", samples});
  RequireValue(call, call.Bool("replacement") || Expect(Le(samples, choices)),
      {"cannot draw {} of {}: cannot sample n_sample > prob_dist.size(-1) samples without replacement", samples,
          choices});
  ReturnContiguous(call, WithSize(self->sizes, -1, samples), ScalarType::Long);
}

constexpr RuleRow kRows[] = {
    {"aten::rand", FloatFactory},
    {"aten::rand.generator", FloatFactory},
    {"aten::rand.generator_out", ResizedFactoryOut},
    {"aten::randn", FloatFactory},
    {"aten::randn.out", ResizedFactoryOut},
    {"aten::randn.generator", FloatFactory},
    {"aten::randn.generator_out", ResizedFactoryOut},
    {"aten::randint", RandInt},
    {"aten::randint.generator", RandInt},
    {"aten::randint.low", RandInt},
    {"aten::randint.low_generator", RandInt},
    {"aten::randperm", RandPerm, Overlap::kAllowedInOut},
    {"aten::randperm.generator", RandPerm, Overlap::kAllowedInOut},
    {"aten::normal.float_float", InOrder<RequireDeviation, FloatFactory>, OutDtype::kCast | Reads::kNotWritten},
    {"aten::rand_like", FloatLike, Grad::kNone},
    {"aten::rand_like.generator", FloatLike, Grad::kNone},
    {"aten::randn_like", FloatLike, Grad::kNone},
    {"aten::randn_like.generator", FloatLike, Grad::kNone},
    {"aten::randint_like", RandIntLike},
    {"aten::randint_like.generator", RandIntLike},
    {"aten::randint_like.Tensor", RandIntLike},
    {"aten::randint_like.Tensor_generator", RandIntLike},
    {"aten::randint_like.low_dtype", RandIntLike},
    {"aten::randint_like.low_generator_dtype", RandIntLike},

    {"aten::_sobol_engine_draw", SobolDraw},
    {"aten::uniform", InOrder<RequireSelf<kFloatingOrComplex>, RequireOrdered, ReturnEmptyLikeSelf>,
        Reads::kNotWritten},
    {"aten::exponential", Continuous<"lambd">},
    {"aten::log_normal", Continuous<"std">},
    {"aten::cauchy", Continuous<"sigma">},
    {"aten::geometric", InOrder<RequireCountable, RequireProbability<Ends::kExcluded>, ReturnEmptyLikeSelf>},
    {"aten::random", Random},
    {"aten::random.to", Random},
    {"aten::random.from", Random},
    {"aten::normal.out", NormalOut, Reads::kNotWritten},
    {"aten::normal_functional", InOrder<RequireSelf<kFloatingOrComplex>, RequireDeviation, ReturnEmptyLikeSelf>},
    {"aten::normal_", InOrder<RequireUnlessEmpty, RequireDeviation, ReturnWrittenSelf>, Reads::kNotWritten},
    {"aten::bernoulli_.float", InOrder<RequireProbability<Ends::kIncluded>, RequireNoComplex, ReturnWrittenSelf>,
        Reads::kNotWritten},

    {"aten::bernoulli", Bernoulli, OutDtypeOfBernoulli | Reads::kNotWritten},
    {"aten::bernoulli.p", InOrder<RequireProbability<Ends::kIncluded>, ReturnContiguousSelf>, Reads::kNotWritten},
    {"aten::bernoulli.Tensor", InOrder<RequireProbabilities, ReturnEmptyLikeSelf>, Reads::kNotWritten},
    {"aten::normal.Tensor_float", InOrder<RequireMean, RequireDeviation, ReturnMean>},
    {"aten::normal.Tensor_float_out", NormalTensorFloatOut, Reads::kNotWritten},
    {"aten::normal.float_Tensor", NormalFloatTensor, OutDtype::kCast | Reads::kNotWritten | kIteratesAfterResize},
    {"aten::normal.Tensor_Tensor", NormalTensors, OutDtype::kCast | Reads::kNotWritten | kIteratesAfterResize},
    {"aten::poisson", Sampled},
    {"aten::binomial", Binomial},
    {"aten::_standard_gamma", SampledInFull},
    {"aten::_sample_dirichlet", Dirichlet},
    {"aten::_standard_gamma_grad", SampleGradient<"self", "output">},
    {"aten::_dirichlet_grad", SampleGradient<"x", "alpha", "total">},
    {"aten::multinomial", Multinomial, Overlap::kAllowedInOut},
};

}  // namespace

RuleRows RandomRules() { return kRows; }

}  // namespace fakeprop::rules
