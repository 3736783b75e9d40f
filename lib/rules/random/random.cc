// Random numbers: factories, distributions over a tensor's shape, and samples of distributions.
// Source: aten/src/ATen/native/Distributions.cpp, DistributionTemplates.h, TensorFactories.cpp (torch 2.13), whose
// checks FakeTensorMode leaves out in part.
#include "lib/meta/dtype.h"
#include "lib/rules/core/results.h"
#include "lib/rules/core/shapes.h"
#include "lib/rules/families.h"
#include "lib/rules/support/copy_metas.h"
#include "lib/rules/support/elementwise.h"
#include "lib/rules/support/tensor_options.h"

namespace fakeprop::rules {
namespace {

// ---- factories

int SizesIndex(const Call& call) { return call.Index("size"); }

void RequireNotIntegral(const Call& call, ScalarType dtype) {
  if (IsIntegral(dtype)) FailDtype(call, "draws floating-point numbers, not " + std::string(DtypeName(dtype)));
}

// rand and randn.
void FloatFactory(Call& call) {
  const ScalarType dtype = TryDtype(call).value_or(call.state().default_dtype);
  RequireNotIntegral(call, dtype);
  ReturnFactory(call, call.DimList(SizesIndex(call)), dtype);
}

void FloatLike(Call& call) {
  RequireNotIntegral(call, TryDtype(call).value_or(call.Meta(0).dtype));
  FactoryLike(call);
}

void RequireIntRange(const Call& call, int low, int high) {
  if (call.Arg(high).TryTensor()) return;
  const Dim from = low < 0 ? Dim(0) : call.DimArg(low), to = call.DimArg(high);
  if (!Expect(Lt(from, to)))
    FailValue(call, "takes a lower bound below its upper one, got " + from.ToString() + " and " + to.ToString());
}

// Source: check_random_bounds and random_from_to's checks (aten/src/ATen/native/DistributionTemplates.h).
void RequireBoundsOf(const Call& call, ScalarType dtype, int low, int high) {
  if (IsComplex(dtype)) FailDtype(call, "draws no " + std::string(DtypeName(dtype)) + " numbers");
  const bool is_bool = dtype == ScalarType::Bool, is_byte = dtype == ScalarType::Byte,
             is_char = dtype == ScalarType::Char;
  if ((!is_bool && !is_byte && !is_char) || call.Arg(high).TryTensor()) return;
  const Dim least = is_char ? -128 : 0, most = is_bool ? 1 : is_byte ? 255 : 127;
  const Dim from = low < 0 ? Dim(0) : call.DimArg(low), to = call.DimArg(high);
  if (Expect(Ge(from, least)) && Expect(Le(from, most)) && Expect(Le(to - 1, most))) return;
  FailValue(call, "draws numbers from " + from.ToString() + " to " + to.ToString() + ", which " +
                      std::string(DtypeName(dtype)) + " does not hold");
}

template <int Low, int High>
void RandInt(Call& call) {
  RequireIntRange(call, Low, High);
  RequireBoundsOf(call, TryDtype(call).value_or(ScalarType::Long), Low, High);
  ReturnFactory(call, call.DimList(SizesIndex(call)), ScalarType::Long);
}

template <int Low, int High>
void RandIntLike(Call& call) {
  if (const Tensor* high = call.Arg(High).TryTensor(); high && (high->meta.rank() != 0 || !high->meta.device.is_cpu()))
    FailShape(call, "takes a 0-dim tensor of the cpu as its upper bound, not " + ToString(high->meta));
  RequireIntRange(call, Low, High);
  RequireBoundsOf(call, TryDtype(call).value_or(call.Meta(0).dtype), Low, High);
  FactoryLike(call);
}

// (quasi, n, sobolstate, dimension, num_generated, dtype): n points, and the state that follows.
// Source: _sobol_engine_draw in aten/src/ATen/native/SobolEngineOps.cpp.
void SobolDraw(Call& call) {
  for (int i : {0, 2})
    if (call.Meta(i).dtype != ScalarType::Long) FailDtype(call, "takes states of int64, not " + ToString(call.Meta(i)));
  if (call.Meta(0).rank() == 0)
    Fail(ErrorClass::kIndexOutOfRange, OpName(call) + " takes a state of 1 dimension, not of none");
  ReturnContiguous(call, Dims{call.DimArg(1), call.DimArg(3)}, TryDtype(call).value_or(ScalarType::Float));
  ReturnContiguous(call, call.Meta(0).size_span(), ScalarType::Long);
}

void RandPerm(Call& call) { ReturnFactory(call, Dims{call.DimArg(0)}, ScalarType::Long); }

void RequireDeviation(const Call& call, int i) {
  if (call.Float(i) < 0) FailValue(call, "takes no negative standard deviation, got " + ToString(call.Arg(i)));
}

void NormalFactory(Call& call) {
  RequireDeviation(call, 1);
  FloatFactory(call);
}

// ---- a tensor drawn anew: uniform, exponential ...

enum class Takes { kFloat, kFloatOrComplex, kNumbers, kAll };

template <Takes takes>
void RequireTaken(const Call& call) {
  const ScalarType dtype = call.Meta(0).dtype;
  if (takes == Takes::kFloat) RequireFloat(call, dtype);
  if (takes == Takes::kFloatOrComplex) RequireFloatOrComplex(call, dtype);
  if (takes == Takes::kNumbers && (dtype == ScalarType::Bool || IsComplex(dtype)))
    FailDtype(call, "does not draw " + std::string(DtypeName(dtype)) + " numbers");
}

void RequireProbability(const Call& call, double p, bool open) {
  if (open ? p > 0 && p < 1 : p >= 0 && p <= 1) return;
  FailValue(call, "takes a probability, got " + std::to_string(p));
}

void Uniform(Call& call) {
  RequireTaken<Takes::kFloatOrComplex>(call);
  if (call.Float(1) > call.Float(2)) FailValue(call, "takes a lower bound up to its upper one");
  call.ReturnNew(EmptyLike(call.Meta(0)));
}

// Argument 2 is a scale that must be positive (log_normal, cauchy), argument 1 a rate (exponential).
template <int Scale>
void Continuous(Call& call) {
  RequireTaken<Takes::kFloat>(call);
  if (!(call.Float(Scale) > 0))
    FailValue(call,
        "takes a positive " + std::string(call.schema().arguments[Scale].name) + ", got " + ToString(call.Arg(Scale)));
  call.ReturnNew(EmptyLike(call.Meta(0)));
}

void NormalFunctional(Call& call) {
  RequireTaken<Takes::kFloatOrComplex>(call);
  RequireDeviation(call, 2);
  call.ReturnNew(EmptyLike(call.Meta(0)));
}

void Geometric(Call& call) {
  RequireTaken<Takes::kNumbers>(call);
  RequireProbability(call, call.Float(1), /*open=*/true);
  call.ReturnNew(EmptyLike(call.Meta(0)));
}

template <int Low, int High>
void Random(Call& call) {
  if (High > 0 && !call.IsNone(High)) RequireIntRange(call, Low, High);
  call.ReturnNew(EmptyLike(call.Meta(0)));
}

// Writes that no functional operator of the same name stands for.
void ReturnWritten(Call& call) {
  Tensor& t = call.TensorArg(0);
  if (HasInternalOverlap(t.meta)) FailValue(call, "cannot write to a tensor whose elements overlap; clone it first");
  call.Write(t);
  call.ReturnArgument(t);
}

void NormalInplace(Call& call) {
  RequireTaken<Takes::kFloatOrComplex>(call);
  RequireDeviation(call, 2);
  ReturnWritten(call);
}

void BernoulliInplace(Call& call) {
  RequireProbability(call, call.Float(1), /*open=*/false);
  ReturnWritten(call);
}

// ---- samples whose parameters are tensors

// The kernels refuse other dtypes, but they are not asked where there is nothing to sample.
void Bernoulli(Call& call) {
  if (!IsEmpty(call.Meta(0))) RequireTaken<Takes::kFloat>(call);
  ReturnContiguous(call, call.Meta(0).size_span(), call.Meta(0).dtype);
}

void BernoulliP(Call& call) {
  RequireProbability(call, call.Float(1), /*open=*/false);
  ReturnContiguous(call, call.Meta(0).size_span(), call.Meta(0).dtype);
}

void BernoulliTensor(Call& call) {
  if (!IsEmpty(call.Meta(0))) RequireFloat(call, call.Meta(1).dtype);
  if (!CanExpandTo(call.Meta(1).size_span(), call.Meta(0).size_span()))
    FailShape(call, "cannot expand its probabilities to " + ToString(call.Meta(0).size_span()));
  call.ReturnNew(EmptyLike(call.Meta(0)));
}

void NormalFloatTensor(Call& call) {
  RequireFloat(call, call.Meta(1).dtype);
  ReturnContiguous(call, call.Meta(1).size_span(), call.Meta(1).dtype);
}

// The cpu kernels give contiguous samples; the Python functions, which speak for other devices, keep the strides.
void Sampled(Call& call) {
  const TensorMeta& t = call.Meta(0);
  RequireFloat(call, t.dtype);
  call.ReturnNew(EmptyLike(t, t.device.is_cpu() ? MemoryFormat::Contiguous : MemoryFormat::Preserve));
}

// Kernels of the gamma family know float32 and float64 alone.
void SampledInFull(Call& call) {
  const ScalarType dtype = call.Meta(0).dtype;
  if (call.device().is_cpu() && IsHalf(dtype))
    FailDtype(call, "does not draw " + std::string(DtypeName(dtype)) + " numbers");
  Sampled(call);
}

void Dirichlet(Call& call) {
  SampledInFull(call);
  call.effects().outputs[0].meta.strides = ContiguousStrides(call.Meta(0).size_span());
}

// How a sample moves with the distribution's parameters: a dense tensor of the first argument's shape, which the others
// broadcast to. Source: _standard_gamma_grad_cpu, _dirichlet_grad_cpu.
template <int... Positions>
void SampleGradient(Call& call) {
  const TensorMeta& first = call.Meta(0);
  for (int i : {Positions...}) RequireSameDtype(call, 0, i);
  RequireFullFloat(call, first.dtype);
  TensorMeta out = ElementwiseMeta(call, {0, Positions...}, first.dtype);
  if (GuardSameOrFalse(out.size_span(), first.size_span())) out.strides = ContiguousStrides(out.size_span());
  call.ReturnNew(std::move(out));
}

void Binomial(Call& call) {
  RequireFloat(call, call.Meta(0).dtype);
  RequireSameDtype(call, 0, 1);
  // Zeros of the counts' shape, unless the result is larger.
  TensorMeta out = ElementwiseMeta(call, {0, 1}, call.Meta(0).dtype);
  if (GuardSameOrFalse(out.size_span(), call.Meta(0).size_span())) out.strides = ContiguousStrides(out.size_span());
  call.ReturnNew(std::move(out));
}

void NormalTensorFloat(Call& call) {
  RequireTaken<Takes::kFloatOrComplex>(call);
  RequireDeviation(call, 1);
  ReturnContiguous(call, call.Meta(0).size_span(), call.Meta(0).dtype);
}

// In the mean's dtype; a complex deviation is none.
void NormalTensors(Call& call) {
  RequireTaken<Takes::kFloatOrComplex>(call);
  RequireNotComplex(call, call.Meta(1).dtype);
  // Python's promotes; the CPU kernel draws into a tensor of the mean's dtype.
  const ScalarType dtype = call.device().is_cpu() ? call.Meta(0).dtype : PromotedDtype(call, {0, 1});
  ReturnContiguous(call, BroadcastSizes(call.Meta(0).size_span(), call.Meta(1).size_span()), dtype);
}

void Multinomial(Call& call) {
  const TensorMeta& t = call.Meta(0);
  RequireTaken<Takes::kFloat>(call);
  if (t.rank() != 1 && t.rank() != 2)
    FailShape(call, "takes distributions of 1 or 2 dimensions, but got " + ToString(t.size_span()));
  const Dim samples = call.DimArg(1);
  if (!Expect(Gt(samples, 0))) FailValue(call, "takes a positive number of samples, got " + samples.ToString());
  if (!call.Bool(2) && !Expect(Le(samples, t.sizes.back())))
    FailValue(call, "cannot draw " + samples.ToString() + " of " + t.sizes.back().ToString() + " without replacement");
  Dims sizes = t.sizes;
  sizes.back() = samples;
  ReturnContiguous(call, sizes, ScalarType::Long);
}

constexpr RuleRow kRows[] = {
    {"aten::rand", FloatFactory},
    {"aten::rand.generator", FloatFactory},
    {"aten::randn", FloatFactory},
    {"aten::randn.generator", FloatFactory},
    {"aten::randint", RandInt<-1, 0>},
    {"aten::randint.generator", RandInt<-1, 0>},
    {"aten::randint.low", RandInt<0, 1>},
    {"aten::randint.low_generator", RandInt<0, 1>},
    {"aten::randperm", RandPerm},
    {"aten::randperm.generator", RandPerm},
    {"aten::normal.float_float", NormalFactory},
    {"aten::rand_like", FloatLike, Devices::kOne, Grad::kNone},
    {"aten::rand_like.generator", FloatLike, Devices::kOne, Grad::kNone},
    {"aten::randn_like", FloatLike, Devices::kOne, Grad::kNone},
    {"aten::randn_like.generator", FloatLike, Devices::kOne, Grad::kNone},
    {"aten::randint_like", RandIntLike<-1, 1>},
    {"aten::randint_like.generator", RandIntLike<-1, 1>},
    {"aten::randint_like.Tensor", RandIntLike<-1, 1>},
    {"aten::randint_like.Tensor_generator", RandIntLike<-1, 1>},
    {"aten::randint_like.low_dtype", RandIntLike<1, 2>},
    {"aten::randint_like.low_generator_dtype", RandIntLike<1, 2>},

    {"aten::_sobol_engine_draw", SobolDraw},
    {"aten::uniform", Uniform},
    {"aten::exponential", Continuous<1>},
    {"aten::log_normal", Continuous<2>},
    {"aten::cauchy", Continuous<2>},
    {"aten::geometric", Geometric},
    {"aten::random", Random<-1, -1>},
    {"aten::random.to", Random<-1, 1>},
    {"aten::random.from", Random<1, 2>},
    {"aten::normal_functional", NormalFunctional},
    {"aten::normal_", NormalInplace},
    {"aten::bernoulli_.float", BernoulliInplace},

    {"aten::bernoulli", Bernoulli},
    {"aten::bernoulli.p", BernoulliP},
    {"aten::bernoulli.Tensor", BernoulliTensor},
    {"aten::normal.Tensor_float", NormalTensorFloat},
    {"aten::normal.float_Tensor", NormalFloatTensor},
    {"aten::normal.Tensor_Tensor", NormalTensors},
    {"aten::poisson", Sampled},
    {"aten::binomial", Binomial},
    {"aten::_standard_gamma", SampledInFull},
    {"aten::_sample_dirichlet", Dirichlet},
    {"aten::_standard_gamma_grad", SampleGradient<1>},
    {"aten::_dirichlet_grad", SampleGradient<1, 2>},
    {"aten::multinomial", Multinomial},
};

}  // namespace

RuleRows RandomRules() { return kRows; }

}  // namespace fakeprop::rules
